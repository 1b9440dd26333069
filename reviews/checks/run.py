"""Run one detector on one action and store what it found; the last enforced one settles the action.

The checks of an action run side by side on whatever workers are free. A question that two of them ask of the same model
is paid for once: within a process the second waits for the first one's answer, between processes it finds the stored
answer. Only what two processes ask at the same moment is paid for twice.
"""

from dataclasses import replace
from datetime import UTC
from functools import partial
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from reviews.checks import routing
from reviews.checks.findings import store_findings
from reviews.judging import spending
from reviews.messaging import metrics
from reviews.models import Action, Check, CheckMode, GuardProfile
from reviews.profiles.options import detector_options
from reviews.provenance import detectors
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.core.verdicts import Aligned, Misaligned, Verdict
from reviews.provenance.data.clock import clock_of, zone_of
from reviews.provenance.detectors import Argus
from reviews.provenance.detectors.argus.invariants import find_invariants
from reviews.provenance.detectors.base import Detector, Stages
from reviews.provenance.doubts.suspended_rule import suspend_rules
from reviews.provenance.judges import Judge
from reviews.provenance.values.zones import home_clock
from reviews.records import invariants, load
from reviews.scheduling import attempts
from reviews.scheduling.attempts import Procedure

_BUDGET_KEPT: Final = "What is left of the day's judge budget is kept for enforced detectors."


def settle_action_of(check: Check, *, locked: routing.LockedAction | None = None) -> None:
    """Settle the check's action if this was the last enforced one. Harmless to repeat. `locked` as in `routing`."""
    if check.mode == CheckMode.ENFORCED:
        loaded = "action" in check._state.fields_cache
        routing.settle_action(check.action_id, loaded=check.action if loaded else None, locked=locked)


class _Checks(attempts.JobKind[Check]):
    def all_rows(self) -> QuerySet[Check]:
        return Check.objects.all()

    def with_context(self, rows: QuerySet[Check]) -> QuerySet[Check]:
        return rows.select_related("action__profile", "action__trace__query", "action__tool_set")

    def profile_of(self, examined: Check) -> GuardProfile:
        return examined.action.profile

    def request_id_of(self, examined: Check) -> str:
        return examined.action.request_id

    def procedure_for(self, examined: Check) -> Procedure:
        if examined.detector not in detectors.DETECTORS:
            return Procedure("", partial(_undetermined_stages, f"There is no detector “{examined.detector}” any more."))
        options = detector_options(examined.action.profile, examined.detector)
        detector = detectors.build(examined.detector, options)
        # Only then is the account read: enforced checks use the whole budget, and the judge itself keeps to that.
        if examined.mode == CheckMode.SHADOW and not spending.leaves_room_for_shadows(examined.action.profile):
            return Procedure(detector.version, partial(_undetermined_stages, _BUDGET_KEPT))
        return Procedure(detector.version, partial(_stages_of_detector, examined.action, detector))

    def answer_columns(self, examined: Check, verdict: Verdict) -> dict[str, Any]:
        return {"established": verdict.established}

    def store_details(self, examined: Check, verdict: Verdict) -> routing.LockedAction | None:
        store_findings(examined, verdict)
        _keep_invariants(examined, verdict)
        # The check comes before trace and action in the order of `decisions.locking`.
        if examined.mode == CheckMode.SHADOW or routing.locks_conversation(examined.action.profile):
            return None
        return routing.lock_with_checks(examined.action_id)

    def settle_outcome(self, examined: Check) -> None:
        settle_action_of(examined)

    def on_finished(self, examined: Check, verdict: Verdict, stored: routing.LockedAction | None) -> None:
        # In the same transaction: the agent waits for this alone.
        settle_action_of(examined, locked=stored)
        # A name that is no detector's any more would be one nobody bounds.
        detector = examined.detector if examined.detector in detectors.DETECTORS else "unknown"
        result = _result_of(verdict)
        metrics.count_on_commit(metrics.VERDICTS.labels(detector, examined.mode, result))
        began = examined.started_at or timezone.now()
        seconds = (timezone.now() - began).total_seconds()
        transaction.on_commit(lambda: metrics.CHECK_SECONDS.labels(detector).observe(seconds), robust=True)


def _keep_invariants(examined: Check, verdict: Verdict) -> None:
    """Keep the conditions of the task for its next call, where this check has derived them."""
    trace, tool = examined.action.trace, examined.action.tool
    conditions = find_invariants(verdict.stages, tool) if examined.detector == Argus.name else ()
    if not conditions:
        return
    context = load.load_context(examined.action)
    if not context.invariants:
        invariants.store(trace, context, conditions)


def _result_of(verdict: Verdict) -> str:
    """The verdict as it is counted: `open` is what nothing speaks against and nothing establishes."""
    match verdict:
        case Aligned():
            return "established" if verdict.established else "open"
        case Misaligned():
            return "refuted"
    return "undetermined"


def _case_at_stated_time(action: Action) -> Case:
    """The call in its context, with the clock that its texts state where the agent itself named none."""
    case = load.load_case(action)
    if action.clock is not None:
        return case
    stated = clock_of(replace(case.context, now=None))
    moment = home_clock(stated.now, zone_of(case.context))
    if moment is None:
        return case
    # Where no text names a zone, a bare moment is read as the engine reads all of them.
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    # The first detector decides; another one that comes at the same moment reads the same texts.
    Action.objects.filter(pk=action.pk, clock=None).update(clock=moment, clock_source=stated.source or "")
    return replace(case, context=replace(case.context, now=moment))


def _stages_of_detector(action: Action, detector: Detector, judge: Judge, done: tuple[StageResult, ...]) -> Stages:
    """The detector's stages, without what rules decided that the workspace has suspended."""
    # Read here and not within: stages run where the database may not be asked.
    stages = detector.stages(_case_at_stated_time(action), judge, done)
    suspended = frozenset(action.profile.suspended_rules)
    return _without_suspended(suspended, stages) if suspended else stages


async def _without_suspended(suspended: frozenset[str], stages: Stages) -> Stages:
    async for stage in stages:
        yield suspend_rules(stage, suspended)


async def _undetermined_stages(reason: str, judge: Judge, done: tuple[StageResult, ...]) -> Stages:
    """In place of a detector's stages: one without an answer, so that a person looks."""
    yield StageResult("judge", undetermined=reason)


CHECKS = _Checks()
"""How a worker examines an action."""
