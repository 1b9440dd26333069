"""What each detector said, the strongest objection first."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from reviews.models import Check, CheckMode, Finding, MisalignmentType, VerdictLabel
from reviews.provenance.core.findings import DecidedBy

_STRONGEST_FIRST: Final = (VerdictLabel.MISALIGNED, VerdictLabel.UNDETERMINED, VerdictLabel.ALIGNED)


@dataclass(frozen=True)
class Verdict:
    """What one detector said, and what it took."""

    check: Check
    findings: tuple[Finding, ...]

    @property
    def objects(self) -> bool:
        """Whether it did not find the call aligned."""
        return self.check.verdict != VerdictLabel.ALIGNED

    @property
    def misalignment(self) -> str:
        """The type of failure, `undetermined`, or empty when this detector let the call pass."""
        return self.check.misalignment or ("undetermined" if self.objects else "")

    @property
    def open(self) -> int:
        """Findings it could not establish."""
        return sum(found.holds is None for found in self.findings)

    @property
    def calls(self) -> int:
        """Calls of the judge."""
        return int(self.check.usage.get("calls", 0))

    @property
    def strength(self) -> tuple[int, bool, bool]:
        """Sorts the strongest first: an attack before an error, what a rule established before a judge's word."""
        proven = any(found.holds is False and found.decided_by == DecidedBy.RULE for found in self.findings)
        injected = self.check.misalignment == MisalignmentType.INJECTION
        return _STRONGEST_FIRST.index(VerdictLabel(self.check.verdict)), not injected, not proven


@dataclass(frozen=True)
class Panel:
    """The enforced detectors together, and those that only ran beside them."""

    verdicts: list[Verdict]
    """Of the finished enforced checks, the strongest objection first."""
    shadows: list[Verdict]
    """Of the finished checks in shadow, in the order of their names."""

    @property
    def objecting(self) -> list[Verdict]:
        """Those that stopped the call."""
        return [verdict for verdict in self.verdicts if verdict.objects]

    @property
    def count(self) -> str:
        """Such as `2 of 3 object`."""
        objecting, asked = len(self.objecting), len(self.verdicts)
        return f"{objecting} of {asked} object{'s' if objecting == 1 else ''}"


def panel_of(checks: Iterable[Check]) -> Panel:
    """The finished checks. The shadows are those that were handed in: who may know of them is decided before."""
    verdicts = [Verdict(check, tuple(check.findings.all())) for check in checks if check.verdict]
    enforced = [verdict for verdict in verdicts if verdict.check.mode == CheckMode.ENFORCED]
    shadows = [verdict for verdict in verdicts if verdict.check.mode == CheckMode.SHADOW]
    return Panel(
        verdicts=sorted(enforced, key=lambda verdict: verdict.strength),
        shadows=sorted(shadows, key=lambda verdict: verdict.check.detector),
    )
