"""What detectors that decide by a score would say at a threshold tuned on other cases (InferAct paper, section 4.3).

The cases that a threshold is tuned on are a split of their own: none of them counts in a table. The paper's has 50
(appendix D).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.measures.thresholds import best_threshold
from reviews.evaluation.mutants.making import conversation_of
from reviews.evaluation.runs.contestants import Contestant

DEVELOPMENT_CASES: Final = 50
"""As published."""
# With fewer scores a threshold says more about the few than about the method.
MIN_SCORES: Final = 5


def development_cases(
    traces: Sequence[LabelledTrace], drawn: Sequence[LabelledCase], size: int = DEVELOPMENT_CASES
) -> list[LabelledCase]:
    """The first labelled cases by their keys' order that share no conversation with those drawn for the table.

    Neither do mutants: they are the very calls of the table with another value.
    """
    keys = {case.key for case in drawn}
    drawn_conversations = {conversation_of(trace) for trace in traces if any(case.key in keys for case in trace.cases)}
    undrawn = (trace for trace in traces if conversation_of(trace) not in drawn_conversations)
    labelled = (case for trace in undrawn for case in trace.cases if case.wrong is not None)
    return sorted(labelled, key=lambda case: case.key)[:size]


def tune_contestant(development: Sequence[LabelledCase], contestant: Contestant) -> Contestant | None:
    """The contestant with its verdicts at the threshold that fits the development cases best, which its name tells.

    One threshold for all of its runs, on the scores of all. A case without a score keeps its verdict. None where the
    detector uses no threshold or there are too few scores.
    """
    judgements = [(case, run.results.get(case.key)) for run in contestant.runs for case in development]
    scores = [
        (judged.score, not case.wrong)
        for case, judged in judgements
        if judged and not judged.error and judged.score is not None
    ]
    if not is_tunable(contestant) or len(scores) < MIN_SCORES:
        return None
    threshold = best_threshold(scores).threshold
    name = f"{contestant.name}, tuned to {threshold:.3g} on {len(scores)}"
    first, *repeats = (replace(run, results=_hold_against(threshold, run.results)) for run in contestant.runs)
    return replace(first, name=name, repeats=tuple(repeats))


def _hold_against(threshold: float, results: Mapping[str, Judged]) -> dict[str, Judged]:
    """The verdicts as the scores have them at this threshold."""
    return {
        key: judged
        if judged.score is None or judged.error
        else replace(judged, verdict="aligned" if judged.score >= threshold else "misaligned")
        for key, judged in results.items()
    }


def is_tunable(contestant: Contestant) -> bool:
    """Whether it decides by a score that is held against a threshold."""
    return bool(getattr(contestant.detector, "by_score", False))
