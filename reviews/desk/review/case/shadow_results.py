"""What detectors in shadow said of a call that a person has decided: how each would have done in their place."""

from collections.abc import Iterable
from dataclasses import dataclass

from reviews.desk.review.case.status import Standing
from reviews.desk.review.case.verdicts import Verdict
from reviews.models import DecidedBy, Outcome, VerdictLabel


@dataclass(frozen=True)
class ShadowResult:
    """One line of the table."""

    verdict: Verdict
    agreed: bool | None
    """With the person; None where no person decided, or the detector gave no answer."""

    @property
    def would_have(self) -> str:
        """What enforcing it alone would have done."""
        return "asked a person" if self.verdict.objects else "let it pass"


def shadow_results(verdicts: Iterable[Verdict], standing: Standing) -> list[ShadowResult]:
    """A line for each detector; none before the decision, whatever was handed in."""
    if standing.decision is None:
        return []
    return [ShadowResult(verdict, _agreed(verdict, standing)) for verdict in verdicts]


def _agreed(verdict: Verdict, standing: Standing) -> bool | None:
    decision = standing.decision
    if decision is None or decision.decided_by != DecidedBy.REVIEWER:
        return None
    if verdict.check.verdict == VerdictLabel.UNDETERMINED:
        return None
    # Only an approval as proposed says that the call was right, as its label does.
    return verdict.objects == (decision.outcome != Outcome.APPROVE)
