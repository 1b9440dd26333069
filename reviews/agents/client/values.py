"""What the API answers, as far as an agent needs it. Reading anything else than what is documented raises."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

Submission: TypeAlias = Mapping[str, Any]
"""The body of `POST /api/v1/actions`, in any shape the API accepts."""
Provenance: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By JSON Pointer into the call's arguments: a `quote`, or a `step` or `tool_call_id` with a `path`."""

# Statuses of an action that nobody decided yet.
UNDECIDED = frozenset({"checking", "pending"})
# Outcomes after which a call may run. Listed, not told by what they are not: a new one must not run unread.
RUNNABLE = frozenset({"approve", "edit"})
# What the plan gate may say.
PLAN_ANSWERS = frozenset({"safe", "rewrite", "reject"})


@dataclass(frozen=True, slots=True)
class Call:
    """A tool with the exact arguments."""

    tool: str
    arguments: Mapping[str, Any]

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Self:
        """From an execution. Raises KeyError and TypeError."""
        return cls(_text(answer["tool"]), _mapping(answer["arguments"]))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard found."""

    aligned: bool | None
    """None: undetermined, a person looks."""
    misalignment: str | None
    reason: str

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Self:
        """From an action's `verdict`. Raises KeyError and TypeError."""
        aligned = answer["aligned"]
        # Exactly true or false: a truthy string must not read as aligned.
        return cls(aligned if isinstance(aligned, bool) else None, answer["misalignment"], _text(answer["reason"]))


@dataclass(frozen=True, slots=True)
class Decision:
    """What the agent may do now."""

    outcome: str
    """`approve`, `edit`, `reject` or `respond`."""
    decided_by: str
    """`guard`, `reviewer` or `policy`."""
    call: Call
    message: str
    model_message: str

    def __bool__(self) -> bool:
        """Raises TypeError: a rejection is a decision too."""
        raise TypeError("a decision is neither true nor false; test its outcome")

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Self:
        """From an action's `decision`. Raises KeyError and TypeError."""
        return cls(
            outcome=_text(answer["outcome"]),
            decided_by=_text(answer["decided_by"]),
            call=Call.read(answer),
            message=_text(answer["message"]),
            model_message=_text(answer["model_message"]),
        )


@dataclass(frozen=True, slots=True)
class Action:
    """A proposed call and where it stands."""

    id: str
    status: str
    trace_id: str
    metadata: Mapping[str, Any]
    verdict: Verdict | None
    decision: Decision | None

    def __bool__(self) -> bool:
        """Raises TypeError: that there is an answer does not mean that the call may run."""
        raise TypeError("an action is neither true nor false; test its decision's outcome")

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Self:
        """From the API's answer. Raises KeyError and TypeError."""
        return cls(
            id=_text(answer["id"]),
            status=_text(answer["status"]),
            trace_id=_text(answer["trace_id"]),
            metadata=_mapping(answer["metadata"]),
            verdict=Verdict.read(answer["verdict"]) if answer["verdict"] is not None else None,
            decision=Decision.read(answer["decision"]) if answer["decision"] is not None else None,
        )


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """What the plan gate says."""

    answer: str
    """`safe`: go on. `rewrite`: make a new plan and submit it. `reject`: stop and tell the user."""
    reason: str
    model_message: str
    """Ready to hand to the model that plans."""
    rewrites_left: int
    """How often the plan may still be rewritten for this request."""

    @property
    def safe(self) -> bool:
        """Whether the plan may be carried out."""
        return self.answer == "safe"

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Self:
        """From a decided plan. Raises KeyError and TypeError."""
        # An answer that this client does not know is not taken for any it does.
        if answer["answer"] not in PLAN_ANSWERS:
            raise TypeError(f"no plan is answered with {answer['answer']!r}")
        rewrites = _mapping(answer["rewrites"])
        return cls(
            answer=answer["answer"],
            reason=_text(answer["reason"]),
            model_message=_text(answer["model_message"]),
            rewrites_left=rewrites["allowed"] - rewrites["used"],
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that was submitted."""

    id: str
    answer: PlanAnswer | None
    """None while it is checked."""

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Self:
        """From the API's answer. Raises KeyError and TypeError."""
        match answer["status"]:
            case "checking":
                return cls(_text(answer["id"]), None)
            case "decided":
                return cls(_text(answer["id"]), PlanAnswer.read(answer))
            case status:
                raise TypeError(f"no plan has the status {status!r}")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a listing, newest first."""

    items: tuple[Action, ...]
    next_cursor: str | None

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Self:
        """From the API's answer. Raises KeyError and TypeError."""
        return cls(tuple(Action.read(item) for item in answer["items"]), answer["next_cursor"])


# Checked by hand: this package needs httpx and nothing else.
def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text was expected, not {type(value).__name__}")
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"an object was expected, not {type(value).__name__}")
    return value
