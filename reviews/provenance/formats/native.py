"""Our own shape: query, tools, history, sources, action."""

from typing import Final

from reviews.provenance.core.context import ProposedAction, Step, ToolDoc
from reviews.provenance.formats.arguments import require_arguments
from reviews.provenance.formats.content import as_json
from reviews.provenance.formats.history import HistoryReader
from reviews.provenance.formats.json_nodes import Node


def _read_action(submission: Node, tools: tuple[ToolDoc, ...]) -> tuple[ProposedAction, str]:
    call = submission.member("action")
    call.object(required=True)
    call.refuse_other_fields("tool", "arguments", "subtask", "tool_call_id")
    arguments = call.member("arguments")
    action = ProposedAction(
        call.member("tool").name(), arguments.record_object(), call.member("subtask").text() or None
    )
    require_arguments(arguments, action.tool, tools)
    return action, call.member("tool_call_id").name(required=False)


def _read_step(item: Node) -> Step:
    item.refuse_other_fields("tool", "arguments", "outcome", "subtask")
    outcome = item.member("outcome")
    return Step(
        item.member("tool").name(),
        item.member("arguments").record_object(),
        # Anything but text is taken as JSON, whose values can be found and shown where they stand.
        outcome.value if isinstance(outcome.value, str) else as_json(outcome) if outcome.present else None,
        item.member("subtask").text() or None,
    )


READER: Final = HistoryReader(name="our own shape", read_action=_read_action, read_step=_read_step)
parse, parse_context = READER.parse, READER.parse_context
