"""The verdict that follows from what the stages of a check found, and what of it a person reads first."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from reviews.provenance.core.findings import Finding, Interpretation, Misalignment, StageResult, Usage


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
    def established(self) -> bool:
        """Whether every relation that the method asks for holds: nothing was refuted and nothing was left unknown."""
        return False

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
        least = (len(_TELLING), True)
        telling = min(undetermined, key=lambda stage: next(map(_rank_of, open_in(stage.findings)), least))
        return Undetermined(stages, reason=telling.undetermined or "")
    return Aligned(stages)


# What a person should read first of several open findings: an order of somebody else, then the rules by how likely
# something is wrong behind each.
_TELLING = (
    "proofs.order_in_data", "doubts.beside_order", "doubts.hidden_characters", "doubts.false_claim",
    "doubts.copied_secret", "doubts.undocumented_parameter", "doubts.exchanged_values", "doubts.made_before",
    "doubts.other_field", "doubts.other_owner", "doubts.others_fact", "doubts.unknown_fact",
    "doubts.counted_otherwise", "doubts.quoted_text", "doubts.other_records", "doubts.other_end",
    "doubts.other_value", "doubts.stands_nowhere", "doubts.part_of_moment", "doubts.stands_in_data",
    "doubts.unasked_setting", "doubts.readable_value", "doubts.other_parameter", "doubts.said_unclearly",
    "doubts.said_earlier",
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
