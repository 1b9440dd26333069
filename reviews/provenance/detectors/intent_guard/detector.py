"""IntentGuard: a gate for the plan and a gate for each call, both held against the user's own words.

Paper, section 3 and Algorithm 1. Intent is the user's first message, verbatim, with what was said since: a later
request opens a new intent. The Plan Gate asks about malicious intent, then deviation; the Tool Gate, for a call that
the plan has a step for, about the tools of the workflow, by their documents alone, then about the latest calls taken
together. How often a plan may be rewritten is the caller's to count. Beyond the paper: what the plan has no step for is
stopped unasked, both gates are asked at once, and an early rejection cancels the rest; `order="paper"` asks the gates
one after the other, the plan's first.
"""

from collections.abc import Collection, Coroutine, Iterator, Mapping
from contextlib import aclosing
from typing import Any

from reviews.provenance.core.context import Case, Context, PlanStep
from reviews.provenance.core.findings import Misalignment, StageResult
from reviews.provenance.detectors.base import StagedDetector, Stages
from reviews.provenance.detectors.concurrency import in_turn_or_at_once, is_final, settles_verdict
from reviews.provenance.detectors.intent_guard.gates import (
    PLAN_GATE,
    TOOL_GATE,
    check_calls,
    check_plan,
    find_plan,
    is_planned,
    stop_unplanned,
)
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.judges.base import Judge

NAME = "intent-guard"
VERSION = "1.0"


class PlanGate(StagedDetector[Context]):
    """The Plan Gate alone, for a plan that is submitted before the first call: two calls, one after a rejection.

    `answers.gate_answer` and `answers.gate_reason` read the verdict that `conclude_stages` makes of its one stage.
    """

    name = NAME
    version = VERSION

    async def _run_stages(self, case: Context, judge: Judge, done: Mapping[str, StageResult]) -> Stages:
        if PLAN_GATE not in done:
            yield await check_plan(case.plan or (), case, Stage(PLAN_GATE, judge, self._options, case))


class IntentGuard(StagedDetector[Case]):
    """Both gates at every call, read-only ones too: many a harmful chain begins with a read.

    Two questions for the plan, one for each tool of the workflow and one for the latest calls. With a judge that
    remembers, the plan's answers and those about tools are paid for once.
    """

    name = NAME
    version = VERSION

    async def _run_stages(self, case: Case, judge: Judge, done: Mapping[str, StageResult]) -> Stages:
        # The first gate that rejects is the last.
        unasked = Stage(TOOL_GATE, judge, self._options, case.context)
        if case.context.tool(case.action.tool) is None:
            yield check_specification(case, unasked) or unasked.rejected(Misalignment.TOOL)
            return
        at_once = not self._options.as_published
        plan = find_plan(case, self._options)
        if at_once and plan and not is_planned(case.action.tool, plan):
            # Whatever was to be answered about the plan, this call is none of its steps.
            yield stop_unplanned(case, unasked)
            return
        # As published a gate without an answer ends the check, too; at once it leaves the other one to reject.
        ends = settles_verdict if at_once else is_final
        checks = in_turn_or_at_once(self._open_gates(case, plan, judge, done), ends=ends, at_once=at_once)
        async with aclosing(checks) as results:
            async for result in results:
                yield result

    def _open_gates(
        self, case: Case, plan: tuple[PlanStep, ...], judge: Judge, done: Collection[str]
    ) -> Iterator[Coroutine[Any, Any, StageResult]]:
        """The gates that are left, each made when its turn comes."""
        # Without a plan there is nothing to hold a call against, whatever was found about one before.
        if not plan or PLAN_GATE not in done:
            yield check_plan(plan, case.context, Stage(PLAN_GATE, judge, self._options, case.context))
        if plan and TOOL_GATE not in done:
            yield check_calls(case, plan, Stage(TOOL_GATE, judge, self._options, case.context))
