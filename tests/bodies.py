"""Bodies made to be slow: each grows in one dimension, and is read by everything that reads a request's body."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from types import MappingProxyType
from typing import Any, Final

from reviews.api import rate_limits
from reviews.errors import ReviewError
from reviews.intake.wire.bounded_json_body import decode_submission
from reviews.intake.wire.read_action import read_proposal
from reviews.intake.wire.read_plan import read_draft
from reviews.provenance.core.canonical import NotCanonicalError, call_digest, content_digest
from reviews.records import store

_CALL: Final = {"id": "c", "type": "function", "function": {"name": "send", "arguments": "{}"}}
_SCHEMA: Final = {"type": "object", "properties": {"to": {"type": "string"}}}
_TOOL: Final = {"name": "send", "description": "Sends.", "parameters": _SCHEMA}
_USER: Final = {"role": "user", "content": "Send it."}


def read_body(body: bytes) -> None:
    """Read a body as a proposed call, or as a plan where it says so; a refusal is an answer like any other."""
    try:
        value = decode_submission(body)
        if isinstance(value, dict) and "plan" in value:
            read_draft(value, trusted=lambda: True)
            return
        # What a submission is charged with, and told by when it is sent again, is read from its body too.
        rate_limits.count_kilobytes(value)
        json.dumps(value, sort_keys=True)
        proposal = read_proposal(value, trusted=lambda: True)
        call_digest(proposal.action.tool, proposal.action.arguments)
        content_digest([store.tool_to_json(tool) for tool in proposal.context.tools])
        for item in proposal.context.history:
            store.step_digest(item)
    except (ReviewError, NotCanonicalError):
        return


def native(**changed: Any) -> bytes:
    """A submission in our own shape."""
    action = {"tool": "send", "arguments": {"to": "Ann"}}
    return _json({"query": "Send it.", "tools": [_TOOL], "history": [], "action": action, **changed})


def chat(**changed: Any) -> bytes:
    """A submission in the shape of OpenAI's chat."""
    return _json({"messages": [_USER], "tools": [_TOOL], "tool_call": _CALL, **changed})


def anthropic(**changed: Any) -> bytes:
    """A submission in Anthropic's shape."""
    call = {"type": "tool_use", "id": "t", "name": "send", "input": {}}
    return _json({"messages": [_USER], "tools": [_TOOL], "tool_use": call, **changed})


def responses(**changed: Any) -> bytes:
    """A submission in the shape of OpenAI's Responses."""
    call = {"type": "function_call", "call_id": "c", "name": "send", "arguments": "{}"}
    return _json({"input": [_USER], "tools": [_TOOL], "function_call": call, **changed})


def mcp(**changed: Any) -> bytes:
    """A submission in MCP's shape."""
    return _json({"query": "Send it.", "tools": [_TOOL], "call": {"name": "send", "arguments": {}}, **changed})


BASES: Final[Mapping[str, Callable[..., bytes]]] = MappingProxyType(
    {function.__name__: function for function in (native, chat, anthropic, responses, mcp)}
)
"""A small submission of each format, whose fields can be changed."""


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _raw(text: str) -> bytes:
    """A submission whose arguments hold this JSON text, as it is."""
    return native(action={"tool": "send", "arguments": {"to": "@"}}).replace(b'"@"', text.encode())


def _names(count: int) -> str:
    return ",".join(f'"n{number}":0' for number in range(count))


def _nested(count: int, opening: str, closing: str) -> str:
    return opening * count + "0" + closing * count


def _argument_text(text: str) -> bytes:
    return chat(tool_call={"id": "c", "function": {"name": "send", "arguments": text}})


def _media(count: int) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBO" * count}}


def _turn(number: int) -> dict[str, Any]:
    return {**_CALL, "id": f"c{number}"}


