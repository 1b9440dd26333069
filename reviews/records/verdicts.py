"""Verdicts as the columns of an examination's row, and stored stages read back."""

import logging
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from reviews.models import Action, CheckMode, Finding, MisalignmentType, VerdictLabel
from reviews.provenance.core.findings import StageResult, stage_from_json, stage_to_json
from reviews.provenance.core.reasons import reason_of
from reviews.provenance.core.verdicts import Misaligned, Verdict
from reviews.provenance.detectors.one_stage import STAGE

_log = logging.getLogger(__name__)


def is_injected(action: Action) -> bool:
    """Whether a check found that an order in data gave the call a value."""
    injected = Finding.objects.filter(holds=False, untrusted_only=True)
    return injected.filter(check_run__action=action, check_run__mode=CheckMode.ENFORCED).exists()


def is_refuted(action: Action) -> bool:
    """Whether a check whose word counts found the call wrong."""
    return action.checks.enforced().filter(verdict=VerdictLabel.MISALIGNED).exists()


def verdict_columns(verdict: Verdict) -> dict[str, Any]:
    """The verdict's fields by the names of their columns."""
    return {
        "verdict": VerdictLabel(verdict.label),
        "misalignment": MisalignmentType(verdict.type) if isinstance(verdict, Misaligned) else "",
        "reason": reason_of(verdict),
        "score": threshold_score(verdict),
        "stages": [stage_to_json(stage) for stage in verdict.stages],
        "usage": {
            "calls": verdict.usage.calls,
            "prompt_tokens": verdict.usage.prompt_tokens,
            "completion_tokens": verdict.usage.completion_tokens,
            "cost_usd": verdict.usage.cost_usd,
        },
        "seconds": verdict.seconds,
    }


def read_stages(stored: Iterable[Any]) -> Iterator[StageResult]:
    """The stored stages, without those that cannot be read, which are logged."""
    for stage in stored:
        try:
            yield stage_from_json(stage)
        except ValidationError:
            # It may be what made every attempt fail, and must not make the end fail too.
            _log.exception("a stored stage cannot be read")


def threshold_score(verdict: Verdict) -> float | None:
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
