"""Every question a detector may ask, with the model its answer must fit.

Answer models forbid extra fields and have no defaults, so that their JSON schemas are strict: a model's output can
fill the fields and do nothing else.
"""

import json
from dataclasses import dataclass
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from reviews.provenance.context import Case, Context, Message, SourceKind, Step, ToolDoc
from reviews.provenance.material import Block, Material


class Answer(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Held(Answer):
    """Whether one relation holds."""

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


class Candidate(Answer):
    """One action the context justifies."""

    reading: str
    tool: str
    arguments: str
    """The arguments object as JSON text: strict schemas cannot describe a free object."""
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

    @property
    def material(self) -> Material:
        """What the judge may see."""
        others = "\n".join(_line(tool) for tool in self.toolset if tool.name != self.tool.name)
        return {
            "request": _request(self.request),
            "others": (Block("other tools", others),),
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

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return {"request": _request(self.request), "subtask": (Block("subtask", self.subtask),)}


@dataclass(frozen=True)
class Derivability:
    """Which parameters of the tool should have values that come from the context?"""

    name: ClassVar[str] = "derivability"
    answer_type: ClassVar[type[ParameterClasses]] = ParameterClasses

    tool: ToolDoc
    paths: tuple[str, ...]
    """The parameters asked about, as `judges.parameters.parameter_paths` names them."""

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return {
            "tool": (Block("tool", self.tool.text),),
            "parameters": (Block("parameters", "\n".join(self.paths)),),
        }


@dataclass(frozen=True)
class Support:
    """DerivedFrom(a, e) and AppearIn(e, q/h) for the arguments rules could not trace, and CanAddress(d_t, a, s)."""

    name: ClassVar[str] = "support"
    answer_type: ClassVar[type[SupportAnswer]] = SupportAnswer

    case: Case
    pointers: tuple[str, ...]
    """JSON Pointers of the argument leaves asked about; may be empty when only CanAddress is open."""

    @property
    def material(self) -> Material:
        """What the judge may see."""
        action = self.case.action
        document = self.case.context.tool(action.tool)
        call = json.dumps({"tool": action.tool, "arguments": dict(action.arguments)}, ensure_ascii=False)
        return {
            "sources": _sources(self.case.context),
            "tool": (Block("tool", document.text if document else ""),),
            "subtask": (Block("subtask", action.subtask or self.case.context.query),),
            "call": (Block("call", call),),
            "pointers": (Block("pointers", "\n".join(self.pointers)),),
        }


@dataclass(frozen=True)
class Candidates:
    """Which actions would the context justify now? Blind: made from the context alone, never from the proposal."""

    name: ClassVar[str] = "candidates"
    answer_type: ClassVar[type[CandidatesAnswer]] = CandidatesAnswer

    context: Context

    @property
    def material(self) -> Material:
        """What the judge may see."""
        tools = tuple(Block(f"tool/{tool.name}", tool.text) for tool in self.context.tools)
        return {"sources": _sources(_without_announcement(self.context)), "tools": tools}


def request_of(context: Context) -> tuple[str, ...]:
    """Everything the user said, the query first."""
    later = (item.text for item in context.history if isinstance(item, Message) and item.role == "user")
    return (context.query, *later)


def _without_announcement(context: Context) -> Context:
    """The context without what the agent said last: there it announces the very call that must stay unseen."""
    history = list(context.history)
    while history and _may_announce(history[-1]):
        history.pop()
    return Context(context.query, history=tuple(history), extra=context.extra, now=context.now)


def _may_announce(item: Step | Message) -> bool:
    # An unfinished call may be a sibling of the proposed one, issued in the same breath.
    return item.role != "user" if isinstance(item, Message) else item.outcome is None


def _sources(context: Context) -> tuple[Block, ...]:
    clock = (Block("clock", context.now.isoformat()),) if context.now else ()
    texts = (source for source in context.sources.values() if source.kind is not SourceKind.TOOL_DOC)
    return (*clock, *(Block(source.id, source.text) for source in texts))


def _request(texts: tuple[str, ...]) -> tuple[Block, ...]:
    return tuple(Block("request" if not n else f"later message {n}", text) for n, text in enumerate(texts))


def _line(tool: ToolDoc) -> str:
    first = tool.description.strip().splitlines()[:1]
    return f"{tool.name}: {''.join(first)[:160]}"