_DEEP: Final = 24
_NAMES: Final = [f"Ann{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(250)]
_CALLED: Final[Mapping[str, Sequence[object]]] = {
    "names": _NAMES,
    "one name": ["Ann"] * 250,
    "numbers": list(range(1_000, 1_250)),
    "codes": [f"K{number:03d}QX7" for number in range(250)],
}
"""Values of a call, as many as take a moment to look for."""


def _said(values: Sequence[object], words: int) -> bytes:
    """A call of these values, in a request of so many words that says each of them again and again."""
    arguments = {f"n{number}": value for number, value in enumerate(values)}
    kinds = {name: {"type": "integer" if isinstance(value, int) else "string"} for name, value in arguments.items()}
    return native(
        query=f"Send {' '.join(map(str, islice(cycle(values), words)))}",
        tools=[{**_TOOL, "parameters": {"type": "object", "properties": kinds}}],
        action={"tool": "send", "arguments": arguments},
    )


def _recorded(records: int) -> bytes:
    """A call that pays, whose values stand in a listing of so many records."""
    rows = [{"id": f"C-{number:05d}", "name": f"Ann {number}", "amount": 7 * number} for number in range(records)]
    arguments = {f"n{number}": row["amount"] for number, row in enumerate(rows[:250])}
    return native(
        query="Send it.",
        tools=[{**_TOOL, "name": "send_money", "parameters": {"type": "object"}}],
        history=[{"tool": "list_people", "arguments": {}, "outcome": json.dumps(rows)}],
        action={"tool": "send_money", "arguments": arguments},
    )


def _repeated(results: int) -> bytes:
    """A call that gives one word again and again, in front of so many results that say nothing else."""
    return native(
        history=[{"tool": "look_up", "arguments": {}, "outcome": "a " * 400}] * results,
        action={"tool": "send", "arguments": {f"n{number}": "a" for number in range(250)}},
    )


DIMENSIONS: Final[Mapping[str, tuple[int, Callable[[int], bytes]]]] = MappingProxyType(
    {
        "names": (5_000, lambda n: _raw("{" + _names(n) + "}")),
        "names, the last one twice": (5_000, lambda n: _raw("{" + _names(n) + f',"n{n - 1}":1}}')),
        "names, the first one twice": (5_000, lambda n: _raw("{" + _names(n) + ',"n0":1}')),
        "names of a text's object, the last one twice": (
            20_000,
            lambda n: _argument_text("{" + _names(n) + f',"n{n - 1}":1}}'),
        ),
        "names nobody knows": (20_000, lambda n: native(**{f"m{number}": 0 for number in range(n)})),
        "names nobody knows in the call": (
            20_000,
            lambda n: native(action={"tool": "send", "arguments": {}, **{f"m{x}": 0 for x in range(n)}}),
        ),
        "length of a name": (200_000, lambda n: _raw('{"' + "n" * n + '":0}')),
        "length of a name that stands twice": (200_000, lambda n: _raw('{"' + "n" * n + '":0,"' + "n" * n + '":0}')),
        "length of a name above what cannot be kept": (
            5_000,
            lambda n: _raw('{"' + "n" * n + '":[' + ",".join(['"\\u0000"'] * (n // 10)) + "]}"),
        ),
        "depth": (20_000, lambda n: _raw(_nested(n, "[", "]"))),
        "depth of objects": (20_000, lambda n: _raw(_nested(n, '{"a":', "}"))),
        "depth with items": (20_000, lambda n: _raw(_nested(n, "[1,", "]"))),
        "depth of a text's value": (20_000, lambda n: _argument_text('{"a":' + _nested(n, "[", "]") + "}")),
        "unclosed lists": (20_000, lambda n: b"[" * n),
        "unclosed objects": (20_000, lambda n: b'{"a":' * n),
        "strings before what is too deep": (20_000, lambda n: ("[" + '"a\\"",' * n + "[" * 2_000).encode()),
        "an open string behind what is too deep": (50_000, lambda n: ("[" * 2_000 + '"' + '\\"' * n).encode()),
        "a long string before what is too deep": (
            200_000,
            lambda n: ('["' + "a" * n + '",' + _nested(2_000, "[", "]") + "]").encode(),
        ),
        "items": (50_000, lambda n: _raw("[" + ",".join(["0"] * n) + "]")),
        "empty lists": (30_000, lambda n: _raw("[" + ",".join(["[]"] * n) + "]")),
        "lists within the depth": (2_000, lambda n: _raw("[" + ",".join([_nested(_DEEP, "[", "]")] * n) + "]")),
        "fractions": (20_000, lambda n: _raw("[" + ",".join(["0.1"] * n) + "]")),
        "items that cannot be kept": (20_000, lambda n: _raw("[" + ",".join(['"\\u0000"'] * n) + "]")),
        "digits": (200_000, lambda n: _raw("7" * n)),
        "digits of a fraction": (200_000, lambda n: _raw("0." + "7" * n)),
        "digits before a point": (200_000, lambda n: _raw("7" * n + ".5")),
        "digits of an exponent": (200_000, lambda n: _raw("1e" + "7" * n)),
        "long integers": (200, lambda n: _raw("[" + ",".join(["7" * 300] * n) + "]")),
        "long integers in a text": (200, lambda n: _argument_text('{"a":[' + ",".join(["7" * 4_000] * n) + "]}")),
        "escapes": (50_000, lambda n: _raw('"' + "\\u00e9" * n + '"')),
        "escaped quotes": (100_000, lambda n: _raw('"' + '\\"' * n + '"')),
        "escaped pairs": (30_000, lambda n: _raw('"' + "\\ud83d\\ude00" * n + '"')),
        "escaped halves of pairs": (30_000, lambda n: _raw('"' + "\\ud83d" * n + '"')),
        "backslashes": (100_000, lambda n: _argument_text("\\" * n)),
        "a long text": (300_000, lambda n: native(query="a" * n)),
        "white space": (400_000, lambda n: native() + b" " * n),
        "lines before a mistake": (400_000, lambda n: b"\n" * n + b"{"),
        "blank request": (400_000, lambda n: native(query=" " * n)),
        "tools": (2_000, lambda n: native(tools=[{**_TOOL, "name": f"t{number}"} for number in range(n)])),
        "tools of one name": (2_000, lambda n: native(tools=[_TOOL] * n)),
        "empty tools": (10_000, lambda n: native(tools=[{}] * n)),
        "tools of a namespace": (
            2_000,
            lambda n: responses(
                tools=[{"type": "namespace", "name": "s", "tools": [{**_TOOL, "name": f"t{x}"} for x in range(n)]}]
            ),
        ),
        "namespaces": (2_000, lambda n: responses(tools=[{"type": "namespace", "name": "s", "tools": []}] * n)),
        "listings of tools": (5_000, lambda n: mcp(tools=[{"tools": []}] * n)),
        "properties of a schema": (
            5_000,
            lambda n: native(
                tools=[{**_TOOL, "parameters": {"properties": {f"p{x}": {"type": "string"} for x in range(n)}}}]
            ),
        ),
        "required names": (20_000, lambda n: native(tools=[{**_TOOL, "parameters": {"required": ["to"] * n}}])),
        "messages": (5_000, lambda n: chat(messages=[_USER] * n)),
        "empty messages": (20_000, lambda n: chat(messages=[{}] * n)),
        "system messages": (5_000, lambda n: chat(messages=[_USER, *[{"role": "system", "content": "Be."}] * n])),
        "parts of a message": (5_000, lambda n: chat(messages=[{"role": "user", "content": [_text("a")] * n}])),
        "strings of a message": (20_000, lambda n: chat(messages=[{"role": "user", "content": ["a"] * n}])),
        "empty parts": (20_000, lambda n: chat(messages=[{"role": "user", "content": [{}] * n}])),
        "calls of a message": (
            2_000,
            lambda n: chat(messages=[_USER, {"role": "assistant", "tool_calls": [_turn(x) for x in range(n)]}]),
        ),
        "calls of one id": (2_000, lambda n: chat(messages=[_USER, {"role": "assistant", "tool_calls": [_CALL] * n}])),
        "calls and results": (
            1_000,
            lambda n: chat(
                messages=[
                    _USER,
                    *(
                        message
                        for number in range(n)
                        for message in (
                            {"role": "assistant", "tool_calls": [_turn(number)]},
                            {"role": "tool", "tool_call_id": f"c{number}", "content": "ok"},
                        )
                    ),
                ]
            ),
        ),
        "results of no call": (
            5_000,
            lambda n: chat(messages=[_USER, *[{"role": "tool", "tool_call_id": "x", "content": "ok"}] * n]),
        ),
        "blocks": (
            5_000,
            lambda n: anthropic(
                messages=[
                    _USER,
                    {
                        "role": "assistant",
                        "content": [{"type": "tool_use", "id": f"t{x}", "name": "send", "input": {}} for x in range(n)],
                    },
                ]
            ),
        ),
        "items of an input": (5_000, lambda n: responses(input=[_USER] * n)),
        "added tools": (5_000, lambda n: responses(input=[_USER, *[{"type": "additional_tools", "tools": [{}]}] * n])),
        "history": (5_000, lambda n: native(history=[{"tool": "send", "arguments": {}, "outcome": "ok"}] * n)),
        "results with the same twice": (
            2_000,
            lambda n: mcp(
                history=[
                    {
                        "call": {"name": "send", "arguments": {}},
                        "result": {
                            "content": [{"type": "text", "text": "[1]"}] * n,
                            "structuredContent": {"a": [1] * n},
                        },
                    }
                ]
            ),
        ),
        "sources": (
            5_000,
            lambda n: native(sources=[{"kind": "memory", "name": f"s{x}", "text": "a"} for x in range(n)]),
        ),
        "length of inline media": (200_000, lambda n: chat(messages=[_USER, {"role": "user", "content": [_media(n)]}])),
        "inline media": (4_000, lambda n: chat(messages=[_USER, {"role": "user", "content": [_media(80)] * n}])),
        "structures beside media": (
            150_000,
            lambda n: chat(messages=[_USER, {"role": "user", "content": [_media(300_000)]}], metadata={"a": [[]] * n}),
        ),
        "types that are nested": (
            3_000,
            lambda n: chat(messages=[_USER, {"role": "user", "content": [_media(300_000), _typed(_DEEP, n)]}]),
        ),
        "plan": (2_000, lambda n: native(plan=[{"message": "Do.", "tool_use": ["send"]}] * n)),
        **{f"{kind} that the request says": (5_000, partial(_said, values)) for kind, values in _CALLED.items()},
        "a list that the request says": (
            5_000,
            lambda n: native(
                query=f"Send it to {' and '.join(islice(cycle(_NAMES), n))}",
                action={"tool": "send", "arguments": {"to": _NAMES}},
            ),
        ),
        "records of a call's values": (2_000, _recorded),
        "results that say one word": (256, _repeated),
        "metadata": (5_000, lambda n: native(metadata={f"m{x}": "a" for x in range(n)})),
    }
)
"""A size at which reading takes long enough to be measured, and the body of any size."""


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _typed(depth: int, count: int) -> dict[str, Any]:
    """Objects whose `type` holds the next one, with so many items at the bottom."""
    value: Any = ["a"] * count
    for _ in range(depth):
        value = {"type": value}
    return {"type": value}
