"""Google's Schema-Guided Dialogues: each call to a service in talks that people worded, and all are right.

Reads the folder of one part as published: `schema.json`, which documents the services, and `dialogues_*.json`. A call
stands in the assistant's turn, before what the assistant says of its results. Of a slot that the user leaves open
("dontcare") nothing is sent. Relative days are told on the first of March 2019.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, LabelledTrace, Outcome, Recorded
from reviews.evaluation.benchmarks.reading import limit_parts, list_json_files, locate_errors, number_records, read_json
from reviews.provenance.core.context import Case, JsonValue, ProposedAction, Step
from reviews.provenance.formats import native

NOW: Final = datetime(2019, 3, 1, 9, tzinfo=UTC)
"""A Friday: "Thursday next week" is the seventh."""
_OPEN: Final = "dontcare"

Data = Mapping[str, Any]


@dataclass(frozen=True)
class SchemaGuided(Benchmark):
    """The dialogues of one part, in its folder."""

    folder: Path
    name: str = "schema-guided"

    def iter_records(self) -> Iterator[Recorded]:
        """Every dialogue, not yet read. Raises `TraceDataError`."""
        schema = self.folder / "schema.json"
        with locate_errors(schema.name):
            services = {service["service_name"]: service for service in read_json(schema)}
        for path in list_json_files(self.folder, "dialogues_*.json"):
            with locate_errors(path.name):
                dialogues = list(read_json(path))
            yield from number_records(path, "dialogue", dialogues, partial(_read_trace, services=services))


def _read_trace(dialogue: Data, services: Mapping[str, Data]) -> LabelledTrace:
    tools = list(limit_parts(_tools_of([services[name] for name in dialogue["services"]]), "tools"))
    turns = list(limit_parts(dialogue["turns"], "turns"))
    history = list(limit_parts(_read_history(turns, services), "turns and calls"))
    # Read once: each call stands in the history, and is judged in what comes before it.
    context = native.parse_context({"query": turns[0]["utterance"], "tools": tools, "history": history}).context
    cases: list[LabelledCase] = []
    for at, step in enumerate(context.history):
        document = context.tool(step.tool) if isinstance(step, Step) else None
        if isinstance(step, Step) and document is not None:
            case = Case(
                replace(context, history=context.history[:at], now=NOW), ProposedAction(step.tool, step.arguments)
            )
            name = f"schema-guided/{dialogue['dialogue_id']}/{at}"
            look_up = not document.environment_changing
            cases.append(LabelledCase(name, "right", case, False, frozenset(), look_up=look_up))
    group = "+".join(dialogue["services"])
    return LabelledTrace(f"schema-guided/{dialogue['dialogue_id']}", group, Outcome.SUCCESSFUL, tuple(cases))


def _tools_of(services: Sequence[Data]) -> Iterator[Data]:
    for service in services:
        slots = {slot["name"]: slot for slot in service["slots"]}
        for intent in service["intents"]:
            names = [*intent["required_slots"], *intent["optional_slots"]]
            parameters = {
                "type": "object",
                "properties": {name: _schema_of(slots[name]) for name in names},
                "required": intent["required_slots"],
            }
            yield {
                "name": _tool_name(service, intent["name"]),
                "description": intent["description"],
                "parameters": parameters,
                "environment_changing": intent["is_transactional"],
            }


def _tool_name(service: Data, intent: str) -> str:
    # Services of one dialogue may have intents of one name.
    return f"{service['service_name']}.{intent}"


def _schema_of(slot: Data) -> Data:
    described, choices = {"description": slot["description"]}, slot["possible_values"] if slot["is_categorical"] else []
    if choices and {"True", "False"}.issuperset(choices):
        return {**described, "type": "boolean"}
    if choices and all(choice.isdigit() for choice in choices):
        return {**described, "type": "integer"}
    return {**described, "type": "string", **({"enum": choices} if choices else {})}


def _read_history(turns: Sequence[Data], services: Mapping[str, Data]) -> Iterator[Data]:
    """What happened behind the request: calls with their results, and what was said."""
    for turn in turns[1:]:
        for frame in turn["frames"]:
            if "service_call" in frame:
                yield _read_call(frame, services[frame["service"]])
        yield {"role": "user" if turn["speaker"] == "USER" else "assistant", "text": turn["utterance"]}


def _read_call(frame: Data, service: Data) -> Data:
    slots = {slot["name"]: slot for slot in service["slots"]}
    sent = {name: value for name, value in frame["service_call"]["parameters"].items() if value != _OPEN}
    return {
        "tool": _tool_name(service, frame["service_call"]["method"]),
        "arguments": {name: _typed(value, _schema_of(slots[name])["type"]) for name, value in sent.items()},
        "outcome": frame.get("service_results", []),
    }


def _typed(value: str, kind: str) -> JsonValue:
    """The value as an agent would send it: all of them are published as texts."""
    return value == "True" if kind == "boolean" else int(value) if kind == "integer" and value.isdigit() else value
