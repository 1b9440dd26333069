"""Rules first, a model for the rest.

Reading is not for rules: what a request means is proven elsewhere (`proofs/`), or asked of a model. Whatever is not
clear is Unknown: what that means is the profile's choice.
"""

import asyncio
from typing import cast

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.core.findings import DecidedBy
from reviews.provenance.judges.base import A, Answered, Judge, Question, Reply, Unknown
from reviews.provenance.judges.questions.provenance_guard import Derivability, ParameterClass, ParameterClasses
from reviews.provenance.terms.derivability import DerivableParameters


class RulesJudge:
    """Decides derivability where names and types are clear; what they leave open has no class."""

    name = "rules"

    async def ask(self, question: Question[A]) -> Reply[A]:
        """Answer, or Unknown. Never raises, costs nothing."""
        untyped: object = question
        if isinstance(untyped, Derivability):
            classes = DerivableParameters.by_rule(untyped.tool)
            rows = [ParameterClass(path=path, derivable=classes.is_derivable(path)) for path in untyped.paths]
            return Answered(cast("A", ParameterClasses(parameters=rows)), DecidedBy.RULE)
        return Unknown("Rules cannot tell.")


class RulesFirst:
    """Asks a model only what the rules leave open."""

    def __init__(self, model: Judge, rules: Judge | None = None) -> None:
        self.model: Judge = model
        self.rules: Judge = rules or RulesJudge()
        # Both answer, so the verdict names both.
        self.name = f"{self.rules.name}+{self.model.name}"

    async def ask(self, question: Question[A]) -> Reply[A]:
        """The rules' answer where it is complete. Raises what the model raises."""
        by_rule: object = await self.rules.ask(question)
        untyped: object = question
        if isinstance(untyped, Derivability) and isinstance(by_rule, Answered):
            return cast("Reply[A]", await self._complete_classes(untyped.tool, by_rule.answer))
        return await self.model.ask(question)

    async def _complete_classes(self, tool: ToolDoc, by_rule: ParameterClasses) -> Reply[ParameterClasses]:
        classes = {row.path: row.derivable for row in by_rule.parameters}
        # Only the open ones are asked: the others cost tokens and might come back otherwise.
        open_paths = tuple(path for path, derivable in classes.items() if derivable is None)
        if not open_paths:
            return Answered(by_rule, DecidedBy.RULE)
        reply = await self.model.ask(Derivability(tool, open_paths))
        if isinstance(reply, Unknown):
            return reply
        classes |= {row.path: row.derivable for row in reply.answer.parameters if row.path in open_paths}
        merged = [ParameterClass(path=path, derivable=derivable) for path, derivable in classes.items()]
        return Answered(ParameterClasses(parameters=merged), reply.decided_by, reply.usage)


class Gate:
    """A judge whose questions wait until the gate is opened."""

    def __init__(self, judge: Judge) -> None:
        self.name = judge.name
        self._judge = judge
        self._opened = asyncio.Event()

    def open(self) -> None:
        """Let everything through from now on."""
        self._opened.set()

    async def ask(self, question: Question[A]) -> Reply[A]:
        """The judge's answer, once the gate is open. Raises what the judge raises."""
        await self._opened.wait()
        return await self._judge.ask(question)


def gate_model(judge: Judge) -> tuple[Judge, Gate]:
    """The judge with a gate in front of its model, and that gate: rules answer at once, only what costs waits."""
    match judge:
        case RulesFirst():
            gate = Gate(judge.model)
            return RulesFirst(gate, judge.rules), gate
        case RulesJudge():
            # Nothing here has to wait; the gate is there for the caller to open.
            return judge, Gate(judge)
        case _:
            # What is not known to be free is taken to cost something.
            gate = Gate(judge)
            return gate, gate
