"""Run detectors on stored calls as a draft of the guard profile would, with rules alone, and keep what they say.

What is kept is a hint, in Redis, so that a long preview can be had in short requests: without it the work is done anew.
"""

import hashlib
import json
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias
from uuid import UUID

import redis

from reviews.judging import build, loop
from reviews.messaging import signals
from reviews.models import Action, GuardProfile
from reviews.profiles.options import detector_options
from reviews.provenance import detectors
from reviews.provenance.core.findings import Aligned, Verdict, conclude
from reviews.records import load, verdicts

Key: TypeAlias = tuple[UUID, str]
"""An action and the name of a detector."""
Word: TypeAlias = tuple[bool, str]
"""Whether it objects, and why."""

KEPT_SECONDS: Final = 3600
AT_ONCE: Final = 20
"""Runs in one request at most."""
SECONDS: Final = 0.5
"""No run is begun later than this in one request."""

_log = logging.getLogger(__name__)


def said(draft: GuardProfile, names: Iterable[str], actions: Sequence[Action]) -> Mapping[Key, Word]:
    """What is kept of earlier runs under such a draft; nothing while Redis is away."""
    found: dict[Key, Word] = {}
    fields = [str(action.pk) for action in actions]
    try:
        for name in names if fields else ():
            kept = signals.client().hmget(_shelf(draft, name), fields)
            found |= {(action.pk, name): _word(each) for action, each in zip(actions, kept, strict=True) if each}  # type: ignore[arg-type]  # not awaited
    except redis.RedisError as error:
        _log.warning("nothing kept of a preview: %s", type(error).__name__)
    return found


def run(draft: GuardProfile, wanted: Iterable[tuple[Action, str]]) -> dict[Key, Word]:
    """Run some of what is wanted, at least one, and keep what came out. For a draft that rules alone judge."""
    begun, heard = time.monotonic(), dict[Key, Word]()
    for action, name in wanted:
        heard[action.pk, name] = _run(draft, action, name)
        if len(heard) >= AT_ONCE or time.monotonic() - begun > SECONDS:
            break
    _keep(draft, heard)
    return heard


def _run(draft: GuardProfile, action: Action, name: str) -> Word:
    try:
        verdict = _verdict(draft, action, name)
    except Exception as error:  # noqa: BLE001 - a check that fails lets nothing pass, in a preview as for good
        _log.exception("a rehearsal of %s failed", name)
        return True, f"The check failed: {type(error).__name__}."
    return not isinstance(verdict, Aligned), verdicts.reason_of(verdict)


def _verdict(draft: GuardProfile, action: Action, name: str) -> Verdict:
    detector = detectors.build(name, detector_options(draft, name))
    stages = detector.stages(load.case_for(action), build.judge_for(draft))
    return conclude(tuple(loop.run_each(stages, tick=lambda: None, every=SECONDS)))


def _keep(draft: GuardProfile, heard: Mapping[Key, Word]) -> None:
    try:
        pipeline = signals.client().pipeline()
        for (action_id, name), word in heard.items():
            pipeline.hset(_shelf(draft, name), str(action_id), json.dumps(word))
            pipeline.expire(_shelf(draft, name), KEPT_SECONDS)
        pipeline.execute()
    except redis.RedisError as error:
        _log.warning("a preview could not be kept: %s", type(error).__name__)


def _shelf(draft: GuardProfile, name: str) -> str:
    """Where words are kept of one detector with these options on calls of this workspace."""
    options = detector_options(draft, name)
    settings = hashlib.sha256(f"{detectors.build(name, options).version} {options}".encode()).hexdigest()
    return f"pgr:preview:{draft.workspace_id}:{name}:{settings[:32]}"


def _word(kept: bytes) -> Word:
    objects, reason = json.loads(kept)
    return bool(objects), str(reason)
