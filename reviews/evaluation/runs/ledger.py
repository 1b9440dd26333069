"""A ledger of a check's questions: who answered each, and what it cost."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from reviews.provenance.core.findings import Usage
from reviews.provenance.judges import Answered, Judge, Question, RulesJudge, Unknown

A = TypeVar("A")

NOBODY: Final = "nobody"
"""Who answered a question that was taken back, or to which there was no answer."""


@dataclass
class Tally:
    """All questions of one name."""

    answered: Counter[str] = field(default_factory=Counter)
    """How many of them each judge answered, by its name."""
    usage: Usage = field(default_factory=Usage)


class Ledger:
    """Every question that judges were asked who write down here, in the order in which they were first asked."""

    def __init__(self) -> None:
        # With the question, which must not make way for another at its address.
        self._entries: dict[int, tuple[Question[Any], str, Usage]] = {}

    def begin_question(self, question: Question[Any]) -> None:
        """Write down that the question is under way."""
        # One that a judge left open comes again: its first place and what it cost stay.
        self._entries.setdefault(id(question), (question, NOBODY, Usage()))

    def end_question(self, question: Question[Any], judge: str, reply: Answered[Any] | Unknown) -> None:
        """Write down what came of it. A question that one judge leaves open another may answer."""
        _, _, spent = self._entries.get(id(question), (question, NOBODY, Usage()))
        by = judge if isinstance(reply, Answered) else NOBODY
        self._entries[id(question)] = (question, by, spent + reply.usage)

    @property
    def by_question(self) -> Mapping[str, Tally]:
        """The questions by name."""
        tallies: dict[str, Tally] = {}
        for question, by, usage in self._entries.values():
            tally = tallies.setdefault(question.name, Tally())
            tally.answered[by] += 1
            tally.usage += usage
        return tallies


class Listening:
    """A judge whose answers are written down."""

    def __init__(self, judge: Judge, ledger: Ledger) -> None:
        self._judge = judge
        self._ledger = ledger

    @property
    def name(self) -> str:
        """The judge's."""
        return self._judge.name

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """The judge's answer. Raises what the judge raises."""
        # Before the judge is asked: a question that is taken back never ends.
        self._ledger.begin_question(question)
        reply = await self._judge.ask(question)
        self._ledger.end_question(question, self.name, reply)
        return reply


class ListeningRules(RulesJudge):
    """The rules, written down. Still rules: detectors let these answer before anything that costs is asked."""

    def __init__(self, ledger: Ledger) -> None:
        self._listening = Listening(RulesJudge(), ledger)

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """What the rules say."""
        return await self._listening.ask(question)
