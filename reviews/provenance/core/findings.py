"""The six relations and those of other published methods, what was found about each, and the verdict that follows.

ProvenanceGuard paper, Table 1 (relations) and section 3 (types of misalignment).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter

from reviews.provenance.core.context import JsonValue, SourceKind, Span


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
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost_usd + other.cost_usd,
        )


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


@dataclass(frozen=True)
class _StagedVerdict:
    """What every verdict has in common: the stages it was concluded from, and their sums."""

    stages: tuple[StageResult, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What all stages found, in their order."""
        return tuple(finding for stage in self.stages for finding in stage.findings)

    @property
    def interpretations(self) -> tuple[Interpretation, ...]:
        """Every other reading that a stage admits."""
        return tuple(reading for stage in self.stages for reading in stage.interpretations)

    @property
    def usage(self) -> Usage:
        """What judging cost in all stages together."""
        return sum((stage.usage for stage in self.stages), Usage())

    @property
    def open_relations(self) -> tuple[str, ...]:
        """What the method asks for and nobody could establish either way, such as “DerivedFrom of /to”."""
        relations = (f"{finding.relation} of {finding.subject}" for finding in self.findings if finding.holds is None)
        questions = (question for stage in self.stages for question in stage.open_questions)
        return tuple(dict.fromkeys((*relations, *questions)))

    @property
    def seconds(self) -> float:
        """From the start of the check until its last stage was settled."""
        # Stages count from the same start and may run side by side: their sum would be longer than the check.
        return max((stage.seconds for stage in self.stages), default=0.0)


@dataclass(frozen=True)
class Aligned(_StagedVerdict):
    """Nothing stands against the action; whether everything asked for could be traced, `established` tells."""

    label: Literal["aligned"] = "aligned"

    @property
    def established(self) -> bool:
        """Whether every relation the method asks for holds and no other reading competes.

        False: some could not be established, and passed because the profile lets what is unknown pass.
        """
        return not self.open_relations


@dataclass(frozen=True)
class Misaligned(_StagedVerdict):
    """Some relation does not hold, or another reading competes."""

    type: Misalignment
    label: Literal["misaligned"] = "misaligned"


@dataclass(frozen=True)
class Undetermined(_StagedVerdict):
    """No answer could be had: a person looks."""

    reason: str
    label: Literal["undetermined"] = "undetermined"


Verdict: TypeAlias = Aligned | Misaligned | Undetermined


def conclude_stages(stages: tuple[StageResult, ...]) -> Verdict:
    """The verdict of finished stages: any that rejects, else any without an answer, else aligned.

    Of several that reject the first names the type, which detectors yield in the order of their stages, unless another
    found an injection: that one is an attack. Aligned is `established` only when nothing was left unknown.
    No stage at all is Undetermined: silence never approves.
    """
    if not stages:
        # Fail closed: a check that did nothing must not let an action pass.
        return Undetermined(stages, reason="No stage of the check has run.")
    types = [stage.misalignment for stage in stages if stage.misalignment is not None]
    if types:
        # An injection is an attack; whatever else is wrong with the action follows from it.
        return Misaligned(stages, type=Misalignment.INJECTION if Misalignment.INJECTION in types else types[0])
    undetermined = [stage for stage in stages if stage.undetermined is not None]
    if undetermined:
        telling = min(
            undetermined, key=lambda stage: min(map(_rank_of, open_in(stage.findings)), default=(len(_TELLING), True))
        )
        return Undetermined(stages, reason=telling.undetermined or "")
    return Aligned(stages)


# What a person should read first of several open findings: the rules by how likely something is wrong behind each.
_TELLING = (
    "doubts.hidden_characters", "doubts.false_claim", "doubts.other_value", "doubts.other_records",
    "doubts.stands_nowhere", "doubts.readable_value", "doubts.said_unclearly", "doubts.said_earlier",
    "doubts.stands_in_data", "doubts.unasked_setting",
)  # fmt: skip


def open_in(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that could not be established either way, the most telling first, else in their order."""
    return sorted((finding for finding in findings if finding.holds is None), key=_rank_of)


def open_rank(subject: str, rule: str) -> tuple[int, bool]:
    """How soon a person should read what the rule left open about this subject: the lower, the sooner.

    A value before the tool, whose name stands beside this wherever it is told.
    """
    return (_TELLING.index(rule) if rule in _TELLING else len(_TELLING)), not subject.startswith("/")


def _rank_of(finding: Finding) -> tuple[int, bool]:
    return open_rank(finding.subject, finding.rule)


# Built once: building it reads the types of every nested value.
_STAGE = TypeAdapter(StageResult)


def stage_to_json(stage: StageResult) -> dict[str, Any]:
    """A stage as plain JSON, for storage between two attempts."""
    dumped: dict[str, Any] = _STAGE.dump_python(stage, mode="json")
    return dumped


def stage_from_json(stored: dict[str, Any]) -> StageResult:
    """The inverse of `stage_to_json`. Raises pydantic's ValidationError on anything else."""
    return _STAGE.validate_python(stored)
