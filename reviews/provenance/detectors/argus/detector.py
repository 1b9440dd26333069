"""ARGUS: audits a call against the influence of untrusted text; benign text alone must justify it.

Four checks, all of which must pass: the segmenter labels what is anomalous in every observation, the grounder traces
each value to benign text, conditions derived from the request must hold, and benign evidence must entail the call.
`reviews.provenance.influence` has the graph of who contributed to what.

Beyond the publication: rules label and trace before any model is asked, and the last three checks run at once, as the
conditions are derived while observations are read. `order="paper"` goes one by one, and rules neither label nor trace:
the model does, and a span counts where it stands in benign text.

Its authors state two weak points. A forged carrier, a document that is false throughout, holds no anomalous text and
passes for evidence: that it is genuine is assumed. Messages of other agents are the weakest line under an attacker who
knows the method. Here a grave call needs better support than either (`weak_support`), but for `order="paper"`.
"""

import asyncio
import time
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, TypeAlias

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.argus.arguments import GROUND, Traced, check_arguments, trace_twice
from reviews.provenance.detectors.argus.entailment import ENTAILMENT, check_entailment
from reviews.provenance.detectors.argus.invariants import INVARIANTS, check_invariants
from reviews.provenance.detectors.argus.published import arguments_as_published
from reviews.provenance.detectors.argus.segments import SEGMENT, LabelledCase, labelled_before, segment_sources
from reviews.provenance.detectors.base import Options, Stages
from reviews.provenance.detectors.concurrency import as_ranked, as_settled, ended_at_once, running_tasks
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.judges.base import Answered, Judge, Unknown
from reviews.provenance.judges.layered import gate_model
from reviews.provenance.judges.questions.argus import Invariants, TaskInvariants
from reviews.provenance.judges.rules import RulesJudge

_Derivations: TypeAlias = "Sequence[asyncio.Task[Answered[TaskInvariants] | Unknown]]"
"""The question for the task's conditions, under way; empty when it was not asked ahead."""

NAME = "argus"
VERSION = "1.0"
# The publication's order, which `order="paper"` keeps.
_CHECKS = (GROUND, INVARIANTS, ENTAILMENT)


class Argus:
    """One question for each observation, once in its life, then three to five for the call."""

    name = NAME
    version = VERSION

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        """Yield `segment`, then `ground`, `invariants` and `entailment` as they are settled, without those in `done`.

        The first that rejects ends it; what rules know of the values may follow. What only reads passes, and what
        nobody documented is rejected, without a call. Raises what the judge raises, after everything that could be
        settled without that answer.
        """
        if any(stage.final for stage in done):
            return
        unasked = check_specification(case, Stage(SEGMENT, judge, self._options, case.context))
        if unasked is not None:
            yield unasked
            return
        audit = _Audit(case, judge, self._options, {stage.stage: stage for stage in done})
        run = audit.one_by_one() if self._options.order == "paper" else audit.at_once()
        # Closed at once with this generator, not when the garbage collector comes by.
        async with aclosing(run) as settled:
            async for stage in settled:
                yield stage


class _Audit:
    """One call under audit."""

    def __init__(self, case: Case, judge: Judge, options: Options, done: Mapping[str, StageResult]) -> None:
        self._case = case
        self._judge = judge
        self._options = options
        self._segmentation = done.get(SEGMENT)
        self._todo = tuple(name for name in _CHECKS if name not in done)
        self._started = time.perf_counter()

    async def one_by_one(self) -> Stages:
        """As published."""
        labelled, segmentation = await self._segment_sources()
        if segmentation:
            yield segmentation
            if segmentation.final:
                return
        for name in self._todo:
            result = await self._run_check(name, labelled, None, self._judge)
            yield result
            if result.final:
                return

    async def at_once(self) -> Stages:
        """The conditions while observations are read, then everything else together."""
        # They follow from the request alone, so nothing has to be read first.
        derivation = self._derive_conditions(self._judge) if INVARIANTS in self._todo else None
        deriving = [derivation] if derivation else []
        async with running_tasks(deriving) as derivations:
            labelled, segmentation = await self._segment_sources()
            if segmentation:
                yield segmentation
            traced = await asyncio.to_thread(trace_twice, labelled)
            todo = () if segmentation and segmentation.final else self._todo
            async with aclosing(self._check_together(todo, labelled, traced, derivations)) as results:
                async for result in results:
                    yield result

    async def _check_together(
        self, todo: Sequence[str], labelled: LabelledCase, traced: Traced, derivations: _Derivations
    ) -> Stages:
        behind_gate, gate = gate_model(self._judge)
        unsettled = set(self._todo)
        async with running_tasks(
            self._run_check(name, labelled, traced, behind_gate, derivations) for name in todo
        ) as tasks:
            # No question leaves while a rule may still make it useless.
            ended_by_rule = await ended_at_once(tasks, ends=_settles_verdict)
            if not ended_by_rule:
                gate.open()
            # Where text is anomalous the first check may find a wrong parameter and the others an injection, which
            # names the type whatever the delays: the first is held back for them. Else all find the same.
            if labelled.anomalies and not ended_by_rule:
                results = as_ranked(tasks[::-1], ends=_settles_verdict)
            else:
                results = as_settled(tasks, ends=_settles_verdict)
            async for result in results:
                unsettled.discard(result.stage)
                yield result
        # What rules can tell of the values costs nothing and helps the person who looks.
        if GROUND in unsettled:
            yield await self._run_check(GROUND, labelled, traced, RulesJudge())

    async def _segment_sources(self) -> tuple[LabelledCase, StageResult | None]:
        """The labels, and the stage that made them unless it was done before and need not be stored again."""
        labelled = labelled_before(self._case, self._segmentation) if self._segmentation else None
        if labelled is not None:
            return labelled, None
        stage = Stage(SEGMENT, self._judge, self._options, self._case.context)
        # Recorded once more, because this stage's findings are the ones that are stored.
        check_specification(self._case, stage)
        labelled = await segment_sources(self._case, stage)
        result = self._with_seconds(stage.labelled())
        return labelled, result if result.final or not self._segmentation else None

    async def _run_check(
        self, name: str, labelled: LabelledCase, traced: Traced | None, judge: Judge, derivations: _Derivations = ()
    ) -> StageResult:
        """The check of this name; `traced` is what rules trace, None as published."""
        stage = Stage(name, judge, self._options, self._case.context)
        if name == GROUND and traced is None:
            result = await arguments_as_published(labelled, stage)
        elif name == GROUND and traced is not None:
            result = await check_arguments(labelled, traced, stage)
        elif name == INVARIANTS:
            derivation = next(iter(derivations), None) or self._derive_conditions(judge)
            result = await check_invariants(labelled, stage, derivation)
        else:
            result = await check_entailment(labelled, stage)
        return self._with_seconds(result)

    def _derive_conditions(self, judge: Judge) -> Coroutine[Any, Any, Answered[TaskInvariants] | Unknown] | None:
        """The question for the task's conditions; None where they were derived before."""
        context = self._case.context
        return None if context.invariants else judge.ask(Invariants(context))

    def _with_seconds(self, result: StageResult) -> StageResult:
        return replace(result, seconds=time.perf_counter() - self._started)


def _settles_verdict(stage: StageResult) -> bool:
    """Whether nothing that the others may find could change the verdict: a missing answer does not end it."""
    return stage.misalignment is not None
