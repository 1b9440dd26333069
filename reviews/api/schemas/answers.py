"""What the API answers, as pydantic models: they write the JSON and the OpenAPI document alike."""

from datetime import datetime
from typing import Literal, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from reviews.models import DecidedBy, EventType, LabelSource, MisalignmentType, Outcome, Risk, Status

Arguments: TypeAlias = dict[str, JsonValue]


class Payload(BaseModel):
    """A part of an answer. Times are RFC 3339 in UTC."""

    model_config = ConfigDict(frozen=True)


class Evidence(Payload):
    """A stretch of a named source that a finding rests on."""

    source: str
    start: int = Field(description="Offset in characters, from 0.")
    end: int = Field(description="Offset behind the last character.")
    quote: str


class Finding(Payload):
    """One relation tested on one subject."""

    relation: str
    subject: str = Field(description="The tool, the subtask, or the JSON Pointer of an argument.")
    holds: bool | None = Field(description="Null: could not be established either way.")
    rationale: str
    decided_by: Literal["rule", "judge"]
    grounding: str | None = Field(description="How an argument value was traced to its source.")
    score: float | None
    evidence: list[Evidence]
    sources: list[str] = Field(description="What wrote the evidence: `user_query`, `tool_output` and so on.")
    trust: float | None = Field(description="The lowest trust among the sources, 0 to 1; null without evidence.")
    untrusted_only: bool = Field(
        description="Nothing supports the value but text that others wrote and to which the request does not lead."
    )
    rule: str = Field(
        description="What decided it or left it open, such as `proofs.near_copy` or `judge.support`; empty for what "
        "needs no rule, such as that a tool is documented."
    )


class Interpretation(Payload):
    """Another admissible reading of the request."""

    id: UUID
    reading: str
    tool: str
    arguments: Arguments
    evidence: list[Evidence]


class Usage(Payload):
    """What the judge's calls cost."""

    # Zeros for what rules alone have decided.
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0


class Verdict(Payload):
    """What the detector established about the action."""

    aligned: bool | None = Field(
        description="True: every relation the method asks for holds. False: one is refuted. Null: neither could be "
        "established; the workspace's profile says whether a person looks."
    )
    misalignment: MisalignmentType | None
    reason: str
    detector: str
    detector_version: str
    judge: str = Field(description="Who answered what rules could not; empty before the check has begun.")
    prompts: dict[str, str] = Field(description="Version of each prompt a model may have been asked with.")
    usage: Usage
    seconds: float | None
    score: float | None
    findings: list[Finding]
    interpretations: list[Interpretation]


class Decision(Payload):
    """What the agent may do now."""

    id: UUID
    outcome: Outcome
    decided_by: DecidedBy = Field(
        description="`guard`: everything asked for is established. `policy`: the workspace lets it pass or denies it "
        "without a person, for the reason in `message`. `reviewer`: a person. `user`: the acting user, by a link."
    )
    tool: str
    arguments: Arguments
    digest: str = Field(description="SHA-256 over the canonical JSON (RFC 8785) of tool and arguments.")
    message: str
    interpretation: UUID | None
    model_message: str = Field(description="Ready to hand to the agent's model as the result of its tool call.")
    decided_at: datetime
    executable_until: datetime | None = Field(
        description="Until when the permission to run may be taken, unless a later try of the call (`retry_of`) has "
        "taken its place by then; null when the call must not run."
    )


class UserConfirmation(Payload):
    """Where the acting user decides one call."""

    url: str = Field(
        description="For the user alone: whoever opens it may confirm or refuse the call, once. No model may see it."
    )
    expires_at: datetime


class Links(Payload):
    """Where to go on from here, as paths."""

    self: str
    execution: str
    outcome: str
    provenance: str
    cancel: str
    review: str = Field(description="The page on which people see the call and decide; it asks them to sign in.")


class Action(Payload):
    """A proposed call and where it stands."""

    id: UUID
    status: Status
    digest: str = Field(description="SHA-256 over the canonical JSON (RFC 8785) of the proposed tool and arguments.")
    trace_id: str
    tool: str
    arguments: Arguments
    subtask: str
    tool_call_id: str
    risk: Risk
    retry_of: UUID | None
    attempt: int
    metadata: Arguments
    is_test: bool = Field(
        description="Proposed with a test key and decided as it says itself: no permission for anything."
    )
    created_at: datetime
    expires_at: datetime
    settled_at: datetime | None
    waits_because: str | None = Field(
        description="Why the call waits for a person, also where its verdict is aligned: an equal call may run "
        "already, or the workspace reviews it; null unless the status is `pending`."
    )
    verdict: Verdict | None = Field(description="Null while the action is being checked, or when nothing checked it.")
    decision: Decision | None
    links: Links


