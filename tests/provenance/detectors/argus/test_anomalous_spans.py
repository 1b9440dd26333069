from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Finding, Relation
from reviews.provenance.detectors.argus.segments import anomalous_in

HERE, THERE = Span("query", 0, 3, "Pay"), Span("history/1/outcome", 0, 3, "Eve")


def finding(relation: Relation, subject: str, holds: bool | None, *evidence: Span) -> Finding:
    return Finding(relation, subject, holds, "", evidence=evidence)


def test_labels_that_do_not_hold_are_the_anomalous_text() -> None:
    told = (
        finding(Relation.UNTAINTED, "history/1/outcome", False, THERE),
        finding(Relation.UNTAINTED, "query", True, HERE),
        finding(Relation.DERIVED_FROM, "/to", False, HERE),
    )
    assert anomalous_in(told) == (THERE,)
