"""ProvenanceGuard: three stages, each tracing one kind of justification; the first that fails rejects.

Relations and stages follow the paper (sections 4.2 and 4.3). Beyond it: ContributeTo is tested; what is proven needs no
model; a judge reads and code verifies its terms to the character; candidates are checked for admissibility and compared
with the proposal; and all questions that remain are asked at once. `order="paper"` leaves all of that out.

Of several stages that reject the lowest names the type, whatever the delays of the answers.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from reviews.provenance.core.context import Case, leaves
from reviews.provenance.core.findings import StageResult, Usage
from reviews.provenance.detectors.base import StagedDetector, Stages
from reviews.provenance.detectors.concurrency import (
    as_settled,
    in_turn_or_at_once,
    is_final,
    running_gated,
    settles_verdict,
)
from reviews.provenance.detectors.provenance_guard.interpretation import check_interpretation
from reviews.provenance.detectors.provenance_guard.parameter import check_parameters
from reviews.provenance.detectors.provenance_guard.published import (
    interpretation_as_published,
    parameters_as_published,
    tool_as_published,
)
from reviews.provenance.detectors.provenance_guard.shared_call import SharedCall
from reviews.provenance.detectors.provenance_guard.tool import check_tool
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.judges.base import Judge, Unknown
from reviews.provenance.judges.questions.provenance_guard import Subtask
from reviews.provenance.judges.rules_judge import RulesJudge

Check: TypeAlias = Callable[[SharedCall, Stage], Coroutine[Any, Any, StageResult]]
Run: TypeAlias = Callable[[str, Judge], Coroutine[Any, Any, StageResult]]

TOOL: Final = "tool"
PARAMETER: Final = "parameter"
INTERPRETATION: Final = "interpretation"
# The paper's order (4.3): each stage takes for granted what the one before established.
_CHECKS: Final[Mapping[str, Check]] = MappingProxyType(
    {TOOL: check_tool, PARAMETER: check_parameters, INTERPRETATION: check_interpretation}
)
_PUBLISHED: Final[Mapping[str, Check]] = MappingProxyType(
    {TOOL: tool_as_published, PARAMETER: parameters_as_published, INTERPRETATION: interpretation_as_published}
)

# Values of one call that are traced, in a fraction of a second: of more none is. Nobody reads so many, and a word on
# some would look like one on all.
MAX_VALUES: Final = 5_000
_TOO_MANY: Final = f"The call has more than {MAX_VALUES:,} values, and none of them was traced."
# Characters of a step: one sentence. The model's words become part of later questions, so they are bounded.
_MAX_SUBTASK: Final = 400


class ProvenanceGuard(StagedDetector[Case]):
    """The default detector."""

    name = "provenance-guard"
    version = "5.21"

    async def _run_stages(self, case: Case, judge: Judge, done: Mapping[str, StageResult]) -> Stages:
        # The first that rejects, or lets the call pass unasked, is the last. What the judge raises comes after all that
        # could be settled without that answer.
        todo = tuple(name for name in _CHECKS if name not in done)
        if not todo:
            return
        planned = await self._with_subtask(case, Stage(todo[0], judge, self._options, case.context))
        if isinstance(planned, StageResult):
            yield planned
            return
        case, spent = planned
        call, checks = SharedCall(case), _PUBLISHED if self._options.as_published else _CHECKS

        async def run(name: str, judge: Judge) -> StageResult:
            return await checks[name](call, Stage(name, judge, self._options, case.context))

        if self._options.as_published:
            # A stage is begun only when the one before has passed.
            in_turn = (run(name, judge) for name in todo)
            running_stages = in_turn_or_at_once(in_turn, ends=is_final, at_once=False)
        else:
            running_stages = self._at_once(todo, run, call, judge)
        async with aclosing(running_stages) as results:
            async for result in results:
                # The first stage carries what was spent before.
                yield replace(result, usage=result.usage + spent)
                spent = Usage()

    async def _with_subtask(self, case: Case, stage: Stage) -> tuple[Case, Usage] | StageResult:
        """The case with the step that the call serves, and what it cost to ask for it; else why that was no use.

        Paper, 5.1.3: plan reconstruction. Without it the whole request poses as the step, and every question about the
        step is another one than the paper's.
        """
        # A call that is settled without a judge needs no step.
        if not stage.options.reconstruct_subtasks or case.action.subtask or check_specification(case, stage):
            return case, Usage()
        reply = await stage.ask(Subtask(case))
        if not isinstance(reply, Unknown):
            subtask = " ".join(reply.answer.subtask.split())[:_MAX_SUBTASK]
            return replace(case, action=replace(case.action, subtask=subtask)), reply.usage
        if reply.unparsable:
            return stage.undetermined(f"Which step the call serves could not be told: {reply.reason}")
        return case, Usage()

    async def _at_once(self, todo: Sequence[str], run: Run, call: SharedCall, judge: Judge) -> Stages:
        case = call.case
        # A tool that nobody documented, or that only reads, needs no further look.
        unasked = check_specification(case, Stage(TOOL, judge, self._options, case.context)) if TOOL in todo else None
        if unasked is not None:
            yield unasked
            return
        if next(islice(leaves(dict(case.action.arguments)), MAX_VALUES, None), None) is not None:
            yield Stage(PARAMETER, judge, self._options, case.context).undetermined(_TOO_MANY)
            return
        # Reading a long history takes a while, and the loop belongs to all checks of this process.
        await asyncio.to_thread(lambda: call.grounded)
        unsettled, spent = set(todo), dict.fromkeys(todo, Usage())
        async with running_gated(lambda gated: (run(name, gated) for name in todo), judge) as (tasks, by_rule):
            if not by_rule:
                async for result in as_settled(tasks, ends=settles_verdict, ranked=True):
                    unsettled.discard(result.stage)
                    yield result
            finished = {task.result().stage: task.result() for task in tasks if task.done() and not task.exception()}
        # What rules alone can tell of the rest costs nothing and helps the person who looks. A model's rejection that a
        # lower stage overtook is dropped, because with another delay it would not have come; what it cost is not.
        results = [
            finished[name] if by_rule and name in finished else await run(name, RulesJudge())
            for name in todo
            if name in unsettled
        ]
        spent |= {name: result.usage for name, result in finished.items() if not by_rule}
        # A rejection goes first: whoever resumes a check takes the last stage's word for final.
        for result in sorted(results, key=lambda result: not settles_verdict(result)):
            yield replace(result, usage=result.usage + spent[result.stage])