class ActionPage(Payload):
    """One page of actions, newest first."""

    items: list[Action]
    next_cursor: str | None = Field(description="Null behind the last page.")


class Execution(Payload):
    """The one-time permission to run exactly this call, and what came of it."""

    id: UUID
    action_id: UUID
    decision_id: UUID
    tool: str
    arguments: Arguments
    digest: str
    started_at: datetime
    # Stored is only how it ended; without an end it has started.
    status: Literal["started", "succeeded", "failed"]
    reported_at: datetime | None
    deviates: bool = Field(description="Whether what ran, by the report, is another call than the approved one.")
    replaced_characters: int = Field(
        description="Characters of the outcome that cannot be stored (NUL, half a surrogate pair): U+FFFD stands there."
    )


# Hashes instead of the texts: an export goes further than the texts may, and equal contexts can still be found.
class LabelContext(Payload):
    """What the labelled call was judged against, by content hash (SHA-256)."""

    query: str
    tools: str
    sources: list[str]
    trace_revision: int
    position: int = Field(description="How many steps of the trace's history the action could see.")


class Label(Payload):
    """One person's judgement on one action: a line of the export."""

    id: UUID
    cursor: str = Field(description="Pass the last line's as `after` to go on from there; opaque.")
    action_id: UUID
    trace_id: str
    tool: str
    arguments: Arguments
    subtask: str
    digest: str
    source: LabelSource
    aligned: bool
    misalignment: MisalignmentType | None
    relation: str | None
    corrected_tool: str | None
    corrected_arguments: Arguments | None
    interpretation: Interpretation | None
    note: str
    outcome: Outcome | None
    reviewer: str | None
    decided_at: datetime | None
    context: LabelContext


class EventLinks(Payload):
    """Where the rest is read, absolute."""

    self: str = Field(description="The action.")
    review: str = Field(description="Its page for people; empty for a test key's.")


class EventData(Payload):
    """The call of an event, and where it then stood. Its arguments are read by `links.self`."""

    id: UUID
    status: Status
    outcome: Outcome | None = Field(description="Of the decision; no permission to run the call.")
    decided_by: DecidedBy | None
    agent: str
    trace_id: str
    tool_call_id: str
    tool: str
    metadata: dict[str, JsonValue]
    expires_at: datetime
    links: EventLinks


class Event(Payload):
    """What became of a call, as webhooks tell it."""

    id: str = Field(description="Pass it as `after` to go on behind this event; opaque.")
    type: EventType
    timestamp: datetime
    data: EventData


class EventPage(Payload):
    """A part of the feed, the oldest first."""

    items: list[Event]
    cursor: str = Field(description="Pass it as `after` to go on; also where there are no items.")
    has_more: bool = Field(description="Whether to ask again at once.")


class Me(Payload):
    """An agent key: whose it is, what it may do, and what it may spend."""

    agent: str
    workspace: str
    key: str = Field(description="The key's name, as people see it.")
    is_test: bool = Field(description="A test key: its calls say themselves how they are decided.")
    reads_only: bool
    reads_all_labels: bool
    reads_all_events: bool
    manages_ground_truth: bool
    profile_version: int = Field(description="The guard profile under which a call would be checked now.")
    max_wait_seconds: int = Field(description="Longest wait that is granted.")
    submissions_per_minute: int
    kilobytes_per_minute: int


class FieldError(Payload):
    """What is wrong with one field."""

    pointer: str = Field(description="JSON Pointer into the body; `/name` for a query parameter.")
    detail: str


class Problem(Payload):
    """Problem details (RFC 9457)."""

    type: str = Field(description="Names the type, and is the path of a page on what to do: `/problems/expired`.")
    title: str
    status: int
    detail: str
    # Left out where no field is to blame.
    errors: list[FieldError] = []
    request_id: str = Field("", description="The request's name, also in `X-Request-ID`: quote it when you ask.")
    # Each of one type of problem only.
    budget: str | None = Field(None, description="Of `budget-exceeded`: what is used up.")
    action: UUID | None = Field(None, description="Of `duplicate-call`: the earlier action of this call's name.")
