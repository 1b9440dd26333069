"""Which format a submission is in: the field that carries the proposed call tells it."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Protocol

from reviews.provenance.context import JsonValue
from reviews.provenance.formats import anthropic, mcp, native, openai, responses
from reviews.provenance.formats.reading import Node, Parsed, root


class Format(StrEnum):
    """The shapes agents hold a conversation in; each value is the field of the proposed call."""

    NATIVE = "action"
    CHAT = "tool_call"
    RESPONSES = "function_call"
    ANTHROPIC = "tool_use"
    MCP = "call"


class _Parser(Protocol):
    def __call__(self, body: dict[str, Any], *, trust_annotations: bool, now: datetime | None) -> Parsed: ...


_PARSERS: Final[Mapping[Format, _Parser]] = MappingProxyType(
    {
        Format.NATIVE: native.parse,
        Format.CHAT: openai.parse,
        Format.RESPONSES: responses.parse,
        Format.ANTHROPIC: anthropic.parse,
        Format.MCP: mcp.parse,
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


def parse(payload: JsonValue, *, trust_annotations: bool = False, now: datetime | None = None) -> Parsed:
    """A submission in any format as a case. Raises `FormatError`, and nothing else, for whatever is none."""
    return _PARSERS[detect(payload)](payload, trust_annotations=trust_annotations, now=now)


def detect(payload: JsonValue) -> Format:
    """The submission's format. Raises `FormatError` for one that is of two formats, or of none."""
    submission = root(payload)
    calls = [each for each in Format if submission.member(each).given]
    chosen = calls[0] if calls else _by_past(submission)
    for other in calls[1:]:
        submission.member(other).wrong(
            f"The proposed call stands in “{chosen}” already ({_NAMES[chosen]}); this field is of {_NAMES[other]}."
        )
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
