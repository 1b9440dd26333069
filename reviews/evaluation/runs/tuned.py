"""What detectors that decide by a score would say at a threshold tuned on other cases (InferAct paper, section 4.3).

Five folds: each fifth of the cases is judged at the threshold that fits the others best.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.thresholds import best_threshold
from reviews.evaluation.runs.comparison import Contestant

# Each threshold is fitted to four fifths of the cases: few enough folds for a sample of a dozen.
_FOLDS: Final = 5


def tuned(cases: Sequence[LabelledCase], contestant: Contestant) -> Contestant | None:
    """The contestant with verdicts at tuned thresholds, its own where a case has no score. None where it sets none."""
    # By key, so that the folds are the same in whatever order the cases come.
    ordered = sorted(cases, key=lambda case: case.key)
    judgements = [(case, contestant.results.get(case.key)) for case in ordered if case.wrong is not None]
    scored = [
        (judged, judged.score, not case.wrong) for case, judged in judgements if judged and judged.score is not None
    ]
    if not getattr(contestant.detector, "by_score", False) or len(scored) < _FOLDS:
        return None
    results = dict(contestant.results)
    for fold in range(_FOLDS):
        others = [(score, right) for n, (_, score, right) in enumerate(scored) if n % _FOLDS != fold]
        threshold = best_threshold(others).threshold
        for judged, score, _ in scored[fold::_FOLDS]:
            results[judged.key] = replace(judged, verdict="aligned" if score >= threshold else "misaligned")
    return replace(contestant, name=f"{contestant.name}, tuned", results=results)
