"""The verdicts of the detectors, the strongest objection first, and how those in shadow compare with the decision."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from reviews.models import (
    Check,
    CheckMode,
    DecidedBy,
    Decision,
    Finding,
    GuardProfile,
    MisalignmentType,
    Outcome,
    VerdictLabel,
)
from reviews.profiles.calibrations import probability_of
from reviews.provenance.core import findings as engine
from reviews.queue.filtering import UNPROVEN, stopped_by

# A verdict that the call is wrong says more than one that could not be reached.
_STRONGEST_FIRST: Final = (VerdictLabel.MISALIGNED, VerdictLabel.UNDETERMINED, VerdictLabel.ALIGNED)


@dataclass(frozen=True)
class CheckVerdict:
    """One detector's finished check: its verdict, and what it cost."""

    check: Check
    findings: tuple[Finding, ...]
    objects: bool
    """Whether it did not find the call aligned."""
    established: bool
    """Whether everything it asks for holds. Where it does not object either, nothing speaks against the call."""
    misalignment: str
    """The type of failure, `undetermined`, `unproven`, or empty when this detector established the call."""
    open: int
    """Findings it could not establish."""
    calls: int
    """Calls of the judge."""
    probability: float | None
    """How likely the call is right, by the check's score and what labels taught of it; None where neither tells."""

    @classmethod
    def of(cls, check: Check, profile: GuardProfile) -> Self:
        """The verdict of a finished check with prefetched findings, under the profile of its action."""
        findings, objects = tuple(check.findings.all()), check.verdict != VerdictLabel.ALIGNED
        return cls(
            check=check,
            findings=findings,
            objects=objects,
            established=check.established,
            misalignment=stopped_by(check.verdict, check.misalignment, established=check.established),
            open=sum(finding.holds is None for finding in findings),
            # Rules alone ask no judge and record no usage.
            calls=int(check.usage.get("calls", 0)),
            probability=probability_of(check, profile),
        )


@dataclass(frozen=True)
class Panel:
    """The enforced detectors together, and those that only ran beside them."""

    verdicts: list[CheckVerdict]
    """Of the finished enforced checks, the strongest objection first."""
    shadows: list[CheckVerdict]
    """Of the finished checks in shadow, in the order of their names."""

    @property
    def count(self) -> str:
        """Such as `2 of 3 detectors object`."""
        objecting = sum(verdict.objects for verdict in self.verdicts)
        return f"{objecting or 'None'} of {len(self.verdicts)} detectors object{'s' if objecting == 1 else ''}"

    @property
    def refutes(self) -> bool:
        """Whether one of them found the call wrong."""
        return any(verdict.check.verdict == VerdictLabel.MISALIGNED for verdict in self.verdicts)

    @property
    def is_unproven(self) -> bool:
        """Whether none of them objects and not all could establish the call."""
        return not any(verdict.objects for verdict in self.verdicts) and any(
            not verdict.established for verdict in self.verdicts
        )


@dataclass(frozen=True)
class ShadowResult:
    """What enforcing one detector in shadow would have changed."""

    verdict: CheckVerdict
    agreed: bool | None
    """With the person; None where no person decided, or the detector gave no answer."""

    @property
    def would_have(self) -> str:
        """What enforcing it alone would have done."""
        if self.verdict.objects:
            return "asked a person"
        return "let it pass" if self.verdict.established else "left it to the profile"


def build_panel(checks: Iterable[Check], profile: GuardProfile) -> Panel:
    """The finished ones of these checks; the caller decides whether shadow checks are among them."""
    verdicts = [CheckVerdict.of(check, profile) for check in checks if check.verdict]
    enforced = [verdict for verdict in verdicts if verdict.check.mode == CheckMode.ENFORCED]
    shadows = [verdict for verdict in verdicts if verdict.check.mode == CheckMode.SHADOW]
    return Panel(
        verdicts=sorted(enforced, key=_rank_verdict),
        shadows=sorted(shadows, key=lambda verdict: verdict.check.detector),
    )


def compare_shadows(verdicts: Iterable[CheckVerdict], decision: Decision | None) -> list[ShadowResult]:
    """A result for each detector; none before the decision, which these verdicts must not sway."""
    if decision is None:
        return []
    results = []
    for verdict in verdicts:
        unclear = verdict.misalignment in ("undetermined", UNPROVEN)
        comparable = decision.decided_by == DecidedBy.REVIEWER and not unclear
        # Only an approval of the unchanged call says that the call was right; its label says the same.
        agreed = verdict.objects == (decision.outcome != Outcome.APPROVE) if comparable else None
        results.append(ShadowResult(verdict, agreed))
    return results


def _rank_verdict(verdict: CheckVerdict) -> tuple[int, bool, bool, bool]:
    """Sorts the strongest first: an attack before an error, what a rule established before a judge's word."""
    proven = any(finding.holds is False and finding.decided_by == engine.DecidedBy.RULE for finding in verdict.findings)
    injected = verdict.check.misalignment == MisalignmentType.INJECTION
    strength = _STRONGEST_FIRST.index(VerdictLabel(verdict.check.verdict))
    return strength, verdict.established, not injected, not proven
