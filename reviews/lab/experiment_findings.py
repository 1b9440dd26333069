"""What a verdict of an experiment rests on: a model's stages as they were kept, those of rules found again."""

import logging
from typing import Final

from django.conf import settings

from reviews.lab.arm_options import options_under
from reviews.lab.experiments import describe_configuration, profile_of_arm
from reviews.models import ExperimentVerdict, JudgeKind
from reviews.profiles.options import rate_sources
from reviews.provenance.core.context import Case
from reviews.provenance.core.verdicts import Verdict, conclude_stages
from reviews.provenance.doubts.suspended_rule import suspend_rules
from reviews.records.verdicts import read_stages
from reviews.scheduling import killable_checks
from reviews.scheduling.killable_pool import StoppedError, shared_pool

NOT_KEPT: Final = "What a model said of this was not kept."
CHANGED: Final = "The guard has changed since: what it found then cannot be shown any more."

_log = logging.getLogger(__name__)


def find_verdict(row: ExperimentVerdict, case: Case) -> tuple[Verdict | None, str]:
    """The verdict with all that was found, or why there is none. `case` is what the row is on."""
    if row.stages:
        return conclude_stages(tuple(read_stages(row.stages))), ""
    arm = row.arm
    if arm.settings.get("judge") != JudgeKind.RULES:
        return None, NOT_KEPT
    draft = profile_of_arm(arm)
    if arm.configuration != describe_configuration(draft, arm, arm.experiment):
        return None, CHANGED
    options = options_under(draft, arm.detector, arm.settings.get("options", {}))
    guard = settings.GUARD
    try:
        # In another process, because a call that takes minutes would keep this one, which serves pages, busy.
        pool = shared_pool(guard.check_megabytes)
        rated = rate_sources(draft, case)
        verdict = pool.run_within(guard.edit_seconds, killable_checks.verdict_by_rules, arm.detector, options, rated)
    except StoppedError as error:
        return None, f"The call {error}."
    except Exception as error:  # noqa: BLE001 - a page that shows a verdict does not fail with its detector
        _log.exception("a verdict of %s could not be found again", arm.detector)
        return None, f"The check failed: {type(error).__name__}."
    # As it was judged: what a suspended rule decides is open.
    suspended = frozenset(draft.suspended_rules)
    return conclude_stages(tuple(suspend_rules(stage, suspended) for stage in verdict.stages)), ""
