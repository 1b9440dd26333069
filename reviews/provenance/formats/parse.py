"""Which format a submission is in: the field that carries the proposed call tells it."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats import anthropic, mcp, native, openai, responses
from reviews.provenance.formats.aliases import original_pointers, unify
from reviews.provenance.formats.continuation import EarlierPast
from reviews.provenance.formats.format_reader import FormatReader, Parsed, ParsedContext
from reviews.provenance.formats.json_nodes import Node, root
from reviews.provenance.formats.suggestions import nearest_field


class Format(StrEnum):
    """The shapes agents hold a conversation in; each value is the field of the proposed call."""

    NATIVE = "action"
    CHAT = "tool_call"
    RESPONSES = "function_call"
    ANTHROPIC = "tool_use"
    MCP = "call"


_READERS: Final[Mapping[Format, FormatReader]] = {
    Format(reader.call_field): reader
    for reader in (native.READER, openai.READER, responses.READER, anthropic.READER, mcp.READER)
}
_PAST_FIELDS: Final = frozenset().union(*(reader.past_fields for reader in _READERS.values()))
# Names like those of a call, and of something else.
_NEAR_CALLS: Final = frozenset({"input", "tools"})
# How the types of blocks end that only Anthropic's messages hold.
_EVENT_ENDINGS: Final = ("tool_use", "tool_result")


def parse(payload: JsonValue, *, trust_annotations: bool = False, earlier: EarlierPast | None = None) -> Parsed:
    """A submission in any format as a case; `earlier` is what it continues.

    Raises `FormatError`, and nothing else, for whatever is none.
    """
    unified, renamed = unify(payload)
    with original_pointers(renamed):
        reader = _READERS[detect_format(unified)]
        return reader.parse(unified, trust_annotations=trust_annotations, earlier=earlier)


def parse_context(payload: JsonValue, *, trust_annotations: bool = False) -> ParsedContext:
    """A submission that proposes no call, in any format. Raises `FormatError`, and nothing else."""
    unified, renamed = unify(payload)
    with original_pointers(renamed):
        return _READERS[detect_context(unified)].parse_context(unified, trust_annotations=trust_annotations)


def detect_format(payload: JsonValue) -> Format:
    """The submission's format. Raises `FormatError` for one that is of two formats, or of none."""
    submission = root(payload)
    formats = [form for form in Format if submission.member(form).present]
    for name in submission.value if not formats else ():
        near = None if name in _NEAR_CALLS else nearest_field(name, list(Format))
        if near is not None:
            submission.member(name).note_problem(f"There is no such field here: did you mean `{near}`?")
    # A submission that forgot its proposed call still has a format, so that its reader can say what is missing.
    chosen = formats[0] if formats else _by_past(submission)
    for second in formats[1:]:
        submission.member(second).note_problem(
            f"The proposed call stands in “{chosen}” already ({_READERS[chosen].name}); "
            f"this field is of {_READERS[second].name}."
        )
    _check_past(submission, chosen)
    return chosen


def detect_context(payload: JsonValue) -> Format:
    """The format of a submission without a proposed call: what happened before tells it. Raises `FormatError`."""
    submission = root(payload)
    chosen = _by_past(submission)
    # Where two formats have the same fields, what stands in them decides.
    if chosen is Format.CHAT and _is_anthropic(submission):
        chosen = Format.ANTHROPIC
    if chosen is Format.NATIVE and any(item.member("call").present for item in _elements_of(submission, "history")):
        chosen = Format.MCP
    _check_past(submission, chosen)
    return chosen


def _check_past(submission: Node, chosen: Format) -> None:
    """Raises `FormatError` when fields of another format's past are given as well, or anything else was wrong."""
    reader = _READERS[chosen]
    foreign = sorted(_PAST_FIELDS - reader.past_fields)
    submission.refuse(*foreign, problem=f"This submission reads as {reader.name}, where this field has no place.")
    submission.check()


def _by_past(submission: Node) -> Format:
    """The format by the fields of what happened before, the most telling ones first; our own where none is given."""
    telling = {"input": Format.RESPONSES, "system": Format.ANTHROPIC, "messages": Format.CHAT}
    return next((form for name, form in telling.items() if submission.member(name).present), Format.NATIVE)


def _is_anthropic(submission: Node) -> bool:
    """Only Anthropic's messages hold calls and results among their content, and only its tools an `input_schema`."""
    blocks = (block for message in _elements_of(submission, "messages") for block in _elements_of(message, "content"))
    kinds = (block.member("type").value for block in blocks)
    return any(isinstance(kind, str) and kind.endswith(_EVENT_ENDINGS) for kind in kinds) or any(
        tool.member("input_schema").present for tool in _elements_of(submission, "tools")
    )


def _elements_of(node: Node, name: str) -> Iterator[Node]:
    """The elements of a member that is a list; none of anything else, which the format's own reader reports."""
    member = node.member(name)
    return member.items() if isinstance(member.value, list) else iter(())
