"""Judge changed cases beside their originals, a few at a time."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.measures.moved_verdicts import Moves
from reviews.evaluation.perturbations.base import Perturbation
from reviews.evaluation.runs.run_identity import identify_run
from reviews.evaluation.runs.runner import judge_case
from reviews.evaluation.scripted.choosing import JudgeByCase
from reviews.provenance.detectors import Detector
from reviews.provenance.judges.base import Judge

Original: TypeAlias = tuple[LabelledCase, Judged]
_NONE: Final[Mapping[str, Judged]] = {}


async def judge_perturbed(
    originals: Iterable[Original],
    perturbations: Sequence[Perturbation],
    detector: Detector,
    judge: Judge | JudgeByCase,
    *,
    concurrency: int = 1,
    earlier: Mapping[str, Judged] = _NONE,
    done: Callable[[Judged], None] = lambda _: None,
    advance: Callable[[], None] = lambda: None,
) -> Moves:
    """Judge every original changed in each way, and note which verdicts moved.

    Changed cases are made when their turn comes and forgotten behind it. `earlier` holds results by key of which those
    of this detector and judge are taken over; `done` is called with each new one, `advance` for each change tried.
    """
    moves, by = Moves([perturbation.name for perturbation in perturbations]), identify_run(detector, judge)

    async def judge_change(original: Original, perturbation: Perturbation) -> None:
        changed = perturbation.apply(original[0])
        advance()
        if changed is None:
            return
        judged = earlier.get(changed.key)
        if judged is None or judged.by != by or judged.error:
            # Nothing is told of single arguments: tracing them again would take as long as judging.
            judged = await judge_case(changed, detector, judge, traced=False, by=by)
            done(judged)
        if judged.error:
            moves.count_failure(perturbation.name, judged)
        else:
            after = (changed, judged)
            moves.count_moves(perturbation.name, original, after, perturbation.allowed, opens=perturbation.opens)

    pairs = ((original, perturbation) for original in originals for perturbation in perturbations)
    for batch in _batch_pairs(pairs, concurrency):
        await asyncio.gather(*(judge_change(*pair) for pair in batch))
    return moves


def _batch_pairs(
    pairs: Iterator[tuple[Original, Perturbation]], size: int
) -> Iterator[list[tuple[Original, Perturbation]]]:
    # In batches, and not all at once behind a semaphore: a task for each changed case would hold them all.
    while batch := list(islice(pairs, size)):
        yield batch
