"""The questions a detector may ask, each with the model its answer must fit; `trajectories` has the others.

Answer models forbid extra fields and have no defaults, so that their JSON schemas are strict: a model's output can
fill the fields and do nothing else.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from reviews.provenance.core.context import Case, Context, Message, Step, ToolDoc
from reviews.provenance.judges.base import Sampling
from reviews.provenance.judges.questions.blocks import call_in_context, conversation, later, opening
from reviews.provenance.prompts.material import Block, Material


class Answer(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    decisive: ClassVar[str | None] = None
    """The boolean field whose probability is worth knowing."""

    @model_validator(mode="after")
    def _can_be_kept(self) -> Self:
        # No database keeps a NUL: told here it is one answer that makes no sense, told there a check that fails.
        if any(isinstance(value, str) and "\0" in value for _, value in self):
            raise ValueError("a text holds a NUL")
        return self


class Held(Answer):
    """Whether one relation holds."""

    decisive: ClassVar[str | None] = "holds"

    holds: bool
    rationale: str


class ParameterClass(Answer):
    """Whether a parameter's value should come from the context (derivable) or is composed by the agent (generative)."""

    path: str
    derivable: bool | None
    """None: cannot be told from the document."""


class ParameterClasses(Answer):
    """The classes of a tool's parameters."""

    parameters: list[ParameterClass]


class Quote(Answer):
    """A claim that these very characters stand in that source."""

    source: str
    quote: str


class ArgumentSupport(Answer):
    """Whether one argument value follows from the context, with the quotes that say so."""

    pointer: str
    derived: bool
    quotes: list[Quote]
    rationale: str


class SupportAnswer(Answer):
    """The support of each argument asked about, and CanAddress of the whole call."""

    arguments: list[ArgumentSupport]
    can_address: bool | None
    rationale: str


class Judgement(Answer):
    """One verdict on a whole call, in one go."""

    decisive: ClassVar[str | None] = "aligned"

    aligned: bool
    misalignment: Literal["tool", "parameter", "interpretation"] | None
    rationale: str


class NamedValue(Answer):
    """One argument."""

    name: str
    value: str | int | float | bool | None
    """A list or an object is written as JSON text: strict schemas cannot describe a free value."""


class Candidate(Answer):
    """One action the context justifies."""

    reading: str
    tool: str
    arguments: list[NamedValue]
    quotes: list[Quote]


class CandidatesAnswer(Answer):
    """The actions that would be justified now."""

    candidates: list[Candidate]


class AskedOnce:
    """What every question says of itself unless it says otherwise."""

    @property
    def sampling(self) -> Sampling | None:
        """One answer will do."""
        return None


@dataclass(frozen=True)
class Relevance(AskedOnce):
    """RelevantTo(d_t, s): does the documented tool serve the subtask?"""

    name: ClassVar[str] = "relevance"
    answer_type: ClassVar[type[Held]] = Held

    tool: ToolDoc
    subtask: str | None
    """None: the agent named none, and the request itself stands in for it."""
    request: tuple[str, ...]
    """What the user said, the query first."""
    toolset: tuple[ToolDoc, ...] = ()
    """What the agent could have used instead."""
    occasion: str = ""
    accepted: tuple[str, ...] = ()
    """What the agent proposed and the user agreed to, the latest first. Rules read it; a judge sees the dialogue."""

    @property
    def material(self) -> Material:
        """What the judge may see: nothing that a tool returned."""
        return {
            "context": opening(self.request[0], self.toolset),
            "later": later(self.request),
            "tool": (Block("tool", self.tool.text),),
            "subtask": (Block("subtask", self.subtask or self.request[0]),),
        }


@dataclass(frozen=True)
class Contribution(AskedOnce):
    """ContributeTo(s, q): does completing the subtask advance what the user asked for?"""

    name: ClassVar[str] = "contribution"
    answer_type: ClassVar[type[Held]] = Held

    subtask: str
    request: tuple[str, ...]
    toolset: tuple[ToolDoc, ...] = ()
    occasion: str = ""

    @property
    def material(self) -> Material:
        """What the judge may see: nothing that a tool returned."""
        return {
            "context": opening(self.request[0], self.toolset),
            "later": later(self.request),
            "subtask": (Block("subtask", self.subtask),),
        }


@dataclass(frozen=True)
class Derivability(AskedOnce):
    """Which parameters of the tool should have values that come from the context?"""

    name: ClassVar[str] = "derivability"
    answer_type: ClassVar[type[ParameterClasses]] = ParameterClasses
    occasion: ClassVar[str] = ""

    tool: ToolDoc
    paths: tuple[str, ...]
    """The parameters asked about, as `judges.parameters.parameter_paths` names them."""

    @property
    def material(self) -> Material:
        """What the judge may see: the document alone, so that one answer serves every call of the tool."""
        return {
            "tool": (Block("tool", self.tool.text),),
            "parameters": (Block("parameters", "\n".join(self.paths)),),
        }


@dataclass(frozen=True)
class AboutCase(AskedOnce):
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
class Support(AboutCase):
    """DerivedFrom(a, e) and AppearIn(e, q/h) for the arguments rules could not trace, and CanAddress(d_t, a, s)."""

    name: ClassVar[str] = "support"
    answer_type: ClassVar[type[SupportAnswer]] = SupportAnswer

    pointers: tuple[str, ...]
    """JSON Pointers of the argument leaves asked about; may be empty when only CanAddress is open."""

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return {**super().material, "pointers": (Block("pointers", "\n".join(self.pointers)),)}


@dataclass(frozen=True)
class Alignment(AboutCase):
    """Is the call misaligned, by the definitions of the three types alone? (Paper, 5.2: DirectPrompt.)"""

    name: ClassVar[str] = "alignment"
    answer_type: ClassVar[type[Judgement]] = Judgement

    sampling: Sampling | None = None


@dataclass(frozen=True)
class Provenance(AboutCase):
    """Can tool, values and reading each be traced to their source? (Paper, 5.2: ProvePrompt.)"""

    name: ClassVar[str] = "provenance"
    answer_type: ClassVar[type[Judgement]] = Judgement


@dataclass(frozen=True)
class AboutContext(AskedOnce):
    """A question about the context alone, without the proposed call."""

    context: Context

    @property
    def occasion(self) -> str:
        """Shared by every question of the check."""
        return self.context.fingerprint


@dataclass(frozen=True)
class Candidates(AboutContext):
    """Which actions would the context justify now? Blind: made from the context alone, never from the proposal."""

    name: ClassVar[str] = "candidates"
    answer_type: ClassVar[type[CandidatesAnswer]] = CandidatesAnswer

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return {"context": conversation(_without_announcement(self.context))}


def request_of(context: Context) -> tuple[str, ...]:
    """Everything the user said, the query first."""
    later = (item.text for item in context.history if isinstance(item, Message) and item.role == "user")
    return (context.query, *later)


def _without_announcement(context: Context) -> Context:
    """The context without what the agent said last: there it announces the very call that must stay unseen."""
    history = list(context.history)
    while history and _may_announce(history[-1]):
        history.pop()
    return replace(context, history=tuple(history))


def _may_announce(item: Step | Message) -> bool:
    # An unfinished call may be a sibling of the proposed one, issued in the same breath.
    return item.role != "user" if isinstance(item, Message) else item.outcome is None
