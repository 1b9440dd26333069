"""Why the call waits: each relation that fails, in words and symbols, the most telling first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from reviews.models import Check, Finding, Review, VerdictLabel
from reviews.provenance.relations import DecidedBy, Grounding, Relation
from reviews.web.casefile import words
from reviews.web.casefile.evidence import Evidence, span_from
from reviews.web.highlighting import Tone

TOLD: Final = 3
"""Reasons shown unfolded."""


@dataclass(frozen=True)
class Reason:
    """One thing that stopped the call."""

    words: str
    rationale: str
    symbols: str = ""
    """Empty where no single relation is at fault."""
    ref: str = ""
    settled: bool = True
    """False: it could not be established either way."""
    by_judge: bool = False
    score: float | None = None


@dataclass(frozen=True)
class Verdict:
    """What one detector said, and what it took."""

    check: Check
    findings: tuple[Finding, ...]

    @property
    def misalignment(self) -> str:
        """The type of failure, `undetermined`, or empty when this detector let the call pass."""
        return self.check.misalignment or ("" if self.check.verdict == VerdictLabel.ALIGNED else "undetermined")

    @property
    def calls(self) -> int:
        """Calls of the judge."""
        return int(self.check.usage.get("calls", 0))


def verdicts_of(checks: Iterable[Check]) -> list[Verdict]:
    """Finished checks, those that stopped the call first."""
    verdicts = [Verdict(check, tuple(check.findings.all())) for check in checks if check.verdict]
    return sorted(verdicts, key=lambda verdict: verdict.check.verdict == VerdictLabel.ALIGNED)


def reasons_of(review: Review, verdicts: Sequence[Verdict], evidence: Evidence) -> list[Reason]:
    """What stopped the call. Never empty: a review that no detector asked for says why it was opened."""
    stopped = [verdict for verdict in verdicts if verdict.check.verdict != VerdictLabel.ALIGNED]
    reasons = [reason for verdict in stopped for reason in _reasons_of(verdict, evidence)]
    return reasons or [Reason(words="A person looks at this call", rationale=review.reason)]


def told_at_once(reasons: Sequence[Reason]) -> list[Reason]:
    """What the page shows unfolded: the main reason, and what else is known to be wrong."""
    return [reasons[0], *(reason for reason in reasons[1:] if reason.settled)][:TOLD]


def _reasons_of(verdict: Verdict, evidence: Evidence) -> list[Reason]:
    failing = [finding for finding in verdict.findings if finding.holds is False]
    unsure = [finding for finding in verdict.findings if finding.holds is None]
    found = [_reason(verdict, finding, evidence) for finding in (*failing, *unsure)]
    if verdict.check.verdict == VerdictLabel.UNDETERMINED:
        return [_undetermined(verdict), *found]
    return found if failing else [_competing(verdict), *found]


def _reason(verdict: Verdict, finding: Finding, evidence: Evidence) -> Reason:
    relation = Relation(finding.relation)
    subject = words.path_of(finding.subject) if finding.subject.startswith("/") else finding.subject
    ref = f"{'u' if finding.holds is None else 'w'}{verdict.check.pk}-{finding.ordinal}"
    tone = Tone.NONE if finding.holds is False else Tone.COMPETING
    pointed = evidence.point(map(span_from, finding.evidence), ref=ref, tone=tone) if _points(relation) else ()
    return Reason(
        words=words.relation_in_words(relation, subject, finding.holds, words.origin_of(finding)),
        rationale=finding.rationale,
        symbols=words.relation_in_symbols(relation, subject, finding.holds),
        ref=ref if pointed else "",
        settled=finding.holds is not None,
        by_judge=finding.decided_by == DecidedBy.JUDGE,
        score=finding.score,
    )


def _points(relation: Relation) -> bool:
    # The argument's own row already points at the evidence of its value.
    return relation != Relation.DERIVED_FROM


def _undetermined(verdict: Verdict) -> Reason:
    return Reason(words="The check reached no verdict", rationale=verdict.check.reason, settled=False)


def _competing(verdict: Verdict) -> Reason:
    readings = len(verdict.check.interpretations.all())
    if readings <= 1:
        return Reason(words="The call is not what was asked for", rationale=verdict.check.reason)
    rivals = [finding.rationale for finding in verdict.findings if finding.grounding == Grounding.COMPETING]
    return Reason(
        words=f"The request can be read in {readings} ways",
        rationale=next(iter(rivals), ""),
        symbols=f"{readings} distinct admissible candidates (t, a)",
    )
