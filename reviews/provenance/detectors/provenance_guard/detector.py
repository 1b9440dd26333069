"""ProvenanceGuard: three stages, each tracing one kind of justification; the first that fails rejects.

Relations and stages follow the paper (sections 4.2 and 4.3). Beyond it: ContributeTo is tested; what is proven needs no
model; a judge reads and code verifies its terms to the character; candidates are checked for admissibility and compared
with the proposal; and all questions that remain are asked at once. `order="paper"` leaves all of that out.

Of several stages that reject the lowest names the type, whatever the delays of the answers.
"""

import asyncio
import json
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import islice
from typing import Any, Final, TypeAlias

from reviews.provenance.core.context import Case, leaves
from reviews.provenance.core.findings import StageResult, Usage
from reviews.provenance.detectors.base import Options, Stages
from reviews.provenance.detectors.concurrency import as_ranked, ended_at_once, running_tasks
from reviews.provenance.detectors.provenance_guard.call_support import SharedSupport
from reviews.provenance.detectors.provenance_guard.interpretation import check_interpretation
from reviews.provenance.detectors.provenance_guard.parameter import check_parameters
from reviews.provenance.detectors.provenance_guard.published import (
    interpretation_as_published,
    parameters_as_published,
    tool_as_published,
)
from reviews.provenance.detectors.provenance_guard.subtask import reconstruct_subtask
from reviews.provenance.detectors.provenance_guard.tool import check_tool
from reviews.provenance.detectors.shared_grounding import Ground, SharedGround
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.judges.base import Judge
from reviews.provenance.judges.layered import gate_model
from reviews.provenance.judges.rules import RulesJudge

Run: TypeAlias = Callable[[str, Judge], Coroutine[Any, Any, StageResult]]
"""Runs the stage of this name with this judge."""

TOOL: Final = "tool"
PARAMETER: Final = "parameter"
INTERPRETATION: Final = "interpretation"
# The paper's order (4.3): each stage takes for granted what the one before established.
_STAGES: Final = (TOOL, PARAMETER, INTERPRETATION)

NAME = "provenance-guard"
VERSION = "4.5"
"""Changes with every change of behaviour, so that verdicts stay comparable."""


# Traced in some milliseconds (`tests/bench/test_grounding.py`); a change of threads takes one when cores are busy.
SHORT: Final = 5_000
"""Characters of a case that is traced at once."""
# What a fraction of a second traces. Nobody reads so many values, and a word on some would look like one on all.
MAX_VALUES: Final = 5_000
"""Values of one call that are traced: of more, none is."""
_TOO_MANY: Final = f"The call has more than {MAX_VALUES:,} values, and none of them was traced."


class ProvenanceGuard:
    """The default detector."""

    name = NAME
    version = VERSION

    def __init__(self, options: Options | None = None, *, ground: Ground | None = None) -> None:
        self._options = options or Options()
        self._ground = ground

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        """Yield `tool`, `parameter` and `interpretation` as they are settled, without those in `done`.

        The first that rejects, or lets the call pass unasked, is the last. Raises what the judge raises, after
        everything that could be settled without that answer.
        """
        if any(stage.final for stage in done):
            return
        finished = {stage.stage for stage in done}
        todo = tuple(name for name in _STAGES if name not in finished)
        planned = await reconstruct_subtask(todo[0], case, judge, self._options) if todo else None
        if isinstance(planned, StageResult):
            yield planned
        elif planned is not None:
            async with aclosing(self._stages_of(planned[0], judge, todo, spent=planned[1])) as results:
                async for result in results:
                    yield result

    async def _stages_of(self, case: Case, judge: Judge, todo: Sequence[str], *, spent: Usage) -> Stages:
        """The stages that are left; the first of them carries what was spent before."""
        ground = self._ground or SharedGround(case)
        support = SharedSupport(case, ground)
        started = time.perf_counter()

        async def run(name: str, judge: Judge) -> StageResult:
            stage = Stage(name, judge, self._options, case.context)
            result = await self._run_check(name, case, stage, ground, support)
            return replace(result, seconds=time.perf_counter() - started)

        in_order = self._options.order == "paper"
        running_stages = _one_by_one(todo, run, judge) if in_order else self._at_once(todo, run, case, judge, ground)
        # Closed at once with this generator, not when the garbage collector comes by.
        async with aclosing(running_stages) as results:
            async for result in results:
                yield replace(result, usage=result.usage + spent)
                spent = Usage()

    async def _at_once(self, todo: Sequence[str], run: Run, case: Case, judge: Judge, ground: Ground) -> Stages:
        # A tool that nobody documented, or that only reads, needs no further look.
        unasked = check_specification(case, Stage(TOOL, judge, self._options, case.context)) if TOOL in todo else None
        if unasked is not None:
            yield unasked
            return
        if _has_too_many_values(case):
            yield Stage(PARAMETER, judge, self._options, case.context).undetermined(_TOO_MANY)
            return
        # Reading a long history takes a while, and the loop belongs to all checks of this process.
        if _is_short(case):
            ground(case)
        else:
            await asyncio.to_thread(ground, case)
        behind_gate, gate = gate_model(judge)
        unsettled, spent = set(todo), dict.fromkeys(todo, Usage())
        async with running_tasks(run(name, behind_gate) for name in todo) as tasks:
            # No question leaves while a rule may still make it useless.
            by_rule = await ended_at_once(tasks, ends=_settles_verdict)
            if not by_rule:
                gate.open()
                async for result in as_ranked(tasks, ends=_settles_verdict):
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
        for result in sorted(results, key=lambda result: not _settles_verdict(result)):
            yield replace(result, usage=result.usage + spent[result.stage])

    async def _run_check(
        self, name: str, case: Case, stage: Stage, ground: Ground, support: SharedSupport
    ) -> StageResult:
        as_published = self._options.order == "paper"
        if name == TOOL:
            return await (tool_as_published(case, stage) if as_published else check_tool(case, stage, ground, support))
        if name == PARAMETER:
            return await (
                parameters_as_published(case, stage) if as_published else check_parameters(case, stage, ground, support)
            )
        return await (
            interpretation_as_published(case, stage) if as_published else check_interpretation(case, stage, ground)
        )


async def _one_by_one(todo: Sequence[str], run: Run, judge: Judge) -> Stages:
    """As published: a stage is begun only when the one before has passed."""
    for name in todo:
        result = await run(name, judge)
        yield result
        if result.final:
            return


def _settles_verdict(stage: StageResult) -> bool:
    """Whether nothing that the others may find could change the verdict: a missing answer does not end it."""
    return stage.passed or stage.misalignment is not None


def _has_too_many_values(case: Case) -> bool:
    return next(islice(leaves(dict(case.action.arguments)), MAX_VALUES, None), None) is not None


def _is_short(case: Case) -> bool:
    # Whatever it repeats or nests, JSON of so many characters has no more leaves than that.
    characters = sum(len(source.text) for source in case.context.sources.values())
    return characters + len(json.dumps(dict(case.action.arguments))) <= SHORT
