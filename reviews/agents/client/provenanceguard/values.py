"""What the API answers. Reading anything else than what is documented raises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn, TypeAlias

Submission: TypeAlias = Mapping[str, Any]
"""The body of `POST /api/v1/actions`, in any shape the API accepts."""
Provenance: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By JSON Pointer into the call's arguments: a `quote`, or a `step` or `tool_call_id` with a `path`."""

UNDECIDED = frozenset({"checking", "pending"})
"""Statuses of an action that nobody decided yet."""
ENDED = frozenset({"expired", "cancelled", "superseded"})
"""Statuses of an action that nobody will decide any more."""


class NeitherTrueNorFalse:
    """A value that no `if` may take for a permission."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        """Raises TypeError: a rejection is an answer too."""
        raise TypeError(f"{type(self).__name__} is neither true nor false; look at what it says")


@dataclass(frozen=True)
class Call:
    """A tool with the exact arguments."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Evidence:
    """A stretch of a named source that a finding rests on."""

    source: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True)
class Finding:
    """One relation tested on one subject."""

    relation: str
    subject: str
    holds: bool | None
    rationale: str
    decided_by: str
    grounding: str | None
    score: float | None
    evidence: tuple[Evidence, ...]
    sources: tuple[str, ...]
    trust: float | None
    untrusted_only: bool
    rule: str


@dataclass(frozen=True)
class Interpretation:
    """Another admissible reading of the request."""

    id: str
    reading: str
    tool: str
    arguments: Mapping[str, Any]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Usage:
    """What the judge's calls cost."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


@dataclass(frozen=True)
class Verdict(NeitherTrueNorFalse):
    """What the guard's detector established."""

    aligned: bool | None
    """None: undetermined, a person looks."""
    misalignment: str | None
    reason: str
    detector: str
    detector_version: str
    judge: str
    prompts: Mapping[str, str]
    usage: Usage
    seconds: float | None
    score: float | None
    findings: tuple[Finding, ...]
    interpretations: tuple[Interpretation, ...]


@dataclass(frozen=True)
class Decision(NeitherTrueNorFalse):
    """What the agent may do now."""

    id: str
    outcome: str
    """`approve`, `edit`, `reject` or `respond`."""
    decided_by: str
    """`guard`, `reviewer` or `policy`."""
    tool: str
    arguments: Mapping[str, Any]
    digest: str
    message: str
    interpretation: str | None
    model_message: str
    """Ready to hand to the agent's model as the result of its tool call."""
    decided_at: datetime
    executable_until: datetime | None

    @property
    def call(self) -> Call:
        """The call it is about, as edited."""
        return Call(self.tool, self.arguments)


@dataclass(frozen=True)
class Links:
    """Where to go on from here, as paths."""

    self: str
    execution: str
    outcome: str
    provenance: str
    cancel: str
    review: str = ""
    """The page on which people decide; empty where the server does not say."""


@dataclass(frozen=True)
class Action(NeitherTrueNorFalse):
    """A proposed call and where it stands."""

    id: str
    status: str
    digest: str
    trace_id: str
    tool: str
    arguments: Mapping[str, Any]
    subtask: str
    tool_call_id: str
    risk: str
    retry_of: str | None
    attempt: int
    metadata: Mapping[str, Any]
    created_at: datetime
    expires_at: datetime
    settled_at: datetime | None
    verdict: Verdict | None
    decision: Decision | None
    links: Links
    is_test: bool = False
    """Whether it was proposed with a test key, and decided as it says itself."""
    waits_because: str | None = None
    """Why it waits for a person; None unless its status is `pending`."""


@dataclass(frozen=True)
class Execution:
    """The one-time permission to run exactly this call."""

    id: str
    action_id: str
    decision_id: str
    tool: str
    arguments: Mapping[str, Any]
    digest: str
    started_at: datetime
    status: str
    reported_at: datetime | None
    replaced_characters: int
    deviates: bool = False
    """Whether what ran, by the report, is another call than the approved one."""

    @property
    def call(self) -> Call:
        """What to run, and nothing else."""
        return Call(self.tool, self.arguments)


@dataclass(frozen=True)
class UserConfirmation:
    """A page on which the acting user decides one waiting call."""

    # Not shown with the object, which may be logged or handed on: whoever has it answers for the user.
    url: str = field(repr=False)
    expires_at: datetime
    """When the call stops waiting."""


@dataclass(frozen=True)
class Page:
    """One page of a listing, newest first."""

    items: tuple[Action, ...]
    next_cursor: str | None


@dataclass(frozen=True)
class EventLinks:
    """Where the rest is read, as addresses."""

    self: str
    review: str


@dataclass(frozen=True)
class EventData(NeitherTrueNorFalse):
    """The call of an event, and where it then stood: no permission to run it."""

    id: str
    status: str
    outcome: str | None
    decided_by: str | None
    agent: str
    trace_id: str
    tool_call_id: str
    tool: str
    metadata: Mapping[str, Any]
    expires_at: datetime
    links: EventLinks


@dataclass(frozen=True)
class Event(NeitherTrueNorFalse):
    """What became of a call."""

    id: str
    """To go on behind it: `guard.events(after=event.id)`."""
    type: str
    """Such as `action.decided`."""
    timestamp: datetime
    data: EventData


@dataclass(frozen=True)
class EventPage:
    """A part of the feed of events, the oldest first."""

    items: tuple[Event, ...]
    cursor: str
    """To go on behind it, also where there are no items."""
    has_more: bool
