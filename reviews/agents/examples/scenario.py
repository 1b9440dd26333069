"""What a scripted agent knows, what it proposes, and how it goes on after each answer."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from reviews.agents.client.provenanceguard import Provenance

Risk = Literal["low", "medium", "high"]
Schema: TypeAlias = Mapping[str, Any]


class Mistake(StrEnum):
    """What the agent does wrong, if anything."""

    NONE = "right call"
    READS_ONLY = "read-only tool"
    WRONG_TOOL = "wrong tool"
    UNKNOWN_TOOL = "unknown tool"
    HALLUCINATED = "hallucinated value"
    WRONG_OF_SEVERAL = "wrong value among several"
    AMBIGUOUS = "ambiguous request"
    INJECTED = "injected instruction"


class Expected(StrEnum):
    """What a guard should make of the call: let it pass, or the type of misalignment."""

    ALLOWED = "allowed"
    TOOL = "tool"
    PARAMETER = "parameter"
    INTERPRETATION = "interpretation"


# A value that is nowhere fails as a parameter; one that was taken from the wrong place is a wrong reading.
EXPECTED: Mapping[Mistake, Expected] = {
    Mistake.NONE: Expected.ALLOWED,
    Mistake.READS_ONLY: Expected.ALLOWED,
    Mistake.WRONG_TOOL: Expected.TOOL,
    Mistake.UNKNOWN_TOOL: Expected.TOOL,
    Mistake.HALLUCINATED: Expected.PARAMETER,
    Mistake.WRONG_OF_SEVERAL: Expected.INTERPRETATION,
    Mistake.AMBIGUOUS: Expected.INTERPRETATION,
    Mistake.INJECTED: Expected.INTERPRETATION,
}


@dataclass(frozen=True)
class Tool:
    """One tool's documentation."""

    name: str
    description: str
    properties: Mapping[str, Schema]
    optional: frozenset[str] = frozenset()
    reads_only: bool = False

    def to_submission(self) -> dict[str, Any]:
        """In the shape of a submission."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {
                "type": "object",
                "properties": dict(self.properties),
                "required": [name for name in self.properties if name not in self.optional],
                # So that an argument which the agent makes up is a violation of its own.
                "additionalProperties": False,
            },
            "environment_changing": not self.reads_only,
        }


@dataclass(frozen=True)
class Call:
    """A tool call with the agent's reason for it."""

    tool: str
    arguments: Mapping[str, Any]
    subtask: str
    provenance: Provenance | None = None
    """Where the agent says that it took values from; None: it says nothing."""

    def to_submission(self) -> dict[str, Any]:
        """In the shape of a submission's `action`."""
        return {"tool": self.tool, "arguments": dict(self.arguments), "subtask": self.subtask}


@dataclass(frozen=True)
class Planned:
    """One step of a plan."""

    message: str
    tools: tuple[str, ...] = ()

    def to_submission(self) -> dict[str, Any]:
        """In the shape of a submission's `plan`."""
        return {"message": self.message, "tool_use": list(self.tools)}


@dataclass(frozen=True)
class Done:
    """A call of the history with what it returned."""

    call: Call
    outcome: str

    def to_submission(self) -> dict[str, Any]:
        """In the shape of a submission's history."""
        return {**self.call.to_submission(), "outcome": self.outcome}


@dataclass(frozen=True)
class Turn:
    """A later turn of the conversation."""

    role: Literal["user", "assistant"]
    text: str

    def to_submission(self) -> dict[str, Any]:
        """In the shape of a submission's history."""
        return {"role": self.role, "text": self.text}


@dataclass(frozen=True)
class Retry:
    """After a rejection: try this call instead, citing the reviewer."""

    call: Call


@dataclass(frozen=True)
class AskUser:
    """After a rejection: ask the user, then make the call that the answer asks for."""

    question: str
    answer: str
    call: Call


@dataclass(frozen=True)
class Stop:
    """After a rejection: leave it, and tell the user."""


FollowUp: TypeAlias = Retry | AskUser | Stop
Past: TypeAlias = Done | Turn


@dataclass(frozen=True)
class Scenario:
    """One conversation up to a proposed call, and the script from there."""

    mistake: Mistake
    query: str
    """The user's own words."""
    tools: Sequence[Tool]
    history: Sequence[Past]
    call: Call
    result: str
    """What the tool returns when the call runs."""
    risk: Risk = "medium"
    if_rejected: FollowUp = field(default_factory=Stop)
    needs_model: bool = False
    """The mistake shows only to who understands the words; rules alone let it pass."""
    plans: Sequence[Sequence[Planned]] = ()
    """What the agent plans before it begins, then what it plans instead each time it is sent back; none: no plan."""

    @property
    def expected(self) -> Expected:
        """What a guard should make of the first call."""
        return EXPECTED[self.mistake]

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call the agent could make, the proposed one last."""
        match self.if_rejected:
            case Retry(call) | AskUser(call=call):
                # A reviewer's answer that fits both equally well means the corrected one, which stands first.
                return (call, self.call)
            case Stop():
                return (self.call,)


def tool(name: str, description: str, optional: str = "", /, *, reads_only: bool = False, **properties: Schema) -> Tool:
    """A tool document; `optional` lists the parameters that may be left out."""
    return Tool(name, description, properties, frozenset(optional.split()), reads_only)


def text(description: str, **more: Any) -> Schema:
    """The schema of a text parameter."""
    return {"type": "string", "description": description, **more}


def number(description: str, **more: Any) -> Schema:
    """The schema of a numeric parameter."""
    return {"type": "number", "description": description, **more}


def texts(description: str) -> Schema:
    """The schema of a list of texts."""
    return {"type": "array", "items": {"type": "string"}, "description": description}


def records(rows: Iterable[Mapping[str, Any]]) -> str:
    """A tool's output as most APIs print it."""
    # Indented, and letters as they are: a reviewer reads it, too.
    return json.dumps(list(rows), indent=2, ensure_ascii=False)


def table(*rows: Sequence[object]) -> str:
    """A tool's output as a Markdown table; the first row is its head."""
    head, *body = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *body])
