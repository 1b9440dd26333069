"""Why the call waits: each relation that fails, in words and symbols, the strongest objection first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reviews.desk.review.case import relation_texts, vocabulary
from reviews.desk.review.case.evidence import Evidence, span_from
from reviews.desk.review.case.verdicts import CheckVerdict
from reviews.desk.text.highlighting import Tone
from reviews.models import Finding, Review, VerdictLabel
from reviews.models.reviews import BY_STANDING_ORDER
from reviews.provenance.core.findings import DecidedBy, Grounding, Relation
from reviews.provenance.doubts import false_claim

# Reasons that are not folded away: as many as a person takes in at a glance.
MAX_UNFOLDED: Final = 3


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
    detectors: tuple[str, ...] = ()
    """Who found it."""
    also: tuple[str, ...] = ()
    """The rationales of further detectors that found the same."""


def reasons_of(review: Review, verdicts: Sequence[CheckVerdict], evidence: Evidence) -> list[Reason]:
    """What stopped the call. Never empty: a review that no detector asked for says why it was opened."""
    reasons = [reason for verdict in verdicts if verdict.objects for reason in _objections(verdict, evidence)]
    if reasons:
        return _merged(reasons)
    unknown = [reason for verdict in verdicts for reason in _unknown(verdict, evidence)]
    words = "Nothing speaks against this call, but not all of it could be established"
    # The workspace may want the tool looked at whatever the detectors found.
    unproven = unknown and review.reason not in BY_STANDING_ORDER
    headline = Reason(words if unproven else "A person looks at this call", review.reason, settled=not unproven)
    return [headline, *_merged(unknown)]


def notes_of(verdicts: Iterable[CheckVerdict], evidence: Evidence) -> list[Reason]:
    """Text that is out of place in what was read: it stops nothing by itself, and a passing check may find it, too."""
    return _merged(
        _reason(verdict, finding, evidence)
        for verdict in verdicts
        for finding in verdict.findings
        if finding.relation == Relation.UNTAINTED and finding.holds is False
    )


def folded(reasons: Sequence[Reason]) -> tuple[list[Reason], list[Reason]]:
    """The reasons to show at once, and those to fold away, each in their order."""
    # The first is the headline even where it is not established; of the others only what is known to be wrong helps
    # to decide.
    at_once = [reasons[0], *(reason for reason in reasons[1:] if reason.settled)][:MAX_UNFOLDED]
    rest = [reason for reason in reasons if reason not in at_once]
    return at_once, rest


def _merged(reasons: Iterable[Reason]) -> list[Reason]:
    """One reason where several detectors find the same; the first keeps its place and its rationale."""
    merged: dict[tuple[str, str], Reason] = {}
    for reason in reasons:
        key = reason.words, reason.symbols
        if key not in merged:
            merged[key] = reason
            continue
        first = merged[key]
        rationales = tuple(dict.fromkeys((first.rationale, *first.also, reason.rationale)))
        merged[key] = replace(
            first,
            ref=first.ref or reason.ref,
            detectors=tuple(dict.fromkeys((*first.detectors, *reason.detectors))),
            also=rationales[1:],
        )
    return list(merged.values())


def _objections(verdict: CheckVerdict, evidence: Evidence) -> list[Reason]:
    """Why this detector objects: what fails, then what it could not establish."""
    # Text out of place is a note, not a reason: see `notes_of`.
    tested = [finding for finding in verdict.findings if finding.relation != Relation.UNTAINTED]
    failing = [finding for finding in tested if finding.holds is False]
    reasons = [*(_reason(verdict, finding, evidence) for finding in failing), *_unknown(verdict, evidence)]
    detectors, check = (verdict.check.detector,), verdict.check
    if check.verdict == VerdictLabel.UNDETERMINED:
        return [Reason("The check reached no verdict", check.reason, settled=False, detectors=detectors), *reasons]
    if failing:
        return reasons
    readings = len(check.interpretations.all())
    # An objection without a failing relation: the call is one of several readings, or the detector names none.
    if readings <= 1:
        return [Reason("The call is not what was asked for", check.reason, detectors=detectors), *reasons]
    rivals = (finding.rationale for finding in verdict.findings if finding.grounding == Grounding.COMPETING)
    ambiguous = Reason(
        words=f"The request can be read in {readings} ways",
        rationale=next(rivals, ""),
        symbols=f"{readings} distinct admissible candidates (t, a)",
        detectors=detectors,
    )
    return [ambiguous, *reasons]


def _unknown(verdict: CheckVerdict, evidence: Evidence) -> list[Reason]:
    """What this detector could not establish. Text that nobody could judge is a note, as in `notes_of`."""
    return [
        _reason(verdict, finding, evidence)
        for finding in verdict.findings
        if finding.holds is None and finding.relation != Relation.UNTAINTED
    ]


def _reason(verdict: CheckVerdict, finding: Finding, evidence: Evidence) -> Reason:
    """One finding in words; its evidence is marked in `evidence`."""
    relation, subject = Relation(finding.relation), relation_texts.subject_of(finding)
    ref = f"{'u' if finding.holds is None else 'w'}{verdict.check.pk}-{finding.ordinal}"
    tone = Tone.NONE if finding.holds is False else Tone.COMPETING
    # The argument's own row already points at the evidence of its value.
    spans = map(span_from, finding.evidence) if relation != Relation.DERIVED_FROM else ()
    pointed = evidence.point(spans, ref=ref, tone=tone)
    return Reason(
        words=_words(finding, relation, subject),
        rationale=finding.rationale,
        symbols=relation_texts.in_symbols(relation, subject, finding.holds),
        ref=ref if pointed else "",
        settled=finding.holds is not None,
        by_judge=finding.decided_by == DecidedBy.JUDGE,
        score=finding.score,
        detectors=(verdict.check.detector,),
    )


def _words(finding: Finding, relation: Relation, subject: str) -> str:
    # That somebody else might know where the value stands does not help an agent that has named a place.
    if relation == Relation.APPEAR_IN and finding.rule == false_claim.RULE:
        return f"“{subject}” does not stand where the agent says"
    return relation_texts.in_words(relation, subject, finding.holds, vocabulary.origin_of(finding))
