"""One detector over many cases."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.results import Judged, Traced
from reviews.provenance.context import Case
from reviews.provenance.detectors import Detector, verdict_of
from reviews.provenance.grounding import Grounded, ground_arguments
from reviews.provenance.judges.base import Judge, JudgeError
from reviews.provenance.relations import Misaligned

_SHOWN = 120
"""Characters of a value that a result keeps."""


async def run(
    cases: Iterable[LabelledCase],
    detector: Detector,
    judge: Judge,
    *,
    concurrency: int = 1,
    known: Mapping[str, Judged] | None = None,
    done: Callable[[Judged], None] = lambda _: None,
) -> Mapping[str, Judged]:
    """Judge every case that this detector and judge have not judged yet, `concurrency` at a time.

    `done` is called after each. A case whose judge fails has a result with the error, and is judged again when a later
    run knows only that.
    """
    by = f"{detector.name} {detector.version}, {judge.name}"
    results = {key: each for key, each in (known or {}).items() if each.by == by and not each.error}
    slots = asyncio.Semaphore(concurrency)

    async def follow(case: LabelledCase) -> None:
        async with slots:
            judged = await _judged(case, detector, judge, by)
        results[case.key] = judged
        done(judged)

    await asyncio.gather(*(follow(case) for case in cases if case.key not in results))
    return results


async def _judged(labelled: LabelledCase, detector: Detector, judge: Judge, by: str) -> Judged:
    started = time.perf_counter()
    try:
        verdict = await verdict_of(detector, labelled.case, judge)
    except JudgeError as error:
        return Judged(labelled.key, labelled.id, labelled.label, by, error=str(error) or type(error).__name__)
    seconds = time.perf_counter() - started
    return Judged(
        key=labelled.key,
        id=labelled.id,
        label=labelled.label,
        by=by,
        verdict=verdict.label,
        type=verdict.type if isinstance(verdict, Misaligned) else None,
        findings=verdict.findings,
        traced=_traced(labelled.case),
        usage=verdict.usage,
        seconds=seconds,
    )


def _traced(case: Case) -> tuple[Traced, ...]:
    return tuple(map(_trace, ground_arguments(case)))


def _trace(leaf: Grounded) -> Traced:
    return Traced(leaf.pointer, str(leaf.value)[:_SHOWN], leaf.how, leaf.note, tuple(sorted(leaf.kinds)))
