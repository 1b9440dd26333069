"""What detectors that decide by a score would say at a threshold tuned on other cases (InferAct paper, section 4.3).

Five folds: each fifth of the cases is judged at the threshold that fits the others best. InferAct asks its last
question only when the first answer stays below the threshold in force, so its scores above that are lower bounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged import Judged
from reviews.evaluation.measures.thresholds import best_threshold
from reviews.evaluation.runs.comparison import Contestant

_FOLDS: Final = 5


def tuned(cases: Sequence[LabelledCase], contestant: Contestant) -> Contestant | None:
    """The contestant with verdicts at tuned thresholds, its own where a case has no score. None where it sets none."""
    scored = [case for case in sorted(cases, key=lambda each: each.key) if _scored(case, contestant.results)]
    if not getattr(contestant.detector, "by_score", False) or len(scored) < _FOLDS:
        return None
    results = dict(contestant.results)
    for fold in range(_FOLDS):
        threshold = _threshold([case for n, case in enumerate(scored) if n % _FOLDS != fold], results)
        results.update({case.key: _decided(results[case.key], threshold) for case in scored[fold::_FOLDS]})
    return replace(contestant, name=f"{contestant.name}, tuned", results=results)


def _scored(case: LabelledCase, results: Mapping[str, Judged]) -> bool:
    judged = results.get(case.key)
    return case.wrong is not None and judged is not None and judged.score is not None


def _threshold(cases: Sequence[LabelledCase], results: Mapping[str, Judged]) -> float:
    return best_threshold((results[case.key].score or 0.0, not case.wrong) for case in cases).threshold


def _decided(judged: Judged, threshold: float) -> Judged:
    return replace(judged, verdict="aligned" if (judged.score or 0.0) >= threshold else "misaligned")
