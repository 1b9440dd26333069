"""The questions of ARGUS: what in a text steers, what the request allows, and what benign evidence alone justifies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import AfterValidator

from reviews.provenance.core.context import Span
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.judges.base import Question
from reviews.provenance.judges.questions.blocks import numbered_blocks, request_of
from reviews.provenance.judges.questions.question_forms import (
    AboutArguments,
    AboutCase,
    AboutContext,
    Answer,
    Held,
    ItemAnswers,
    Quote,
    form_for,
)
from reviews.provenance.prompts.fences import Block
from reviews.provenance.prompts.prompt import Material

# The paper derives two or three: one alone leaves most of a request unguarded, and of more each would have to hold and
# stop right calls on side issues.
MIN_INVARIANTS: Final = 2
MAX_INVARIANTS: Final = 3
# Characters of a condition. One short sentence is asked for; a model that runs on must not fill the next prompt.
_LONGEST: Final = 300
# Passages repeated beside the context they were blanked out of. They speak for themselves long before that.
_MAX_PASSAGES: Final = 20


def _condition_lines(invariants: list[str]) -> list[str]:
    """The conditions, one line each, without a NUL, which no database keeps. Raises ValueError for fewer than two."""
    lines = [" ".join(text.replace("\0", " ").split())[:_LONGEST] for text in invariants]
    conditions = [line for line in lines if line]
    if len(conditions) < MIN_INVARIANTS:
        raise ValueError("two or three conditions are asked for")
    return conditions[:MAX_INVARIANTS]


class Segments(Answer):
    """The parts of a text that steer its reader."""

    quotes: list[str]
    rationale: str


class TaskInvariants(Answer):
    """The conditions of a task."""

    # Checked after parsing: not every endpoint accepts limits in the form it has to keep.
    invariants: Annotated[list[str], AfterValidator(_condition_lines)]


def invariant_answers(conditions: int) -> type[ItemAnswers]:
    """The form for whether a call keeps each of so many conditions."""
    return form_for("InvariantAnswers", "invariant", bool, conditions)


class GroundedArgument(Answer):
    """How one argument is supported, with the passages that say so."""

    pointer: str
    how: Literal["copy", "normalize", "derive", "resolve", "ungrounded"]
    quotes: list[Quote]
    rationale: str


class GroundedArguments(Answer):
    """The support of each argument."""

    arguments: list[GroundedArgument]


class ArgumentGrounding(AboutArguments[GroundedArguments], answer=GroundedArguments):
    """ArgumentGrounder, as published: which span supports each argument, and how?"""


@dataclass(frozen=True)
class Segmentation(Question[Segments], answer=Segments):
    """ContentSegmenter: which parts of an observation are anomalous?"""

    kind: SourceKind
    text: str
    """The observation, or a piece of a long one."""
    occasion: str = ""

    @property
    def material(self) -> Material:
        """What the judge may see: the text alone, so that one answer serves as long as the text is remembered."""
        return {"source": (Block(self.kind.replace("_", " "), self.text),)}


class Invariants(AboutContext[TaskInvariants], answer=TaskInvariants):
    """InvariantChecker, at the start: which conditions follow from the user's request?"""

    @property
    def material(self) -> Material:
        """What the judge may see: the user and the operator alone, so that nothing an agent reads moves a condition."""
        sources = self.context.sources.values()
        return {
            "request": numbered_blocks("message", request_of(self.context)),
            "rules": tuple(
                Block(source.id, source.text) for source in sources if source.kind is SourceKind.SYSTEM_PROMPT
            ),
        }


@dataclass(frozen=True)
class InvariantCheck(AboutCase[ItemAnswers]):
    """InvariantChecker, at a call: which conditions does it keep?"""

    invariants: tuple[str, ...]

    @property
    def answer_type(self) -> type[ItemAnswers]:
        """A field for each condition."""
        return invariant_answers(len(self.invariants))

    @property
    def material(self) -> Material:
        """What the judge may see."""
        listed = "\n".join(f"invariant_{number}: {text}" for number, text in enumerate(self.invariants, start=1))
        return {**super().material, "invariants": (Block("conditions", listed),)}


class Entailment(AboutCase[Held], answer=Held):
    """EntailmentVerifier: does the context, from which whatever is anomalous is gone, justify the call?"""


@dataclass(frozen=True)
class Counterfactual(AboutCase[Held], answer=Held):
    """EntailmentVerifier: would the call have been made without what is anomalous?"""

    # Shown apart, because a judge that reads them in place is steered by them as the agent was.
    passages: Sequence[Span]
    """What is gone from the context of the case."""

    @property
    def material(self) -> Material:
        """What the judge may see; it begins as Entailment does."""
        passages = tuple(Block(span.source, span.quote) for span in self.passages[:_MAX_PASSAGES])
        return {**super().material, "passages": passages}
