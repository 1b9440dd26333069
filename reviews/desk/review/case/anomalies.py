"""Text that is out of place in what was read, as a detector found it."""

from collections.abc import Iterable

from reviews.desk.review.case.evidence import Evidence, span_from
from reviews.models import Finding
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Relation


def anomalous_of(findings: Iterable[Finding]) -> tuple[Span, ...] | None:
    """The anomalous spans that findings name; None when nobody looked for any."""
    labels = [finding for finding in findings if finding.relation == Relation.UNTAINTED]
    tainted = [finding for finding in labels if finding.holds is False]
    spans = dict.fromkeys(span_from(stored) for finding in tainted for stored in finding.evidence)
    return tuple(spans) if labels else None


def strike(anomalous: Iterable[Span], evidence: Evidence) -> None:
    """Strike these spans wherever the page shows their texts."""
    for span in anomalous:
        evidence.strike([span], ref=evidence.ref_of(span.source))
