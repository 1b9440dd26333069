"""The questions of ARGUS: what in a text steers, what the request allows, and what benign evidence alone justifies."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, create_model

from reviews.provenance.core.context import SourceKind, Span
from reviews.provenance.judges.questions.provenance_guard import (
    AboutCase,
    AboutContext,
    Answer,
    AskedOnce,
    Held,
    request_of,
)
from reviews.provenance.prompts.material import Block, Material

MOST_INVARIANTS = 3
"""Conditions that are made of one request; of more the first."""
_LONGEST = 300
"""Characters of a condition."""
_MOST_PASSAGES = 20


def _some(invariants: list[str]) -> list[str]:
    told = [_line(each) for each in invariants if _line(each)]
    if not told:
        raise ValueError("no condition is named")
    return told[:MOST_INVARIANTS]


def _line(text: str) -> str:
    return " ".join(text.replace("\0", " ").split())[:_LONGEST]


class Segments(Answer):
    """The parts of a text that steer its reader."""

    quotes: list[str]
    rationale: str


class TaskInvariants(Answer):
    """The conditions of a task."""

    # Checked after parsing: not every endpoint accepts limits in the form it has to keep.
    invariants: Annotated[list[str], AfterValidator(_some)]


class Kept(Answer):
    """Whether a call keeps some conditions; `kept` makes the form for so many."""

    @property
    def each(self) -> tuple[bool, ...]:
        """One for each condition, in their order."""
        return tuple(value for name, value in self if name != "rationale")

    @property
    def reason(self) -> str:
        """The judge's rationale."""
        return str(getattr(self, "rationale", ""))


@cache
def kept(conditions: int) -> type[Kept]:
    """A form with a field for each condition, so that none can be left out."""
    fields: dict[str, Any] = {f"invariant_{number}": (bool, ...) for number in range(1, conditions + 1)}
    return create_model("Kept", __base__=Kept, **fields, rationale=(str, ...))


@dataclass(frozen=True)
class Segmentation(AskedOnce):
    """ContentSegmenter: which parts of an observation are anomalous?"""

    name: ClassVar[str] = "segmentation"
    answer_type: ClassVar[type[Segments]] = Segments

    kind: SourceKind
    text: str
    """The observation, or a piece of a long one."""
    occasion: str = ""

    @property
    def material(self) -> Material:
        """What the judge may see: the text alone, so that one answer serves as long as the text is remembered."""
        return {"source": (Block(self.kind.replace("_", " "), self.text),)}


@dataclass(frozen=True)
class Invariants(AboutContext):
    """InvariantChecker, at the start: which conditions follow from the user's request?"""

    name: ClassVar[str] = "invariants"
    answer_type: ClassVar[type[TaskInvariants]] = TaskInvariants

    @property
    def material(self) -> Material:
        """What the judge may see: the user and the operator alone, so that nothing an agent reads moves a condition."""
        request = enumerate(request_of(self.context), start=1)
        prompts = (each for each in self.context.sources.values() if each.kind is SourceKind.SYSTEM_PROMPT)
        return {
            "request": tuple(Block(f"message {number}", text) for number, text in request),
            "rules": tuple(Block(each.id, each.text) for each in prompts),
        }


@dataclass(frozen=True)
class InvariantCheck(AboutCase):
    """InvariantChecker, at a call: which conditions does it keep?"""

    name: ClassVar[str] = "invariant_check"

    invariants: tuple[str, ...]

    @property
    def answer_type(self) -> type[Kept]:
        """A field for each condition."""
        return kept(len(self.invariants))

    @property
    def material(self) -> Material:
        """What the judge may see."""
        listed = "\n".join(f"invariant_{number}: {said}" for number, said in enumerate(self.invariants, start=1))
        return {**super().material, "invariants": (Block("conditions", listed),)}


@dataclass(frozen=True)
class Entailment(AboutCase):
    """EntailmentVerifier: does the context, from which whatever is anomalous is gone, justify the call?"""

    name: ClassVar[str] = "entailment"
    answer_type: ClassVar[type[Held]] = Held


@dataclass(frozen=True)
class Counterfactual(AboutCase):
    """EntailmentVerifier: would the call have been made without what is anomalous?"""

    name: ClassVar[str] = "counterfactual"
    answer_type: ClassVar[type[Held]] = Held

    passages: Sequence[Span]
    """What is gone from the context of the case."""

    @property
    def material(self) -> Material:
        """What the judge may see; it begins as Entailment does."""
        shown = tuple(Block(span.source, span.quote) for span in self.passages[:_MOST_PASSAGES])
        return {**super().material, "passages": shown}
