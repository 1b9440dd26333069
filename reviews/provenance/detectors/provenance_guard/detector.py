"""ProvenanceGuard: three stages, each tracing one kind of justification; the first that fails rejects.

Relations and stages follow the paper (sections 4.2 and 4.3). Beyond it: ContributeTo is tested, rules answer before
any model is asked, evidence is verified to the character, candidates are checked for admissibility, and all questions
that remain are asked at once. `order="paper"` leaves all of that out.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.base import Options, Stages
from reviews.provenance.detectors.concurrency import as_settled, ended_at_once, running
from reviews.provenance.detectors.provenance_guard.interpretation import check_interpretation
from reviews.provenance.detectors.provenance_guard.parameter import check_parameters
from reviews.provenance.detectors.provenance_guard.published import interpretation_as_published, parameters_as_published
from reviews.provenance.detectors.shared_grounding import Ground, SharedGround
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_tool, specified
from reviews.provenance.judges.base import Judge
from reviews.provenance.judges.layered import gated
from reviews.provenance.judges.rules import RulesJudge

Check = Callable[[Case, Stage], Coroutine[Any, Any, StageResult]]

NAME = "provenance-guard"
VERSION = "2.0"
"""Changes with every change of behaviour, so that verdicts stay comparable."""


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
        ground = self._ground or SharedGround(case)
        todo = {name: check for name, check in self._checks(ground).items() if name not in finished}
        one_by_one = self._options.order == "paper"
        run = self._one_by_one(case, judge, todo) if one_by_one else self._at_once(case, judge, todo, ground)
        # Closed at once with this generator, not when the garbage collector comes by.
        async with aclosing(run) as settled:
            async for stage in settled:
                yield stage

    async def _one_by_one(self, case: Case, judge: Judge, todo: dict[str, Check]) -> Stages:
        started = time.perf_counter()
        for name, check in todo.items():
            result = await _timed(check, case, Stage(name, judge, self._options, case.context), started)
            yield result
            if result.final:
                return

    async def _at_once(self, case: Case, judge: Judge, todo: dict[str, Check], ground: Ground) -> Stages:
        # A tool that nobody documented, or that only reads, needs no further look.
        settled = specified(case, Stage("tool", judge, self._options, case.context)) if "tool" in todo else None
        if settled is not None:
            yield settled
            return
        started = time.perf_counter()
        # Reading a long history takes a while, and the loop belongs to all checks of this process.
        await asyncio.to_thread(ground, case)
        behind, gate = gated(judge)
        settled_names = set()
        checks = (
            _timed(check, case, Stage(name, behind, self._options, case.context), started)
            for name, check in todo.items()
        )
        async with running(checks) as tasks:
            # No question leaves while a rule may still make it useless.
            if not await ended_at_once(tasks, ends=_ends):
                gate.open()
            async for result in as_settled(tasks, ends=_ends):
                settled_names.add(result.stage)
                yield result
        # What rules alone can tell of the rest costs nothing and helps the person who looks.
        for name in (each for each in todo if each not in settled_names):
            yield await _timed(todo[name], case, Stage(name, RulesJudge(), self._options, case.context), started)

    def _checks(self, ground: Ground) -> dict[str, Check]:
        if self._options.order == "paper":
            return {
                "tool": check_tool,
                "parameter": parameters_as_published,
                "interpretation": interpretation_as_published,
            }
        return {
            "tool": check_tool,
            "parameter": lambda case, stage: check_parameters(case, stage, ground),
            "interpretation": lambda case, stage: check_interpretation(case, stage, ground),
        }


def _ends(stage: StageResult) -> bool:
    """Whether nothing that the others may find could change the verdict: a missing answer does not end it."""
    return stage.passed or stage.misalignment is not None


async def _timed(check: Check, case: Case, stage: Stage, started: float) -> StageResult:
    result = await check(case, stage)
    return replace(result, seconds=time.perf_counter() - started)
