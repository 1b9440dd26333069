"""What all questions and their answers share.

Answer models forbid extra fields and have no defaults, so that their JSON schemas are strict: a model's output can
fill the fields and do nothing else.
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, create_model, model_validator

from reviews.provenance.core.context import Case, Context
from reviews.provenance.judges.base import A_co, Question
from reviews.provenance.judges.questions.blocks import call_in_context
from reviews.provenance.prompts.fences import Block
from reviews.provenance.prompts.prompt import Material


def _require_text(text: str) -> str:
    if not text.strip():
        raise ValueError("the text is blank")
    return text


# Checked after parsing: not every endpoint accepts limits in the form it has to keep.
NotBlank = Annotated[str, AfterValidator(_require_text)]


class Answer(BaseModel):
    """Base of all answers."""

    # Strict: "true" is no boolean, and a form that is left half filled is no answer.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    decisive: ClassVar[str | None] = None
    """The boolean field whose probability is worth knowing."""

    @property
    def is_favourable(self) -> bool:
        """Whether its decisive field speaks for the call."""
        return bool(getattr(self, self.decisive or ""))

    @model_validator(mode="after")
    def _can_be_stored(self) -> Self:
        # No database keeps a NUL. Refused here it is one unusable answer; refused there, a check that fails.
        if any(isinstance(value, str) and "\0" in value for _, value in self):
            raise ValueError("a text holds a NUL")
        return self


class Held(Answer):
    """Whether one relation holds."""

    decisive: ClassVar[str | None] = "holds"

    holds: bool
    rationale: str


class LabelAnswer(Answer):
    """One of a few labels, and why."""

    label: str
    rationale: str

    @property
    def is_favourable(self) -> bool:
        """Whether nothing at all is wrong."""
        return self.label == "safe"


class Quote(Answer):
    """A claim that these very characters stand in that source."""

    source: str
    quote: str


class ItemAnswers(Answer):
    """An answer for each of some items, with one rationale; `form_for` makes the form for so many."""

    @property
    def values(self) -> tuple[Any, ...]:
        """One for each item, in their order."""
        return tuple(value for name, value in self if name != "rationale")

    @property
    def reason(self) -> str:
        """The judge's rationale."""
        return str(getattr(self, "rationale", ""))


@cache
def form_for(title: str, item: str, kind: Any, count: int) -> type[ItemAnswers]:
    """A form with a field of this kind for each item, so that none can be left out."""
    fields: dict[str, Any] = {f"{item}_{number}": (kind, ...) for number in range(1, count + 1)}
    return create_model(title, __base__=ItemAnswers, **fields, rationale=(str, ...))


@dataclass(frozen=True)
class AboutContext(Question[A_co]):
    """A question about the context alone, without the proposed call."""

    context: Context

    @property
    def occasion(self) -> str:
        """Shared by every question of the check."""
        return self.context.fingerprint


@dataclass(frozen=True)
class AboutCase(Question[A_co]):
    """A question about the proposed call in its context."""

    case: Case

    @property
    def occasion(self) -> str:
        """Shared by every question of the check."""
        return self.case.context.fingerprint

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return call_in_context(self.case)


@dataclass(frozen=True)
class AboutArguments(AboutCase[A_co]):
    """A question about some of the proposed call's arguments."""

    pointers: tuple[str, ...]
    """JSON Pointers of the argument leaves asked about; may be empty when only the call as a whole is open."""

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return {**super().material, "pointers": (Block("pointers", "\n".join(self.pointers)),)}
