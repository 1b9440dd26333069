"""Small folders in the shapes of τ-bench, BFCL and the pairs, of which a test changes a part."""

import json
from pathlib import Path
from typing import Any

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, cases_of
from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, Step, ToolDoc


def document(tool: str, description: str, /, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": tool, "description": description, "parameters": schema}}


TEXT = {"type": "string"}
FIND = document("find_booking", "Finds a booking.", name=TEXT)
CANCEL = document("cancel_booking", "Cancels a booking.", booking_id=TEXT)


def call(call_id: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


CONVERSATION = {
    "id": "hotel/1",
    "reward": 1,
    "truth": [{"name": "cancel_booking", "kwargs": {"booking_id": "B17"}}],
    "messages": [
        {"role": "user", "content": "Cancel my booking, I am Ann."},
        call("c1", "find_booking", name="Ann"),
        {"role": "tool", "tool_call_id": "c1", "content": '{"booking_id": "B17"}'},
        # Ids of calls repeat in the published data, too.
        call("c1", "cancel_booking", booking_id="B17"),
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ],
    "calls": [{"at": 3, "id": "c1", "label": "right", "differing": None, "accepted": True}],
}
ENTRY = {
    "id": "task_1",
    "classes": ["Hotel"],
    "turns": [
        {
            "user": "Find Ann's booking.",
            "steps": [{"tool": "find_booking", "arguments": {"name": "Ann"}, "result": "B17"}],
        },
        {
            "user": "Cancel it.",
            "steps": [{"tool": "cancel_booking", "arguments": {"booking_id": "B17"}, "result": "{}"}],
        },
    ],
}
PAIR = {
    "name": "the other guest",
    "kind": "record",
    "language": "en",
    "right": {"tool": "cancel_booking", "arguments": {"booking_id": "B17"}},
    "wrong": {"tool": "cancel_booking", "arguments": {"booking_id": "B18"}},
    "body": {"query": "Cancel Ann's booking", "tools": [CANCEL], "now": "2030-01-02T03:04:05+00:00"},
}


def taubench_folder(folder: Path, **changed: Any) -> Path:
    content = {
        "tools": [FIND, CANCEL],
        "system": "Be kind.",
        "write": ["cancel_booking"],
        "conversations": [{**CONVERSATION, **changed}],
    }
    (folder / "hotel.json").write_text(json.dumps(content))
    return folder


def bfcl_folder(folder: Path, **changed: Any) -> Path:
    content = {"tools": {"Hotel": [FIND, CANCEL]}, "entries": [{**ENTRY, **changed}]}
    (folder / "base.json").write_text(json.dumps(content))
    return folder


def pairs_folder(folder: Path, **changed: Any) -> Path:
    (folder / "pairs.json").write_text(json.dumps([{**PAIR, **changed}]))
    return folder


def cases_in(benchmark: Benchmark) -> list[LabelledCase]:
    return list(cases_of(benchmark.read_traces()))


def proposed(
    arguments: dict[str, JsonValue],
    *,
    outcome: str = "",
    properties: dict[str, Any] | None = None,
    description: str = "",
) -> Case:
    """A call of one tool, after another tool returned something."""
    tool = ToolDoc("change", description, {"type": "object", "properties": properties or {}})
    history = (Step("look_up", {}, outcome),) if outcome else ()
    return Case(Context("Do it", (tool,), history), ProposedAction("change", arguments))
