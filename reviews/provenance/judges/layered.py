"""Rules first, a model for the rest, and the gate a model's questions may have to wait at."""

import asyncio
from typing import TypeVar, cast

from reviews.provenance.core.findings import DecidedBy
from reviews.provenance.judges.base import Answered, Judge, Question, Unknown
from reviews.provenance.judges.questions.provenance_guard import Derivability, ParameterClass, ParameterClasses
from reviews.provenance.judges.rules import RulesJudge

A = TypeVar("A")


class RulesFirst:
    """Asks a model only what the rules leave open."""

    def __init__(self, model: Judge, rules: Judge | None = None) -> None:
        self.model: Judge = model
        self.rules: Judge = rules or RulesJudge()

    @property
    def name(self) -> str:
        """Both names, the rules' first."""
        return f"{self.rules.name}+{self.model.name}"

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """The rules' answer where it is complete. Raises what the model raises."""
        by_rule = await self.rules.ask(question)
        if isinstance(by_rule, Unknown):
            return await self.model.ask(question)
        asked: object = question
        if isinstance(asked, Derivability) and isinstance(by_rule.answer, ParameterClasses):
            return cast("Answered[A] | Unknown", await self._completed(asked, by_rule.answer))
        return by_rule

    async def _completed(
        self, question: Derivability, by_rule: ParameterClasses
    ) -> Answered[ParameterClasses] | Unknown:
        """The model's word on the parameters the rules left open; theirs on the others."""
        open_paths = tuple(each.path for each in by_rule.parameters if each.derivable is None)
        if not open_paths:
            return Answered(by_rule, DecidedBy.RULE)
        answer = await self.model.ask(Derivability(question.tool, open_paths))
        if isinstance(answer, Unknown):
            return answer
        said = {each.path: each.derivable for each in answer.answer.parameters}
        merged = [
            ParameterClass(path=each.path, derivable=said.get(each.path) if each.derivable is None else each.derivable)
            for each in by_rule.parameters
        ]
        return Answered(ParameterClasses(parameters=merged), answer.decided_by, answer.usage)


class Gate:
    """A judge whose questions wait until the gate is opened."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._opened = asyncio.Event()

    @property
    def name(self) -> str:
        """The judge's."""
        return self._judge.name

    def open(self) -> None:
        """Let everything through from now on."""
        self._opened.set()

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """The judge's answer, once the gate is open. Raises what the judge raises."""
        await self._opened.wait()
        return await self._judge.ask(question)


def gated(judge: Judge) -> tuple[Judge, Gate]:
    """The judge with a gate in front of what costs something: rules answer at once, only a model has to wait."""
    match judge:
        case RulesFirst():
            gate = Gate(judge.model)
            return RulesFirst(gate, judge.rules), gate
        case RulesJudge():
            return judge, Gate(judge)
        case _:
            gate = Gate(judge)
            return gate, gate
