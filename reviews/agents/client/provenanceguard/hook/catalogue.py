"""The tools of coding agents: which only read, and what the others do."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .read_only_commands import is_read_only_command, leads_elsewhere

# Its calls are told apart by what they run.
SHELL = "Bash"
# What says nothing of how the command is read. Anything else may: another directory, variables, no sandbox.
_BESIDE_COMMAND = frozenset({"command", "description", "run_in_background", "timeout"})
# Exact names: `Read` must not let `ReadAndDelete` pass. Whatever fetches from the web is no reading here: an address
# can carry away what the agent has read.
_READ_ONLY = frozenset({"Glob", "Grep", "LS", "NotebookRead", "Read"})
_REGULAR_EXPRESSION = ("Grep", "pattern")
"""The one argument of theirs that is neither a path nor a part of one."""
_DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {
        SHELL: "Runs a command in a shell on the user's machine.",
        "Edit": "Replaces text in a file.",
        "MultiEdit": "Replaces several texts in a file.",
        "NotebookEdit": "Changes a cell of a notebook.",
        "Task": "Starts another agent with this prompt.",
        "WebFetch": "Fetches the page at an address and reads it.",
        "WebSearch": "Searches the web.",
        "Write": "Writes a file, over what is there.",
    }
)


def is_read_only(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the call changes nothing, and tells nobody outside of the machine anything."""
    if tool == SHELL:
        command = arguments.get("command")
        is_all = arguments.keys() <= _BESIDE_COMMAND
        return is_all and isinstance(command, str) and is_read_only_command(command)
    return tool in _READ_ONLY and all(_stays_here(tool, name, value) for name, value in arguments.items())


def _stays_here(tool: str, name: str, value: Any) -> bool:
    """Whether an argument names nothing of another machine. What is neither text nor number might hold anything."""
    if isinstance(value, str):
        return (tool, name) == _REGULAR_EXPRESSION or not leads_elsewhere(value)
    return value is None or isinstance(value, (bool, int, float))


def tool_document(tool: str) -> dict[str, Any]:
    """The tool as the guard is told of it: hosts do not pass on the documents that their model was given."""
    return {"name": tool, "description": _DESCRIPTIONS.get(tool, ""), "input_schema": {"type": "object"}}
