"""AppearIn of each value: where rules and the judge have it from, and whether it stands where the agent says."""

from typing import Final

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding, Relation
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.doubts import false_claim
from reviews.provenance.grounding import Grounded
from reviews.provenance.terms.claims import OUTWEIGHED, VERIFIED

_STANDS: Final = "The evidence stands in the context."


def record_appearance(leaf: Grounded, stage: Stage) -> None:
    """Where the value stands is shown, even where nobody can tell that it is what was meant."""
    if leaf.claim and leaf.claim.stands is not None:
        record_claim(leaf, stage)
    elif leaf.spans:
        stage.record_finding(
            Relation.APPEAR_IN, leaf.pointer, True, _STANDS, evidence=leaf.spans, grounding=leaf.how
        )  # fmt: skip


def record_claim(leaf: Grounded, stage: Stage) -> None:
    """What came of the agent's claim about a value, if it made one. No claim rejects a call by itself."""
    claim = leaf.claim
    if claim is None or claim.stands is None:
        return
    if claim.stands:
        holds, note, rule = True, claim.note, VERIFIED
    elif leaf.holds:
        holds, note, rule = True, f"{_STANDS} {claim.note}", OUTWEIGHED
    else:
        holds, note, rule = None, claim.note, false_claim.RULE
    # With the value's own places: whether one of them is an order is asked of all evidence, whatever the agent says.
    evidence = tuple(dict.fromkeys((*leaf.spans, *claim.spans)))
    stage.record_finding(
        Relation.APPEAR_IN, leaf.pointer, holds, note, evidence=evidence, grounding=leaf.how, rule=rule
    )  # fmt: skip


def record_read(leaf: Grounded, spans: tuple[Span, ...], how: Grounding, stage: Stage) -> None:
    """Where a judge has the value from, to the character; a claim that does not verify no longer leaves it open."""
    note, rule = _STANDS, ""
    if leaf.false_claim:
        stage.retract(Relation.APPEAR_IN, leaf.pointer)
        note, rule = f"{_STANDS} {leaf.false_claim.note}", OUTWEIGHED
        spans = tuple(dict.fromkeys((*spans, *leaf.spans)))
    stage.record_finding(
        Relation.APPEAR_IN, leaf.pointer, True, note, evidence=spans, grounding=how, rule=rule
    )  # fmt: skip


def excuse_claim(leaf: Grounded, stage: Stage) -> None:
    """Take back that a claim leaves the value open, where nothing depends on its source."""
    if leaf.is_undetermined and leaf.false_claim:
        stage.retract(Relation.APPEAR_IN, leaf.pointer)
