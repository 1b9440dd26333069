"""Findings about the values of a call: what proofs say of each, and what a judge has read."""

from collections.abc import Iterable
from typing import Final

from reviews.provenance.argument_grounding import Grounded
from reviews.provenance.core.context import Span, ToolDoc
from reviews.provenance.core.findings import Grounding, Relation
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.doubts import false_claim
from reviews.provenance.judges.base import Answered
from reviews.provenance.judges.questions.provenance_guard import Derivability
from reviews.provenance.terms.claims import OUTWEIGHED, VERIFIED
from reviews.provenance.terms.derivability import DerivableParameters, parameter_paths

FOUND: Final = "terms.found"
READ: Final = "terms.verified"
COMPOSED: Final = "terms.composed"
_STANDS: Final = "The evidence stands in the context."
_COMPOSED: Final = "Composed by the agent; no source is asked for."
LEFT_OUT: Final = "The judge did not answer for this value."


def find_sources(leaves: Iterable[Grounded], classes: DerivableParameters, stage: Stage) -> tuple[Grounded, ...]:
    """Record what proofs say; the leaves that need a source and have none that is proven are returned."""
    unproven = []
    for leaf in leaves:
        claimed = record_claim(leaf, stage)
        if leaf.holds is None and not leaf.needs_source(classes):
            stage.record_finding(
                Relation.DERIVED_FROM, leaf.pointer, True, _COMPOSED,
                evidence=leaf.facts, grounding=Grounding.GENERATED, rule=COMPOSED,
            )  # fmt: skip
            continue
        if leaf.holds is not False and leaf.spans and not claimed:
            # Shown even where nobody can tell that it is what was meant.
            stage.record_finding(
                Relation.APPEAR_IN, leaf.pointer, True, _STANDS, evidence=leaf.spans, grounding=leaf.how, rule=FOUND
            )  # fmt: skip
        if leaf.holds is None:
            unproven.append(leaf)
        else:
            record_traced(leaf, stage)
    return tuple(unproven)


def record_traced(leaf: Grounded, stage: Stage) -> None:
    """What proofs say of the value; where they say nothing, it is a question for a person."""
    evidence, how = (leaf.against, Grounding.UNGROUNDED) if leaf.holds is False else (leaf.spans, leaf.how)
    stage.record_finding(
        Relation.DERIVED_FROM, leaf.pointer, leaf.holds, leaf.note,
        evidence=evidence, grounding=how, nearest=None if leaf.holds else leaf.nearest, rule=leaf.rule,
    )  # fmt: skip


def record_claim(leaf: Grounded, stage: Stage) -> bool:
    """What came of the agent's claim about a value, and whether it made one. No claim rejects a call by itself."""
    claim = leaf.claim
    if claim is None or claim.stands is None:
        return False
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
    return True


def record_read(leaf: Grounded, spans: tuple[Span, ...], how: Grounding, stage: Stage) -> None:
    """Where a judge has the value from, to the character; a claim that does not verify no longer leaves it open."""
    note, rule = _STANDS, READ
    if leaf.false_claim:
        stage.retract(Relation.APPEAR_IN, leaf.pointer)
        note, rule = f"{_STANDS} {leaf.false_claim.note}", OUTWEIGHED
        spans = tuple(dict.fromkeys((*spans, *leaf.spans)))
    stage.record_finding(
        Relation.APPEAR_IN, leaf.pointer, True, note, evidence=spans, grounding=how, rule=rule
    )  # fmt: skip


def excuse_claim(leaf: Grounded, stage: Stage) -> None:
    """Take back that a claim leaves the value open, where nothing depends on its source."""
    if leaf.holds is None and leaf.false_claim:
        stage.retract(Relation.APPEAR_IN, leaf.pointer)


async def classes_of(document: ToolDoc, stage: Stage) -> DerivableParameters:
    """The class of each documented parameter; without an answer all of them are open."""
    paths = tuple(parameter_paths(document))
    reply = await stage.ask(Derivability(document, paths)) if paths else None
    answered = {row.path: row.derivable for row in reply.answer.parameters} if isinstance(reply, Answered) else {}
    return DerivableParameters(document, {path: answered.get(path) for path in paths})


def require_answer(pointer: str, stage: Stage) -> str:
    """Bring a person for a value that the answer skips, which must not count as one that it allows; the note on it."""
    stage.require_person(f"The judge left out {pointer}.")
    return LEFT_OUT
