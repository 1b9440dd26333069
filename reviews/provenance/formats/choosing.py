"""Which format a submission is in: the field that carries the proposed call tells it."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Protocol

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats import anthropic, mcp, native, openai, responses
from reviews.provenance.formats.reading import Node, Parsed, Told, root


class Format(StrEnum):
    """The shapes agents hold a conversation in; each value is the field of the proposed call."""

    NATIVE = "action"
    CHAT = "tool_call"
    RESPONSES = "function_call"
    ANTHROPIC = "tool_use"
    MCP = "call"


class _Parser(Protocol):
    def parse(
        self, body: dict[str, Any], *, trust_annotations: bool = False, now: datetime | None = None
    ) -> Parsed: ...

    def parse_context(
        self, body: dict[str, Any], *, trust_annotations: bool = False, now: datetime | None = None
    ) -> Told: ...


_PARSERS: Final[Mapping[Format, _Parser]] = MappingProxyType(
    {
        Format.NATIVE: native,
        Format.CHAT: openai,
        Format.RESPONSES: responses,
        Format.ANTHROPIC: anthropic,
        Format.MCP: mcp,
    }
)
_NAMES: Final = MappingProxyType(
    {
        Format.NATIVE: "our own shape",
        Format.CHAT: "OpenAI's chat",
        Format.RESPONSES: "OpenAI's Responses",
        Format.ANTHROPIC: "Anthropic's Messages",
        Format.MCP: "MCP",
    }
)
_PAST: Final[Mapping[Format, frozenset[str]]] = MappingProxyType(
    {
        Format.NATIVE: frozenset({"query", "history", "sources"}),
        Format.CHAT: frozenset({"messages"}),
        Format.RESPONSES: frozenset({"input", "instructions"}),
        Format.ANTHROPIC: frozenset({"messages", "system"}),
        Format.MCP: frozenset({"query", "history", "sources"}),
    }
)
"""The fields that tell what happened before."""
_EVENTS: Final = ("tool_use", "tool_result")


def parse(payload: JsonValue, *, trust_annotations: bool = False, now: datetime | None = None) -> Parsed:
    """A submission in any format as a case. Raises `FormatError`, and nothing else, for whatever is none."""
    return _PARSERS[detect(payload)].parse(payload, trust_annotations=trust_annotations, now=now)


def parse_context(payload: JsonValue, *, trust_annotations: bool = False, now: datetime | None = None) -> Told:
    """A submission that proposes no call, in any format. Raises `FormatError`, and nothing else."""
    parser = _PARSERS[detect_context(payload)]
    return parser.parse_context(payload, trust_annotations=trust_annotations, now=now)


def detect(payload: JsonValue) -> Format:
    """The submission's format. Raises `FormatError` for one that is of two formats, or of none."""
    submission = root(payload)
    calls = [each for each in Format if submission.member(each).given]
    chosen = calls[0] if calls else _by_past(submission)
    for other in calls[1:]:
        submission.member(other).wrong(
            f"The proposed call stands in “{chosen}” already ({_NAMES[chosen]}); this field is of {_NAMES[other]}."
        )
    return _alone(submission, chosen)


def detect_context(payload: JsonValue) -> Format:
    """The format of a submission without a proposed call: what happened before tells it. Raises `FormatError`."""
    submission = root(payload)
    return _alone(submission, _by_content(submission))


def _alone(submission: Node, chosen: Format) -> Format:
    """The chosen format. Raises `FormatError` when another one's fields are given as well."""
    for field in sorted(frozenset().union(*_PAST.values()) - _PAST[chosen]):
        if submission.member(field).given:
            submission.member(field).wrong(f"This submission reads as {_NAMES[chosen]}, where this field has no place.")
    submission.check()
    return chosen


def _by_past(submission: Node) -> Format:
    """The format of a submission that forgot its proposed call, so that its reader can say so."""
    if submission.member("input").given:
        return Format.RESPONSES
    if submission.member("system").given:
        return Format.ANTHROPIC
    return Format.CHAT if submission.member("messages").given else Format.NATIVE


def _by_content(submission: Node) -> Format:
    """The format of a submission that needs no proposed call: where fields are alike, what stands in them tells."""
    match _by_past(submission):
        case Format.CHAT if _is_anthropic(submission):
            return Format.ANTHROPIC
        case Format.NATIVE if any(item.member("call").given for item in _listed(submission, "history")):
            return Format.MCP
        case told:
            return told


def _is_anthropic(submission: Node) -> bool:
    """Only Anthropic's messages hold calls and results among their content, and only its tools an `input_schema`."""
    blocks = (block for message in _listed(submission, "messages") for block in _listed(message, "content"))
    kinds = (block.member("type").value for block in blocks)
    return any(isinstance(kind, str) and kind.endswith(_EVENTS) for kind in kinds) or any(
        tool.member("input_schema").given for tool in _listed(submission, "tools")
    )


def _listed(node: Node, name: str) -> Iterator[Node]:
    """The elements of a list, if it is one: what is none is told by whoever reads it."""
    member = node.member(name)
    return member.items() if isinstance(member.value, list) else iter(())
