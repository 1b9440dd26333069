"""Run detectors on stored calls as a draft of the guard profile would, with rules alone, and keep the results.

Results are kept in Redis, so that a long preview can be made by several short requests. Without Redis each request
starts anew.
"""

import hashlib
import json
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

import redis
from django.conf import settings

from reviews.messaging import signals
from reviews.models import Action, GuardProfile
from reviews.profiles.options import detector_options, rate_sources
from reviews.provenance import detectors
from reviews.provenance.core.reasons import reason_of
from reviews.provenance.core.verdicts import Aligned, conclude_stages
from reviews.provenance.doubts.suspended_rule import suspend_rules
from reviews.records import load
from reviews.scheduling import killable_checks
from reviews.scheduling.killable_pool import StoppedError, shared_pool

ResultKey: TypeAlias = tuple[UUID, str]
"""An action's id and the name of a detector."""


class DryRunResult(NamedTuple):
    """What one detector made of one call."""

    objects: bool
    established: bool
    reason: str


# An hour: an administrator who comes back to a draft still finds its results.
KEPT_SECONDS: Final = 3600
# Together these bound a request to about a second, after which the page shows how far the preview is. The time alone
# would not do: a page that reports progress too rarely looks stuck, and a slow machine must still finish some runs.
MAX_RUNS: Final = 20
"""Runs in one request at most."""
MAX_SECONDS: Final = 0.5
"""No run is begun later than this in one request."""

_log = logging.getLogger(__name__)


def load_results(
    draft: GuardProfile, names: Iterable[str], actions: Sequence[Action]
) -> Mapping[ResultKey, DryRunResult]:
    """The results of earlier runs under such a draft; none while Redis is away."""
    results: dict[ResultKey, DryRunResult] = {}
    fields = [str(action.pk) for action in actions]
    try:
        # One request to Redis for each detector, whatever the number of calls. None without a call: Redis refuses an
        # empty list of fields.
        for name in names if fields else ():
            stored = signals.redis_client().hmget(_redis_key(draft, name), fields)
            for action, result in zip(actions, stored, strict=True):
                if result:
                    objects, established, reason = json.loads(result)
                    results[action.pk, name] = DryRunResult(bool(objects), bool(established), str(reason))
    except redis.RedisError as error:
        _log.warning("nothing kept of a preview: %s", type(error).__name__)
    return results


def run_missing(draft: GuardProfile, missing: Iterable[tuple[Action, str]]) -> dict[ResultKey, DryRunResult]:
    """Run some of what is missing, at least one, and keep the results. For a draft that rules alone judge."""
    begun, results = time.monotonic(), dict[ResultKey, DryRunResult]()
    for action, name in missing:
        results[action.pk, name] = _run_detector(draft, action, name)
        # Looked at behind a run, so that every request brings the preview further however slow the machine is.
        if len(results) >= MAX_RUNS or time.monotonic() - begun > MAX_SECONDS:
            break
    try:
        pipeline = signals.redis_client().pipeline()
        for (action_id, name), result in results.items():
            pipeline.hset(_redis_key(draft, name), str(action_id), json.dumps(result))
            pipeline.expire(_redis_key(draft, name), KEPT_SECONDS)
        pipeline.execute()
    except redis.RedisError as error:
        _log.warning("a preview could not be kept: %s", type(error).__name__)
    return results


def _run_detector(draft: GuardProfile, action: Action, name: str) -> DryRunResult:
    guard = settings.GUARD
    try:
        # In another process, because a call that takes minutes would keep this one, which serves pages, busy.
        pool = shared_pool(guard.check_megabytes)
        options = detector_options(draft, name)
        case = rate_sources(draft, load.load_case(action))
        verdict = pool.run_within(guard.edit_seconds, killable_checks.verdict_by_rules, name, options, case)
    except StoppedError as error:
        return DryRunResult(objects=True, established=False, reason=f"The call {error}.")
    except Exception as error:  # noqa: BLE001 - a check that fails lets nothing pass, in a preview as for good
        _log.exception("a dry run of %s failed", name)
        return DryRunResult(objects=True, established=False, reason=f"The check failed: {type(error).__name__}.")
    # As a check would: what a suspended rule decides is open.
    suspended = frozenset(draft.suspended_rules)
    verdict = conclude_stages(tuple(suspend_rules(stage, suspended) for stage in verdict.stages))
    return DryRunResult(
        objects=not isinstance(verdict, Aligned),
        established=verdict.established,
        reason=reason_of(verdict),
    )


def _redis_key(draft: GuardProfile, name: str) -> str:
    """The key of the hash with one detector's results, by call, under this draft's options, ratings and suspensions."""
    options = detector_options(draft, name)
    # The options in the key, so that changing the draft cannot show a result that was found under another one.
    settled = json.dumps([draft.source_trust, sorted(draft.suspended_rules)], sort_keys=True)
    version = detectors.build(name, options).version
    digest = hashlib.sha256(f"{version} {options} {settled}".encode()).hexdigest()
    return f"pgr:dry-run:{draft.workspace_id}:{name}:{digest[:32]}"
