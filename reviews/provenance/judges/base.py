"""The judge: whoever answers the questions that rules alone cannot settle."""

from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from reviews.provenance.relations import DecidedBy, Usage


class JudgeError(Exception):
    """Any trouble with the judge.

    JudgeError
    └── JudgeUnavailableError     worth another try later: unreachable, overloaded, timed out
    """


class JudgeUnavailableError(JudgeError):
    """The judge could not be reached or did not answer in time; the same question may succeed later."""


A_co = TypeVar("A_co", covariant=True)
A = TypeVar("A")


@dataclass(frozen=True)
class Answered(Generic[A_co]):
    """The judge's answer, which is a claim: quotes in it are verified by whoever asked."""

    answer: A_co
    decided_by: DecidedBy
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Unknown:
    """No answer: the rules have nothing to say, or a model's output did not fit the schema."""

    reason: str
    usage: Usage = field(default_factory=Usage)


class Question(Protocol[A_co]):
    """A typed question; `judges/questions.py` lists them all."""

    name: str

    @property
    def answer_type(self) -> type[A_co]:
        """The pydantic model an answer must fit."""
        ...


class Judge(Protocol):
    """Answers typed questions."""

    name: str

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """Answer, or say that there is none. Raises `JudgeUnavailableError` when trying again may help."""
        ...
