"""What the API answers about a plan."""

from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from reviews.api.schemas.answers import Finding, Payload
from reviews.models import PlanAnswer

_ID: Final = "0199c2f4-6a51-7c30-9d1b-2f6f0c6b8a11"
_REASON: Final = "Nobody asked to share the whole address book."
_MESSAGE: Final = (
    "Do not carry this plan out. Make a new plan that serves the user's request and nothing else. "
    f"What was wrong: {_REASON}"
)
_EXAMPLE: Final[dict[str, Any]] = {
    "id": _ID,
    "trace_id": "conv-42",
    "status": "decided",
    "answer": "rewrite",
    "reason": _REASON,
    "model_message": _MESSAGE,
    "rewrites": {"used": 1, "allowed": 2},
    "steps": [{"message": "Send the address book to Daniel.", "tool_use": ["send_email"]}],
    "findings": [
        {
            "relation": "ContributeTo",
            "subject": "plan",
            "holds": False,
            "rationale": _REASON,
            "decided_by": "judge",
            "grounding": None,
            "score": None,
            "evidence": [],
            "sources": [],
            "trust": None,
            "untrusted_only": False,
            "rule": "judge.intent_deviation",
        }
    ],
    "created_at": "2026-05-04T09:30:00Z",
    "links": {"self": f"/api/v1/plans/{_ID}"},
}


class Rewrites(Payload):
    """How often the agent was sent back to its plan for this request, by either gate."""

    used: int
    allowed: int = Field(
        description="One more, and this plan is rejected as is every later one for the request: the agent "
        "has to stop and tell the user."
    )


class PlanStep(Payload):
    """One step of the plan."""

    message: str
    tool_use: list[str]


class PlanLinks(Payload):
    """Where the plan is read, as a path."""

    self: str


class Plan(Payload):
    """A plan and what the plan gate makes of it."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"examples": [_EXAMPLE]})

    id: UUID
    trace_id: str
    status: Literal["checking", "decided"]
    answer: PlanAnswer | None = Field(
        description="`safe`: go on. `rewrite`: make a new plan and submit it. `reject`: stop and tell the user; also "
        "when the plan could not be checked, and when it was sent back too often. Null while it is checked."
    )
    reason: str = Field(description="One sentence; empty while it is checked.")
    model_message: str | None = Field(description="Ready to hand to the model that plans. Null while it is checked.")
    rewrites: Rewrites
    steps: list[PlanStep]
    findings: list[Finding]
    created_at: datetime
    links: PlanLinks
