"""The six relations and those of other published methods, and what was found about each.

ProvenanceGuard paper, Table 1 (relations) and section 3 (types of misalignment).
"""

from dataclasses import astuple, dataclass, field
from enum import StrEnum
from operator import add
from typing import Any

from pydantic import TypeAdapter

from reviews.provenance.core.context import JsonValue, Span
from reviews.provenance.core.trust import SourceKind


class Relation(StrEnum):
    """The relations whose chain justifies an action."""

    SPECIFIED_BY = "SpecifiedBy"
    """SpecifiedBy(t, d_t): the tool is documented."""
    CONTRIBUTE_TO = "ContributeTo"
    """ContributeTo(s, q): the subtask serves the query."""
    RELEVANT_TO = "RelevantTo"
    """RelevantTo(d_t, s): the documented tool serves the subtask."""
    APPEAR_IN = "AppearIn"
    """AppearIn(e, q/h): the evidence stands in the query or history."""
    DERIVED_FROM = "DerivedFrom"
    """DerivedFrom(a, e): the argument value follows from the evidence."""
    CAN_ADDRESS = "CanAddress"
    """CanAddress(d_t, a, s): the tool with these arguments can do the subtask."""

    PERMITTED_BY = "PermittedBy"
    """IntentGuard: PermittedBy(p, q): plan, tool or chain of calls serves no harmful end beside the request."""
    UNTAINTED = "Untainted"
    """ARGUS: Untainted(v): no span of the context node v is anomalous. It labels v and rejects nothing."""
    SATISFIES = "Satisfies"
    """ARGUS: Satisfies(a, i): the call keeps the invariant i of the user's task."""
    ENTAILED_BY = "EntailedBy"
    """ARGUS: EntailedBy(a, e): the benign evidence alone justifies the call."""


class Misalignment(StrEnum):
    """What kind of failure stopped an action."""

    TOOL = "tool"
    PARAMETER = "parameter"
    INTERPRETATION = "interpretation"
    INJECTION = "injection"
    PLAN = "plan"


class Grounding(StrEnum):
    """How an argument value was traced to its source."""

    COPY = "copy"
    NORMALIZE = "normalize"
    DERIVE = "derive"
    RESOLVE = "resolve"
    GENERATED = "generated"
    """A generative parameter: composed by the agent, no source is asked for."""
    COMPETING = "competing"
    """Found, but other values answer the same reference equally well."""
    UNGROUNDED = "ungrounded"


class DecidedBy(StrEnum):
    """What established a finding: a rule, or a judge's answer."""

    RULE = "rule"
    JUDGE = "judge"


@dataclass(frozen=True)
class Finding:
    """One relation tested on one subject."""

    relation: Relation
    subject: str
    """The tool name, the subtask, or the JSON Pointer of an argument leaf such as `/amount`."""
    holds: bool | None
    """None: could not be established either way."""
    rationale: str
    """One sentence for a person who has ten seconds."""
    decided_by: DecidedBy = DecidedBy.RULE
    evidence: tuple[Span, ...] = ()
    grounding: Grounding | None = None
    """For DerivedFrom on an argument: how the value was traced."""
    nearest: Span | None = None
    """For a value without source: the most similar thing the context does say."""
    score: float | None = None
    """Probability that the relation holds, where one was measured."""
    sources: tuple[SourceKind, ...] = ()
    """What wrote the evidence, in order of first mention: a tool's output is another fact than the user's words."""
    trust: float | None = None
    """The lowest trust among the evidence's sources, 0 to 1; None without evidence."""
    untrusted_only: bool = False
    """A value that must have a source has none but text which others wrote and to which the request does not lead."""
    rule: str = ""
    """What decided it or left it open, such as `proofs.near_copy`, `doubts.other_records` or `judge.support`: the name
    under which its precision is measured. No detector here leaves it empty."""


@dataclass(frozen=True)
class Interpretation:
    """Another admissible reading of the request, ready to be chosen by a reviewer."""

    reading: str
    """The reading in one sentence."""
    tool: str
    arguments: dict[str, JsonValue]
    evidence: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Usage:
    """What judging cost."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        """Both together."""
        return Usage(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True)
class StageResult:
    """What one stage of a detector established. Stored as it comes, so that a killed check resumes behind it."""

    stage: str
    findings: tuple[Finding, ...] = ()
    interpretations: tuple[Interpretation, ...] = ()
    misalignment: Misalignment | None = None
    """Set when this stage rejects the action; later stages then do not run."""
    undetermined: str | None = None
    """Why no answer could be had, when an answer was needed; later stages then do not run."""
    passed: bool = False
    """Set when this stage lets the action pass with no further question (a read-only tool)."""
    usage: Usage = field(default_factory=Usage)
    open_questions: tuple[str, ...] = ()
    """What the stage asks for beyond single relations and nobody could establish, such as that no reading competes."""
    seconds: float = 0.0
    """From the start of the check until this stage was settled: stages may run side by side."""

    @property
    def final(self) -> bool:
        """Whether the verdict is settled with this stage."""
        return self.passed or self.misalignment is not None or self.undetermined is not None


# Built once: building it reads the types of every nested value.
_STAGE = TypeAdapter(StageResult)


def stage_to_json(stage: StageResult) -> dict[str, Any]:
    """A stage as plain JSON, for storage between two attempts."""
    dumped: dict[str, Any] = _STAGE.dump_python(stage, mode="json")
    return dumped


def stage_from_json(stored: dict[str, Any]) -> StageResult:
    """The inverse of `stage_to_json`. Raises pydantic's ValidationError on anything else."""
    return _STAGE.validate_python(stored)
