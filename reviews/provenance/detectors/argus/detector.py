"""ARGUS: audits a call against the influence of untrusted text; benign text alone must justify it.

Four checks, all of which must pass: the segmenter labels what is anomalous in every observation, the grounder traces
each value to benign text, conditions derived from the request must hold, and benign evidence must entail the call.

Beyond the publication: rules label and trace before any model is asked, and the last three checks run at once, as the
conditions are derived while observations are read. `order="paper"` goes one by one, and rules neither label nor trace:
the model does, and a span counts where it stands in benign text.

Its authors state two weak points. A forged carrier, a document that is false throughout, holds no anomalous text and
passes for evidence: that it is genuine is assumed. Messages of other agents are the weakest line under an attacker who
knows the method. Here a grave call needs better support than either (`untrusted_support`), but for `order="paper"`.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import aclosing
from typing import Any, TypeAlias

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.argus.arguments import (
    GROUND,
    Traced,
    arguments_as_published,
    check_arguments,
    trace_twice,
)
from reviews.provenance.detectors.argus.entailment import ENTAILMENT, check_entailment
from reviews.provenance.detectors.argus.invariants import INVARIANTS, check_invariants
from reviews.provenance.detectors.argus.segments import SEGMENT, LabelledCase, labelled_before, segment_sources
from reviews.provenance.detectors.base import StagedDetector, Stages
from reviews.provenance.detectors.concurrency import (
    as_settled,
    in_turn_or_at_once,
    is_final,
    running_gated,
    running_tasks,
    settles_verdict,
)
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.judges.base import Judge, Reply
from reviews.provenance.judges.questions.argus import Invariants, TaskInvariants
from reviews.provenance.judges.rules_judge import RulesJudge

_Derivations: TypeAlias = "Sequence[asyncio.Task[Reply[TaskInvariants]]]"
"""The question for the task's conditions, under way; empty when it was not asked ahead."""

# The publication's order, which `order="paper"` keeps.
_CHECKS = (GROUND, INVARIANTS, ENTAILMENT)


class Argus(StagedDetector[Case]):
    """One question for each observation, once in its life, then four to six for the call."""

    name = "argus"
    version = "1.0"

    async def _run_stages(self, case: Case, judge: Judge, done: Mapping[str, StageResult]) -> Stages:
        # The first that rejects ends it; what rules know of the values may follow. What the judge raises comes after
        # everything that could be settled without that answer.
        unasked = check_specification(case, Stage(SEGMENT, judge, self._options, case.context))
        if unasked is not None:
            yield unasked
            return
        run = self._one_by_one if self._options.as_published else self._at_once
        async with aclosing(run(case, judge, done)) as settled:
            async for stage in settled:
                yield stage

    async def _one_by_one(self, case: Case, judge: Judge, done: Mapping[str, StageResult]) -> Stages:
        """As published."""
        labelled, segmentation = await self._segment_sources(case, judge, done.get(SEGMENT))
        if segmentation:
            yield segmentation
            if segmentation.final:
                return
        checks = (self._run_check(name, labelled, None, judge) for name in _CHECKS if name not in done)
        async for result in in_turn_or_at_once(checks, ends=is_final, at_once=False):
            yield result

    async def _at_once(self, case: Case, judge: Judge, done: Mapping[str, StageResult]) -> Stages:
        """The conditions while observations are read, then everything else together."""
        unsettled = {name for name in _CHECKS if name not in done}
        # They follow from the request alone, so nothing has to be read first.
        derivation = _derive_conditions(case, judge) if INVARIANTS in unsettled else None
        async with running_tasks([derivation] if derivation else []) as derivations:
            labelled, segmentation = await self._segment_sources(case, judge, done.get(SEGMENT))
            if segmentation:
                yield segmentation
            traced = await asyncio.to_thread(trace_twice, labelled)
            todo = [name for name in _CHECKS if name in unsettled and not (segmentation and segmentation.final)]
            async with running_gated(
                lambda gated: (self._run_check(name, labelled, traced, gated, derivations) for name in todo), judge
            ) as (tasks, by_rule):
                # Where text is anomalous the first check may find a wrong parameter and the others an injection, which
                # names the type whatever the delays: the first is held back for them. Else all find the same.
                ranked = bool(labelled.anomalies) and not by_rule
                in_order = tasks[::-1] if ranked else tasks
                async for result in as_settled(in_order, ends=settles_verdict, ranked=ranked):
                    unsettled.discard(result.stage)
                    yield result
            # What rules can tell of the values costs nothing and helps the person who looks.
            if GROUND in unsettled:
                yield await self._run_check(GROUND, labelled, traced, RulesJudge())

    async def _segment_sources(
        self, case: Case, judge: Judge, before: StageResult | None
    ) -> tuple[LabelledCase, StageResult | None]:
        """The labels, and the stage that made them unless it was done before and need not be stored again."""
        labelled = labelled_before(case, before) if before else None
        if labelled is not None:
            return labelled, None
        stage = Stage(SEGMENT, judge, self._options, case.context)
        # Recorded once more, because this stage's findings are the ones that are stored.
        check_specification(case, stage)
        labelled = await segment_sources(case, stage)
        result = stage.labelled()
        return labelled, result if result.final or not before else None

    async def _run_check(
        self, name: str, labelled: LabelledCase, traced: Traced | None, judge: Judge, derivations: _Derivations = ()
    ) -> StageResult:
        """The check of this name; `traced` is what rules trace, None as published."""
        stage = Stage(name, judge, self._options, labelled.case.context)
        if name == ENTAILMENT:
            return await check_entailment(labelled, stage)
        if name == INVARIANTS:
            derivation = next(iter(derivations), None) or _derive_conditions(labelled.case, judge)
            return await check_invariants(labelled, stage, derivation)
        return await (check_arguments(labelled, traced, stage) if traced else arguments_as_published(labelled, stage))


def _derive_conditions(case: Case, judge: Judge) -> Coroutine[Any, Any, Reply[TaskInvariants]] | None:
    """The question for the task's conditions; None where they were derived before."""
    return None if case.context.invariants else judge.ask(Invariants(case.context))
