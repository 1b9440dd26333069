"""One detector over many cases."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.judges.choosing import JudgeByCase
from reviews.evaluation.measures.judged import Judged, Traced
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Misaligned
from reviews.provenance.detectors import Detector, verdict_of
from reviews.provenance.grounding import Grounded, ground_arguments
from reviews.provenance.judges import RulesFirst, RulesJudge
from reviews.provenance.judges.base import Answered, Judge, JudgeError, Question, Unknown

A = TypeVar("A")
_SHOWN = 120
"""Characters of a value that a result keeps."""


async def run(
    cases: Iterable[LabelledCase],
    detector: Detector,
    judge: Judge | JudgeByCase,
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
            judged = await _judged(case, detector, judge.of(case) if isinstance(judge, JudgeByCase) else judge, by)
        results[case.key] = judged
        done(judged)

    await asyncio.gather(*(follow(case) for case in cases if case.key not in results))
    return results


async def _judged(labelled: LabelledCase, detector: Detector, judge: Judge, by: str) -> Judged:
    counted, model = _counted(judge)
    started = time.perf_counter()
    try:
        verdict = await verdict_of(detector, labelled.case, counted)
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
        unreadable=model.unreadable,
    )


class _Counting:
    """A model, and how many of its answers nobody could read: verdicts hide them, each in its own way."""

    def __init__(self, model: Judge) -> None:
        self._model = model
        self.unreadable = 0

    @property
    def name(self) -> str:
        return self._model.name

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        reply = await self._model.ask(question)
        self.unreadable += isinstance(reply, Unknown) and reply.unparsable and not reply.unasked
        return reply


def _counted(judge: Judge) -> tuple[Judge, _Counting]:
    """The same judge with its model counted. Rules stay rules: detectors let them answer before a model is asked."""
    model = _Counting(judge.model if isinstance(judge, RulesFirst) else judge)
    match judge:
        case RulesFirst():
            return RulesFirst(model, judge.rules), model
        case RulesJudge():
            return judge, model
        case _:
            return model, model


def _traced(case: Case) -> tuple[Traced, ...]:
    return tuple(map(_trace, ground_arguments(case)))


def _trace(leaf: Grounded) -> Traced:
    return Traced(leaf.pointer, str(leaf.value)[:_SHOWN], leaf.how, leaf.note, tuple(sorted(leaf.kinds)), leaf.open)
