"""IntentGuard: a gate for the plan and a gate for each call, both held against the user's own words.

Paper, section 3 and Algorithm 1. Intent is the user's first message, verbatim, with what was said since: a later
request opens a new intent. The Plan Gate asks about malicious intent, then deviation; the Tool Gate, for a call that
the plan has a step for, about the tools of the workflow, by their documents alone, then about the latest calls taken
together. How often a plan may be rewritten is the caller's to count. Beyond the paper: what the plan has no step for is
stopped unasked, both gates are asked at once, and an early rejection cancels the rest; `order="paper"` asks the gates
one after the other, the plan's first.
"""

import time
from collections.abc import Coroutine, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from reviews.provenance.core.context import Case, Context, PlanStep
from reviews.provenance.core.findings import Misalignment, StageResult
from reviews.provenance.detectors.base import Options, Stages
from reviews.provenance.detectors.concurrency import in_turn_or_at_once
from reviews.provenance.detectors.intent_guard.plan_gate import PLAN_GATE, check_plan, find_plan, is_planned
from reviews.provenance.detectors.intent_guard.tool_gate import TOOL_GATE, check_calls, stop_unplanned
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.judges.base import Judge

NAME = "intent-guard"
VERSION = "1.0"


class PlanGate:
    """The Plan Gate alone, for a plan that is submitted before the first call: two calls, one after a rejection."""

    name = NAME
    version = VERSION

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()

    async def stages(self, context: Context, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        """Yield the one stage `plan` about `context.plan`, unless it is done. Raises what the judge raises.

        `answers.gate_answer` and `answers.gate_reason` read the verdict that `conclude_stages` makes of it.
        """
        if done:
            return
        stage = Stage(PLAN_GATE, judge, self._options, context)
        yield await _run_timed(check_plan(context.plan or (), context, stage), time.perf_counter())


class IntentGuard:
    """Both gates at every call, read-only ones too: many a harmful chain begins with a read.

    Two questions for the plan, one for each tool of the workflow and one for the latest calls. With a judge that
    remembers, the plan's answers and those about tools are paid for once.
    """

    name = NAME
    version = VERSION

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        """Yield `plan` and `tool` as they are settled, without those in `done`; the first that rejects is the last.

        An undocumented tool is rejected, one that no step of the plan uses sent back, and a missing plan left to a
        person, without a question. Raises what the judge raises.
        """
        if any(stage.final for stage in done):
            return
        if case.context.tool(case.action.tool) is None:
            stage = Stage(TOOL_GATE, judge, self._options, case.context)
            yield check_specification(case, stage) or stage.rejected(Misalignment.TOOL)
            return
        at_once = self._options.order != "paper"
        plan = find_plan(case, self._options)
        if at_once and plan and not is_planned(case.action.tool, plan):
            # Whatever was to be answered about the plan, this call is none of its steps.
            yield stop_unplanned(case, Stage(TOOL_GATE, judge, self._options, case.context))
            return
        checks = self._open_gates(case, plan, judge, {stage.stage for stage in done})
        ends = _has_rejected if at_once else _is_final
        # Closed at once with this generator, not when the garbage collector comes by.
        async with aclosing(in_turn_or_at_once(checks, ends=ends, at_once=at_once)) as results:
            async for result in results:
                yield result

    def _open_gates(
        self, case: Case, plan: tuple[PlanStep, ...], judge: Judge, finished: set[str]
    ) -> Iterator[Coroutine[Any, Any, StageResult]]:
        """The gates that are left, each made when its turn comes.

        Without a plan there is nothing to hold a call against, whatever was found about one before.
        """
        started = time.perf_counter()
        if not plan or PLAN_GATE not in finished:
            stage = Stage(PLAN_GATE, judge, self._options, case.context)
            yield _run_timed(check_plan(plan, case.context, stage), started)
        if plan and TOOL_GATE not in finished:
            stage = Stage(TOOL_GATE, judge, self._options, case.context)
            yield _run_timed(check_calls(case, plan, stage), started)


def _is_final(stage: StageResult) -> bool:
    """As published, a gate without an answer ends the check too."""
    return stage.final


def _has_rejected(stage: StageResult) -> bool:
    """Whether nothing that the other gate may find could change the verdict: a missing answer does not end it."""
    return stage.misalignment is not None


async def _run_timed(check: Coroutine[Any, Any, StageResult], started: float) -> StageResult:
    result = await check
    return replace(result, seconds=time.perf_counter() - started)
