"""One detector over many cases."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.scripted.choosing import JudgeByCase
from reviews.evaluation.measures.judged import Judged, Traced
from reviews.provenance.core.findings import Misaligned
from reviews.provenance.detectors import Detector, verdict_of
from reviews.provenance.grounding import ground_arguments
from reviews.provenance.judges import RulesFirst, RulesJudge
from reviews.provenance.judges.base import Answered, Judge, JudgeError, Question, Unknown

A = TypeVar("A")
# Characters of a value that a result keeps: enough to recognise it, and a body of a mail is not stored twice.
_LONGEST_VALUE: Final = 120


async def run(
    cases: Iterable[LabelledCase],
    detector: Detector,
    judge: Judge | JudgeByCase,
    *,
    concurrency: int = 1,
    earlier: Mapping[str, Judged] | None = None,
    done: Callable[[Judged], None] = lambda _: None,
) -> Mapping[str, Judged]:
    """Judge every case that this detector and judge have not judged in an earlier run, `concurrency` at a time.

    `done` is called after each case. Returns the results by the case's key, the earlier ones of this detector and
    judge among them. A case whose judge fails has a result with the error, and a later run judges it again.
    """
    by = f"{detector.name} {detector.version}, {judge.name}"
    results = {key: judged for key, judged in (earlier or {}).items() if judged.by == by and not judged.error}
    slots = asyncio.Semaphore(concurrency)

    async def follow(case: LabelledCase) -> None:
        async with slots:
            judged = await _judged(case, detector, judge.of(case) if isinstance(judge, JudgeByCase) else judge, by)
        results[case.key] = judged
        done(judged)

    await asyncio.gather(*(follow(case) for case in cases if case.key not in results))
    return results


async def _judged(labelled: LabelledCase, detector: Detector, judge: Judge, by: str) -> Judged:
    """The detector's verdict on one case, or why there is none."""
    counting, counter = _counted(judge)
    started = time.perf_counter()
    try:
        verdict = await verdict_of(detector, labelled.case, counting)
    except JudgeError as error:
        return Judged(labelled.key, labelled.id, labelled.label, by, error=str(error) or type(error).__name__)
    # Taken before the values are traced again: that belongs to the report, not to the verdict.
    seconds = time.perf_counter() - started
    traced = (
        Traced(
            leaf.pointer, str(leaf.value)[:_LONGEST_VALUE], leaf.how, leaf.note, tuple(sorted(leaf.kinds)), leaf.open
        )
        for leaf in ground_arguments(labelled.case)
    )
    return Judged(
        key=labelled.key,
        id=labelled.id,
        label=labelled.label,
        by=by,
        verdict=verdict.label,
        type=verdict.type if isinstance(verdict, Misaligned) else None,
        findings=verdict.findings,
        traced=tuple(traced),
        usage=verdict.usage,
        seconds=seconds,
        unreadable=counter.unreadable,
    )


class _Counter:
    """A model, and how many of its answers nobody could read: verdicts hide them, each in its own way."""

    def __init__(self, model: Judge) -> None:
        self._model = model
        self.unreadable = 0

    @property
    def name(self) -> str:
        return self._model.name

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        reply = await self._model.ask(question)
        # A model that was not asked, for want of a budget, has written nothing unreadable.
        self.unreadable += isinstance(reply, Unknown) and reply.unparsable and not reply.unasked
        return reply


def _counted(judge: Judge) -> tuple[Judge, _Counter]:
    """The same judge with its model counted. Rules stay rules: detectors let them answer before a model is asked."""
    counter = _Counter(judge.model if isinstance(judge, RulesFirst) else judge)
    match judge:
        case RulesFirst():
            return RulesFirst(counter, judge.rules), counter
        case RulesJudge():
            return judge, counter
        case _:
            return counter, counter
