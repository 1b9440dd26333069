"""Every question a detector may ask, with the model its answer must fit.

Answer models forbid extra fields and have no defaults, so that their JSON schemas are strict: a model's output can
fill the fields and do nothing else.
"""

import json
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from reviews.provenance.context import Case, Context, Message, SourceKind, Step, ToolDoc
from reviews.provenance.material import Block, Material


class Answer(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    decisive: ClassVar[str | None] = None
    """The boolean field whose probability is worth knowing."""


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


@dataclass(frozen=True)
class Relevance:
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

    @property
    def material(self) -> Material:
        """What the judge may see: nothing that a tool returned."""
        return {
            "context": _opening(self.request[0], self.toolset),
            "later": _later(self.request),
            "tool": (Block("tool", self.tool.text),),
            "subtask": (Block("subtask", self.subtask or self.request[0]),),
        }


@dataclass(frozen=True)
class Contribution:
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
            "context": _opening(self.request[0], self.toolset),
            "later": _later(self.request),
            "subtask": (Block("subtask", self.subtask),),
        }


@dataclass(frozen=True)
class Derivability:
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
class _AboutCase:
    """A question about the proposed call in its context."""

    case: Case

    @property
    def occasion(self) -> str:
        """Shared by every question of the check."""
        return self.case.context.fingerprint

    @property
    def _call(self) -> Material:
        action = self.case.action
        call = json.dumps({"tool": action.tool, "arguments": dict(action.arguments)}, ensure_ascii=False)
        return {
            "context": _conversation(self.case.context),
            "subtask": (Block("subtask", action.subtask or self.case.context.query),),
            "call": (Block("call", call),),
        }


@dataclass(frozen=True)
class Support(_AboutCase):
    """DerivedFrom(a, e) and AppearIn(e, q/h) for the arguments rules could not trace, and CanAddress(d_t, a, s)."""

    name: ClassVar[str] = "support"
    answer_type: ClassVar[type[SupportAnswer]] = SupportAnswer

    pointers: tuple[str, ...]
    """JSON Pointers of the argument leaves asked about; may be empty when only CanAddress is open."""

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return {**self._call, "pointers": (Block("pointers", "\n".join(self.pointers)),)}


@dataclass(frozen=True)
class Alignment(_AboutCase):
    """Is the call misaligned, by the definitions of the three types alone? (Paper, 5.2: DirectPrompt.)"""

    name: ClassVar[str] = "alignment"
    answer_type: ClassVar[type[Judgement]] = Judgement

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return self._call


@dataclass(frozen=True)
class Candidates:
    """Which actions would the context justify now? Blind: made from the context alone, never from the proposal."""

    name: ClassVar[str] = "candidates"
    answer_type: ClassVar[type[CandidatesAnswer]] = CandidatesAnswer

    context: Context

    @property
    def occasion(self) -> str:
        """Shared by every question of the check."""
        return self.context.fingerprint

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return {"context": _conversation(_without_announcement(self.context))}


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


def _opening(query: str, tools: tuple[ToolDoc, ...]) -> tuple[Block, ...]:
    """What every question of a check begins with, in the same words, so that an endpoint reads it once."""
    return (Block("query", query), Block("tools", "\n\n".join(map(_described, tools))))


def _conversation(context: Context) -> tuple[Block, ...]:
    # To the minute: nobody means more, and the same conversation a moment later is the same question.
    clock = (Block("clock", context.now.isoformat(timespec="minutes")),) if context.now else ()
    texts = (source for source in context.sources.values() if source.kind is not SourceKind.TOOL_DOC)
    said = (Block(source.id, source.text) for source in texts if source.id != "query")
    return (*_opening(context.query, context.tools), *clock, *said)


def _later(request: tuple[str, ...]) -> tuple[Block, ...]:
    return tuple(Block(f"later message {n}", text) for n, text in enumerate(request[1:], start=1))


def _described(tool: ToolDoc) -> str:
    """A tool in few words; the whole document is shown where it is the one in question."""
    effect = "" if tool.environment_changing else " (only reads)"
    lines = [f"{tool.name}{effect}: {' '.join(tool.description.split())}"]
    for name, schema in tool.properties.items():
        told = schema if isinstance(schema, dict) else {}
        options = f", one of {json.dumps(told['enum'], ensure_ascii=False)}" if "enum" in told else ""
        lines.append(f"- {name} ({told.get('type', 'any')}{options}): {told.get('description', '')}")
    return "\n".join(lines)
