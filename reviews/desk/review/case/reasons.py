"""Why the call waits: each relation that fails, in words and symbols, the most telling first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reviews.desk.review.case import relation_texts, vocabulary
from reviews.desk.review.case.evidence import Evidence, span_from
from reviews.desk.review.case.verdicts import Verdict
from reviews.desk.text.highlighting import Tone
from reviews.models import Finding, Review, VerdictLabel
from reviews.provenance.core.findings import DecidedBy, Grounding, Relation

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
    detectors: tuple[str, ...] = ()
    """Who found it."""
    also: tuple[str, ...] = ()
    """What further detectors said of it in words of their own."""


def reasons_of(review: Review, verdicts: Sequence[Verdict], evidence: Evidence) -> list[Reason]:
    """What stopped the call. Never empty: a review that no detector asked for says why it was opened."""
    reasons = [reason for verdict in verdicts if verdict.objects for reason in _reasons_of(verdict, evidence)]
    return _together(reasons) or [Reason(words="A person looks at this call", rationale=review.reason)]


def notes_of(verdicts: Iterable[Verdict], evidence: Evidence) -> list[Reason]:
    """What is out of place in what was read: it stops nothing by itself, and a passing check may say it, too."""
    labelled = ((verdict, found) for verdict in verdicts for found in verdict.findings if _only_labels(found))
    return _together([_reason(verdict, found, evidence) for verdict, found in labelled if found.holds is False])


def told_at_once(reasons: Sequence[Reason]) -> list[Reason]:
    """What the page shows unfolded: the main reason, and what else is known to be wrong."""
    return [reasons[0], *(reason for reason in reasons[1:] if reason.settled)][:TOLD]


def _together(reasons: Iterable[Reason]) -> list[Reason]:
    """One reason where several detectors say the same."""
    merged: dict[tuple[str, str], Reason] = {}
    for reason in reasons:
        same = merged.setdefault((reason.words, reason.symbols), reason)
        if same is not reason:
            merged[reason.words, reason.symbols] = _joined(same, reason)
    return list(merged.values())


def _joined(one: Reason, other: Reason) -> Reason:
    rationales = dict.fromkeys((one.rationale, *one.also, other.rationale))
    return replace(
        one,
        ref=one.ref or other.ref,
        detectors=tuple(dict.fromkeys((*one.detectors, *other.detectors))),
        also=tuple(rationales)[1:],
    )


def _reasons_of(verdict: Verdict, evidence: Evidence) -> list[Reason]:
    tested = [finding for finding in verdict.findings if not _only_labels(finding)]
    failing = [finding for finding in tested if finding.holds is False]
    unsure = [finding for finding in tested if finding.holds is None]
    found = [_reason(verdict, finding, evidence) for finding in (*failing, *unsure)]
    if verdict.check.verdict == VerdictLabel.UNDETERMINED:
        return [_undetermined(verdict), *found]
    return found if failing else [_competing(verdict), *found]


def _only_labels(finding: Finding) -> bool:
    return finding.relation == Relation.UNTAINTED


def _reason(verdict: Verdict, finding: Finding, evidence: Evidence) -> Reason:
    relation, subject = Relation(finding.relation), relation_texts.subject_of(finding)
    ref = f"{'u' if finding.holds is None else 'w'}{verdict.check.pk}-{finding.ordinal}"
    tone = Tone.NONE if finding.holds is False else Tone.COMPETING
    pointed = evidence.point(map(span_from, finding.evidence), ref=ref, tone=tone) if _points(relation) else ()
    return Reason(
        words=relation_texts.in_words(relation, subject, finding.holds, vocabulary.origin_of(finding)),
        rationale=finding.rationale,
        symbols=relation_texts.in_symbols(relation, subject, finding.holds),
        ref=ref if pointed else "",
        settled=finding.holds is not None,
        by_judge=finding.decided_by == DecidedBy.JUDGE,
        score=finding.score,
        detectors=(verdict.check.detector,),
    )


def _points(relation: Relation) -> bool:
    # The argument's own row already points at the evidence of its value.
    return relation != Relation.DERIVED_FROM


def _undetermined(verdict: Verdict) -> Reason:
    return Reason(
        words="The check reached no verdict",
        rationale=verdict.check.reason,
        settled=False,
        detectors=(verdict.check.detector,),
    )


def _competing(verdict: Verdict) -> Reason:
    detectors, readings = (verdict.check.detector,), len(verdict.check.interpretations.all())
    if readings <= 1:
        return Reason("The call is not what was asked for", verdict.check.reason, detectors=detectors)
    return Reason(
        words=f"The request can be read in {readings} ways",
        rationale=next(_rivals(verdict), ""),
        symbols=f"{readings} distinct admissible candidates (t, a)",
        detectors=detectors,
    )


def _rivals(verdict: Verdict) -> Iterator[str]:
    return (finding.rationale for finding in verdict.findings if finding.grounding == Grounding.COMPETING)
