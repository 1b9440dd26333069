"""What a finished check found, as the influence graph takes it: enough to draw the graph of a stored check."""

from collections.abc import Iterable, Mapping

from reviews.provenance.context import Span
from reviews.provenance.relations import Finding, Relation

_GROUNDING = (Relation.APPEAR_IN, Relation.DERIVED_FROM)


def anomalous_in(findings: Iterable[Finding]) -> tuple[Span, ...]:
    """The stretches that a ContentSegmenter labelled anomalous."""
    tainted = (each for each in findings if each.relation is Relation.UNTAINTED and each.holds is False)
    return tuple(span for finding in tainted for span in finding.evidence)


def grounds_of(findings: Iterable[Finding]) -> Mapping[str, tuple[Span, ...]]:
    """The evidence of each argument leaf by JSON Pointer, that of a value which only anomalous text names included."""
    found: dict[str, tuple[Span, ...]] = {}
    for each in findings:
        if each.relation in _GROUNDING and each.subject.startswith("/"):
            found[each.subject] = tuple(dict.fromkeys((*found.get(each.subject, ()), *each.evidence)))
    return found
