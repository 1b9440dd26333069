"""Conversations made up for tests, each with a call that its words ask for, one that they do not ask for, or both."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from reviews.provenance.core.context import Context, Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind
from tests.provenance.argument_grounding import tools

NOW = datetime(2026, 3, 4, 10, tzinfo=UTC)
SYSTEM = NamedText(SourceKind.SYSTEM_PROMPT, "system", "You are a helpful assistant.")


@dataclass(frozen=True)
class Made:
    """One conversation; a call that is missing was not worth telling, or there is none."""

    name: str
    context: Context
    right: ProposedAction | None
    wrong: ProposedAction | None


def agent(text: str) -> Message:
    return Message("assistant", text)


def user(text: str) -> Message:
    return Message("user", text)


def result(tool: str, outcome: Any, /, **arguments: Any) -> Step:
    """A look-up and what it returned; what is no text, as JSON."""
    return Step(tool, arguments, outcome if isinstance(outcome, str) else json.dumps(outcome))


def call(tool: str, /, **arguments: Any) -> ProposedAction:
    return ProposedAction(tool, arguments)


def context(query: str, *history: Step | Message, offered: tuple[ToolDoc, ...] = tools.ALL) -> Context:
    return Context(query, offered, history, (SYSTEM,), NOW)


def made(
    domain: tuple[ToolDoc, ...],
    query: str,
    *history: Step | Message,
    right: ProposedAction | None = None,
    wrong: ProposedAction | None = None,
) -> Made:
    return Made(query, context(query, *history, offered=domain), right, wrong)
