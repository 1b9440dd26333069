"""Verdicts as the columns of an examination's row, and stored stages read back."""

import logging
from collections.abc import Iterable, Iterator
from typing import Any, assert_never

from pydantic import ValidationError

from reviews.models import MisalignmentType, VerdictLabel
from reviews.provenance.core.findings import (
    Aligned,
    Finding,
    Misaligned,
    StageResult,
    Undetermined,
    Verdict,
    stage_from_json,
    stage_to_json,
)
from reviews.provenance.core.pointers import name_of
from reviews.provenance.detectors.one_stage import STAGE

_log = logging.getLogger(__name__)


def row_of(verdict: Verdict) -> dict[str, Any]:
    """The verdict's fields by the names of their columns."""
    return {
        "verdict": VerdictLabel(verdict.label),
        "misalignment": MisalignmentType(verdict.type) if isinstance(verdict, Misaligned) else "",
        "reason": reason_of(verdict),
        "score": score_of(verdict),
        "stages": [stage_to_json(stage) for stage in verdict.stages],
        "usage": {
            "calls": verdict.usage.calls,
            "prompt_tokens": verdict.usage.prompt_tokens,
            "completion_tokens": verdict.usage.completion_tokens,
            "cost_usd": verdict.usage.cost_usd,
        },
        "seconds": verdict.seconds,
    }


def established(verdict: Verdict) -> bool:
    """Whether every relation that the method asks for holds: nothing was refuted and nothing was left unknown."""
    return isinstance(verdict, Aligned) and verdict.established


def first_unknown(verdict: Verdict) -> Finding | None:
    """The first relation that could not be established either way, as a rule the one that others depend on."""
    return next((finding for finding in verdict.findings if finding.holds is None), None)


def readable(stored: Iterable[Any]) -> Iterator[StageResult]:
    """The stored stages, without those that cannot be read, which are logged."""
    for stage in stored:
        try:
            yield stage_from_json(stage)
        except ValidationError:
            # It may be what made every attempt fail, and must not make the end fail too.
            _log.exception("a stored stage cannot be read")


def score_of(verdict: Verdict) -> float | None:
    """The score that a threshold was compared with, 0 to 1; None unless the call was judged as a whole by one score."""
    # Only that stage's: scores of the other stages are answers to single questions, which no threshold is tuned over.
    scores = [
        finding.score
        for stage in verdict.stages
        if stage.stage == STAGE
        for finding in stage.findings
        if finding.score is not None
    ]
    # With two it would be a guess which of them decided.
    return scores[0] if len(scores) == 1 else None


def reason_of(verdict: Verdict) -> str:
    """Why the verdict stops the action or leaves it open, in one line; empty where everything is established."""
    match verdict:
        case Undetermined():
            return verdict.reason
        case Misaligned():
            # The first finding that fails in the stage that gave the verdict its type: earlier stages may hold others
            # that did not decide.
            rejecting = (stage for stage in verdict.stages if stage.misalignment == verdict.type)
            findings = (finding for stage in rejecting for finding in stage.findings)
            failed = next((finding for finding in findings if finding.holds is False), None)
            if finding := failed or first_unknown(verdict):
                return _rationale(finding)
            if verdict.interpretations:
                return f"The request can be read in {len(verdict.interpretations)} ways."
            return f"Misaligned at the {verdict.type} level."
        case Aligned():
            unknown = first_unknown(verdict)
            if unknown is None:
                return ""
            return f"{unknown.relation} of {unknown.subject} could not be established: {unknown.rationale}"
        case _ as unreachable:
            assert_never(unreachable)


def _rationale(finding: Finding) -> str:
    """The finding's rationale, with the argument it is about: a row of the queue does not show the call."""
    if finding.subject.startswith("/"):
        return f"{name_of(finding.subject)}: {finding.rationale}"
    return finding.rationale
