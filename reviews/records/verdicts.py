"""A verdict as the row of its examination keeps it."""

import logging
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from reviews.models import MisalignmentType, VerdictLabel
from reviews.provenance.core import findings as relations
from reviews.provenance.core.findings import (
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


def readable(stored: Iterable[Any]) -> Iterator[StageResult]:
    """Stored stages, but for those that cannot be read (any more)."""
    for each in stored:
        try:
            yield stage_from_json(each)
        except ValidationError:
            # It may be what made every attempt fail, and must not make the end fail too.
            _log.exception("a stored stage cannot be read")


def score_of(verdict: Verdict) -> float | None:
    """The score a threshold was held against, 0 to 1, where a detector judges the call as a whole by one; else None."""
    scores = [
        finding.score
        for stage in verdict.stages
        if stage.stage == STAGE
        for finding in stage.findings
        if finding.score is not None
    ]
    return scores[0] if len(scores) == 1 else None


def reason_of(verdict: Verdict) -> str:
    """Why it stopped, in one line; empty for an aligned action."""
    match verdict:
        case Undetermined():
            return verdict.reason
        case Misaligned():
            rejecting = (stage for stage in verdict.stages if stage.misalignment == verdict.type)
            findings = (finding for stage in rejecting for finding in stage.findings)
            failed = next((finding for finding in findings if finding.holds is False), None)
            return _named(failed) if failed else _competing(verdict)
        case _:
            return ""


def _competing(verdict: Misaligned) -> str:
    unsure = [_named(finding) for finding in verdict.findings if finding.holds is None]
    if verdict.interpretations and not unsure:
        return f"The request can be read in {len(verdict.interpretations)} ways."
    return unsure[0] if unsure else f"Misaligned at the {verdict.type} level."


def _named(finding: relations.Finding) -> str:
    """The rationale, with the argument it speaks of: a row of the queue shows no call."""
    pointed = finding.subject.startswith("/")
    return f"{name_of(finding.subject)}: {finding.rationale}" if pointed else finding.rationale
