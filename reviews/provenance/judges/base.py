"""The judge: whoever answers the questions that rules alone cannot decide."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from reviews.provenance.core.findings import DecidedBy, Usage
from reviews.provenance.prompts.prompt import Material


class JudgeError(Exception):
    """Any trouble with the judge.

    JudgeError
    ├── JudgeUnavailableError     worth another try later: unreachable, overloaded, timed out
    └── JudgeMisconfiguredError   no use trying again: wrong key, wrong model, wrong address
    """


class JudgeUnavailableError(JudgeError):
    """The judge could not be reached or did not answer in time; the same question may succeed later."""


class JudgeMisconfiguredError(JudgeError):
    """The judge refuses every question until someone changes its configuration."""


A_co = TypeVar("A_co", covariant=True)
A = TypeVar("A")


@dataclass(frozen=True)
class Answered(Generic[A_co]):
    """The judge's answer, which is a claim: the detector that put the question verifies the quotes in it."""

    answer: A_co
    decided_by: DecidedBy
    usage: Usage = field(default_factory=Usage)
    probability: float | None = None
    """P(true) of the answer's decisive field, 0 to 1; None where the endpoint reports no probabilities."""


@dataclass(frozen=True)
class Unknown:
    """No answer: the rules have nothing to say, or a model's output did not fit the schema."""

    reason: str
    usage: Usage = field(default_factory=Usage)
    unparsable: bool = False
    """A model was needed and gave no answer: its output does not fit, or the budget does not allow to ask it.

    A person looks, whatever the profile says about unknowns.
    """
    unasked: bool = False
    """The model that was needed was not asked at all, so that nothing follows from its silence."""

    @property
    def decided_by(self) -> DecidedBy:
        """Who gave no answer: the judge where a call was paid for, else the rules."""
        return DecidedBy.JUDGE if self.usage.calls else DecidedBy.RULE


Reply: TypeAlias = Answered[A] | Unknown
"""What comes of a question."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """One draw of several: the judge may answer the same question otherwise each time."""

    temperature: float
    number: int
    """From 1. Another number is another draw: no cache may give the answer of one for the other."""


class Question(ABC, Generic[A_co]):
    """A typed question. `judges.questions` has them, a module for each published method.

    Its name, and that of its prompt's file, is the name of its class: `FinalCorrectness` asks `final_correctness`.
    """

    name: ClassVar[str]
    _answer_type: ClassVar[Any] = None

    def __init_subclass__(cls, *, answer: type[object] | None = None) -> None:
        super().__init_subclass__()
        cls.name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        cls._answer_type = answer or cls._answer_type

    @property
    def answer_type(self) -> type[A_co]:
        """The pydantic model an answer must fit."""
        answer_type: type[A_co] = self._answer_type
        return answer_type

    @property
    @abstractmethod
    def material(self) -> Material:
        """Everything a judge may read for this question, and nothing else. `context`, if any, stands first."""

    @property
    def occasion(self) -> str:
        """Questions of one occasion share a nonce, and so the beginning of their prompts; empty: none is shared."""
        return ""

    @property
    def sampling(self) -> Sampling | None:
        """How the answer is drawn; None: once, at the temperature the judge is set to."""
        return None


class Judge(Protocol):
    """Answers typed questions."""

    @property
    def name(self) -> str:
        """Recorded with each verdict."""

    async def ask(self, question: Question[A]) -> Reply[A]:
        """Answer, or say that there is none.

        Raises `JudgeUnavailableError` when trying again may help and `JudgeMisconfiguredError` when it cannot.
        """
