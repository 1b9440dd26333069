"""One detector over many cases."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeVar

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged_case import Judged, Rejection, Traced
from reviews.evaluation.runs.run_identity import identify_run
from reviews.evaluation.scripted.choosing import JudgeByCase
from reviews.provenance.argument_grounding import ground_arguments
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Usage
from reviews.provenance.core.verdicts import Misaligned, Verdict
from reviews.provenance.detectors import Detector, verdict_of
from reviews.provenance.judges import RulesFirst, RulesJudge
from reviews.provenance.judges.base import Answered, Judge, JudgeError, Question, Unknown

A = TypeVar("A")
# Characters of a value that a result keeps: enough to recognise it, and a body of a mail is not stored twice.
_MAX_VALUE_LENGTH: Final = 120


async def run_detector(
    cases: Iterable[LabelledCase],
    detector: Detector,
    judge: Judge | JudgeByCase,
    *,
    concurrency: int = 1,
    variant: str = "",
    earlier: Mapping[str, Judged] | None = None,
    done: Callable[[Judged], None] = lambda _: None,
) -> Mapping[str, Judged]:
    """Judge every case that this detector and judge have not judged in an earlier run, `concurrency` at a time.

    `done` is called after each case. Returns the results by the case's key, the earlier ones of this detector and
    judge among them. A case whose judge fails has a result with the error, and a later run judges it again.
    """
    by = identify_run(detector, judge, variant=variant)
    results = {key: judged for key, judged in (earlier or {}).items() if judged.by == by and not judged.error}
    slots = asyncio.Semaphore(concurrency)

    async def judge_in_slot(case: LabelledCase) -> None:
        async with slots:
            judged = await judge_case(case, detector, judge, by=by)
        results[case.key] = judged
        done(judged)

    await asyncio.gather(*(judge_in_slot(case) for case in cases if case.key not in results))
    return results


async def judge_case(
    labelled: LabelledCase,
    detector: Detector,
    judge: Judge | JudgeByCase,
    *,
    traced: bool = True,
    by: str | None = None,
) -> Judged:
    """The detector's verdict on one case, or why there is none.

    `traced`: with each argument as the rules alone trace it, which reports on single arguments need. `by` names
    detector and judge in the result; left out, it is `identify_run`'s.
    """
    by = identify_run(detector, judge) if by is None else by
    counting, counter = _count_unreadable(judge.judge_for(labelled) if isinstance(judge, JudgeByCase) else judge)
    started = time.perf_counter()
    try:
        verdict = await verdict_of(detector, labelled.case, counting)
    except JudgeError as error:
        why = str(error) or type(error).__name__
        # Answers before the one that failed were paid for, and count against a budget.
        return Judged(labelled.key, labelled.id, labelled.label, by, usage=counter.usage, error=why)
    # Taken before the values are traced again: that belongs to the report, not to the verdict.
    seconds = time.perf_counter() - started
    return Judged(
        key=labelled.key,
        id=labelled.id,
        label=labelled.label,
        by=by,
        verdict=verdict.label,
        type=verdict.type if isinstance(verdict, Misaligned) else None,
        findings=verdict.findings,
        rejections=tuple(_list_rejections(verdict)),
        traced=tuple(_trace_arguments(labelled.case)) if traced else (),
        usage=verdict.usage,
        seconds=seconds,
        unreadable=counter.unreadable,
    )


def _list_rejections(verdict: Verdict) -> Iterator[Rejection]:
    """The stages that reject, with the places of what fails in them among the verdict's findings."""
    before = 0
    for stage in verdict.stages:
        if stage.misalignment is not None:
            failing = (place for place, finding in enumerate(stage.findings, before) if finding.holds is False)
            yield Rejection(stage.stage, tuple(failing))
        before += len(stage.findings)


def _trace_arguments(case: Case) -> Iterator[Traced]:
    for leaf in ground_arguments(case):
        value = str(leaf.value)[:_MAX_VALUE_LENGTH]
        yield Traced(leaf.pointer, value, leaf.how, leaf.note, tuple(sorted(leaf.kinds)), leaf.holds is None)


class _Counter:
    """A model, what it cost, and how many of its answers nobody could read.

    Verdicts hide unreadable ones, each in its own way, and of what failed half-way there is no verdict that knows the
    cost.
    """

    def __init__(self, model: Judge) -> None:
        self._model = model
        self.unreadable = 0
        self.usage = Usage()

    @property
    def name(self) -> str:
        return self._model.name

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        reply = await self._model.ask(question)
        self.usage += reply.usage
        # A model that was not asked, for want of a budget, has written nothing unreadable.
        self.unreadable += isinstance(reply, Unknown) and reply.unparsable and not reply.unasked
        return reply


def _count_unreadable(judge: Judge) -> tuple[Judge, _Counter]:
    """The same judge with its model counted. Rules stay rules: detectors let them answer before a model is asked."""
    counter = _Counter(judge.model if isinstance(judge, RulesFirst) else judge)
    match judge:
        case RulesFirst():
            return RulesFirst(counter, judge.rules), counter
        case RulesJudge():
            return judge, counter
        case _:
            return counter, counter
