"""What a finished check found, as the influence graph takes it."""

from collections.abc import Iterable

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Finding, Relation


def anomalous_in(findings: Iterable[Finding]) -> tuple[Span, ...]:
    """The stretches that a ContentSegmenter labelled anomalous."""
    tainted = (finding for finding in findings if finding.relation is Relation.UNTAINTED and finding.holds is False)
    return tuple(span for finding in tainted for span in finding.evidence)
