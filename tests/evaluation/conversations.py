"""Small folders in the shapes of the benchmarks of conversations, of which a test changes a part."""

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


def _slot(name: str, *choices: str) -> dict[str, Any]:
    return {"name": name, "description": name, "is_categorical": bool(choices), "possible_values": list(choices)}


def _intent(name: str, required: list[str], *, changes: bool) -> dict[str, Any]:
    return {
        "name": name, "description": f"{name} of a room", "is_transactional": changes,
        "required_slots": required, "optional_slots": {"quiet": "dontcare"},
    }  # fmt: skip


SERVICE = {
    "service_name": "Hotels_1",
    "slots": [_slot("city"), _slot("nights", "1", "2"), _slot("quiet", "True", "False")],
    "intents": [
        _intent("FindRoom", ["city"], changes=False),
        _intent("BookRoom", ["city", "nights"], changes=True),
    ],
}


def _called(method: str, results: list[dict[str, str]], **parameters: str) -> list[dict[str, Any]]:
    call = {"method": method, "parameters": parameters}
    return [{"service": "Hotels_1", "service_call": call, "service_results": results}]


DIALOGUE = {
    "dialogue_id": "1_00001",
    "services": ["Hotels_1"],
    "turns": [
        {"speaker": "USER", "utterance": "A room in Bath for two nights.", "frames": []},
        {
            "speaker": "SYSTEM", "utterance": "There is one. Shall I book it?",
            "frames": _called("FindRoom", [{"city": "Bath", "room": "R-12"}], city="Bath", quiet="dontcare"),
        },
        {"speaker": "USER", "utterance": "Yes, a quiet one.", "frames": []},
        {
            "speaker": "SYSTEM", "utterance": "It is booked.",
            "frames": _called("BookRoom", [], city="Bath", nights="2", quiet="True"),
        },
    ],
}  # fmt: skip


def bfcl_folder(folder: Path, **changed: Any) -> Path:
    content = {"tools": {"Hotel": [FIND, CANCEL]}, "entries": [{**ENTRY, **changed}]}
    (folder / "base.json").write_text(json.dumps(content))
    return folder


def guided_folder(folder: Path, **changed: Any) -> Path:
    (folder / "schema.json").write_text(json.dumps([SERVICE]))
    (folder / "dialogues_001.json").write_text(json.dumps([{**DIALOGUE, **changed}]))
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
