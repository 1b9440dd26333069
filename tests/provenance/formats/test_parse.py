"""One entry for every format, and what it refuses."""

import contextlib
import itertools
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reviews.provenance import formats
from reviews.provenance.formats import Format, FormatError
from tests.provenance.formats.refusals import check_refused
from tests.provenance.formats.writers import WRITERS, Call, Conversation, Turn

BODIES = {
    shape: write(Conversation("Hello", ("Go.",), Turn("So.", (Call("p", "ping", {}),))))
    for shape, write in WRITERS.items()
}
NAMES = sorted({name for body in BODIES.values() for name in body} | {"instructions", "system"})


@pytest.mark.parametrize("shape", list(Format))
def test_the_field_of_the_proposed_call_tells_the_format(shape: Format) -> None:
    assert formats.detect_format(BODIES[shape]) is shape


@pytest.mark.parametrize("other", [shape for shape in Format if shape is not Format.CHAT])
def test_two_proposed_calls_are_refused(other: Format) -> None:
    either = sorted([Format.CHAT, other], key=list(Format).index)[1]
    check_refused(formats.parse, f"/{either}", {**BODIES[Format.CHAT], other.value: BODIES[other][other]})


@pytest.mark.parametrize(
    ("shape", "field"),
    [
        (Format.NATIVE, "messages"),
        (Format.CHAT, "input"),
        (Format.CHAT, "system"),
        (Format.RESPONSES, "messages"),
        (Format.ANTHROPIC, "instructions"),
        (Format.ANTHROPIC, "query"),
        (Format.MCP, "messages"),
    ],
)
def test_another_formats_field_is_refused(shape: Format, field: str) -> None:
    check_refused(formats.parse, f"/{field}", {**BODIES[shape], field: "x"})


@pytest.mark.parametrize("shape", list(Format))
def test_a_missing_call_is_named(shape: Format) -> None:
    rest = {name: value for name, value in BODIES[shape].items() if name != shape}
    expected = {Format.MCP: Format.NATIVE}.get(shape, shape)
    check_refused(formats.parse, f"/{expected}", {"system": "Be kind.", **rest} if shape is Format.ANTHROPIC else rest)


@pytest.mark.parametrize("payload", [None, [], "text", 7, True])
def test_what_is_no_object_is_refused(payload: Any) -> None:
    check_refused(formats.parse, "", payload)


@pytest.mark.parametrize(
    ("pointer", "payload"),
    [
        ("/messages/0/content/0/type", {"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}),
        ("/messages/0/content/0/type", {"messages": [{"role": "assistant", "content": [{"type": "tool_use"}]}]}),
        ("/messages/0/tool_calls", {"system": "x", "messages": [{"role": "assistant", "tool_calls": []}]}),
        ("/messages/0/role", {"system": "x", "messages": [{"role": "tool"}]}),
        ("/input/0/role", {"input": [{"role": "tool", "content": "x"}]}),
        ("/input/0/content/0/type", {"input": [{"role": "user", "content": [{"type": "tool_use"}]}]}),
    ],
)
def test_another_formats_turn_is_refused(pointer: str, payload: Any) -> None:
    check_refused(formats.parse, pointer, payload)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=10,
)


def parse_or_refuse(payload: Any) -> None:
    with contextlib.suppress(FormatError):
        formats.parse(payload)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(found for key, item in items for found in places(item, (*at, key)))]


def replaced(value: Any, at: tuple[Any, ...], other: Any) -> Any:
    if not at:
        return other
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[at[0]] = replaced(value[at[0]], at[1:], other)
    return copied


FULL = Conversation(
    "Hello",
    (Turn("One.", (Call("a", "find", {"n": 1}, "found"),)), "Go."),
    Turn("So.", (Call("p", "ping", {"to": "x"}),)),
    ("Be kind.",),
)
SPOILED = [(shape, at) for shape, write in WRITERS.items() for at in places(write(FULL))]
WORDS = st.sampled_from(
    "function_call custom_tool_call web_search_call mcp_call x_output mcp_list_tools additional_tools namespace image "
    "item_reference mcp_approval_response document resource search_result tool_use tool_result mid_conv_system".split()
)
ODD = JSON | st.dictionaries(
    st.sampled_from("type role content tools name id call_id result output".split()), JSON | WORDS
)


@given(JSON | st.dictionaries(st.sampled_from(NAMES), JSON))
def test_any_json_is_read_or_refused(payload: Any) -> None:
    parse_or_refuse(payload)


@given(st.sampled_from(SPOILED), ODD | WORDS)
@example((Format.CHAT, ("messages", 1, "content")), float("nan"))
def test_anything_anywhere_is_read_or_refused(spoiled: tuple[Format, tuple[Any, ...]], other: Any) -> None:
    shape, at = spoiled
    parse_or_refuse(replaced(WRITERS[shape](FULL), at, other))


def nested(name: str) -> Any:
    value: Any = []
    for _ in range(450):
        value = {name: [value]} if name == "content" else {name: value}
    return value


DEEP = [json.loads("[" * 900 + "]" * 900), *map(nested, ("result", "content", "source", "tools"))]


@pytest.mark.parametrize("shape", list(Format))
def test_what_is_nested_as_deep_as_a_decoder_can_go_is_read_or_refused(shape: Format) -> None:
    for at, deep in itertools.product([at for other, at in SPOILED if other is shape], DEEP):
        parse_or_refuse(replaced(WRITERS[shape](FULL), at, deep))
