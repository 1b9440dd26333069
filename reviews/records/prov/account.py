"""What a PROV document is written from: one proposal, what was found about it, and what was decided."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reviews.provenance.core.context import Case, JsonValue, Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.verdicts import Verdict


@dataclass(frozen=True)
class Party:
    """Somebody who acted. Identified by the row's key, never by a name somebody chose."""

    id: UUID | int
    name: str


@dataclass(frozen=True)
class Checked:
    """One detector's finished look at the proposal."""

    verdict: Verdict
    detector: str
    version: str = ""
    judge: str = ""
    """Who answered what rules could not; empty when nobody was named."""
    finished_at: datetime | None = None
    established: bool = False
    """Whether every relation that the method asks for holds."""


@dataclass(frozen=True)
class EditedValue:
    """One value of a call a reviewer edited."""

    pointer: str
    value: JsonValue
    grounding: Grounding
    typed_by_reviewer: bool
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Decided:
    """One decision about the proposal."""

    outcome: str
    """`approve`, `edit`, `reject` or `respond`."""
    decided_by: str
    """`guard`, `policy` or `reviewer`."""
    tool: str
    arguments: Mapping[str, JsonValue]
    digest: str
    """Of the call the decision speaks of: the proposed one, or the edited one."""
    at: datetime
    in_force: bool = True
    message: str = ""
    reviewer: Party | None = None
    began_at: datetime | None = None
    """When the reviewer took the item up."""
    values: tuple[EditedValue, ...] = ()
    """For an edit: the values of the edited call."""


@dataclass(frozen=True)
class Account:
    """Everything to be told about one proposal, in the order it happened."""

    id: UUID
    """Names the document's own things: two accounts of one action speak of the same."""
    workspace: UUID
    """Names the people and agents, who act in many documents."""
    case: Case
    agent: Party
    digest: str = ""
    """SHA-256 over the canonical JSON of the proposed tool and arguments."""
    proposed_at: datetime | None = None
    checks: tuple[Checked, ...] = ()
    decisions: tuple[Decided, ...] = ()
