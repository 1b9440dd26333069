"""Values whose only source is an order hidden in data."""

from collections.abc import Callable, Iterator

from reviews.provenance.context import Case, Span
from reviews.provenance.detectors.stages.classes import Classes
from reviews.provenance.detectors.stages.stage import Stage
from reviews.provenance.grounding import Grounded
from reviews.provenance.instructions import Instruction, instructions_in, without_instructions
from reviews.provenance.relations import Grounding, Relation

Orders = dict[str, tuple[Instruction, ...]]


def find_injected(
    case: Case,
    grounded: tuple[Grounded, ...],
    classes: Classes,
    stage: Stage,
    ground: Callable[[Case], tuple[Grounded, ...]],
) -> bool:
    """Record each argument that rests on an order alone: take the order away, and the value has no source left."""
    orders = instructions_in(case.context)
    if not orders:
        return False
    without = ground(Case(without_instructions(case.context, orders), case.action))
    groundless = {leaf.pointer for leaf in without if leaf.how is Grounding.UNGROUNDED}
    decisive = [
        leaf for leaf in grounded if classes.derivable(leaf.pointer) is not False and leaf.pointer in groundless
    ]
    found = [(leaf, order) for leaf in decisive if (order := _behind(leaf.pointer, stage, orders))]
    for leaf, order in found:
        _reject(case, leaf, *order, stage)
    return bool(found)


def _behind(pointer: str, stage: Stage, orders: Orders) -> tuple[str, Instruction] | None:
    """The order that the evidence of an argument stands in, with its source."""
    return next(
        (
            (span.source, order)
            for span in _evidence(pointer, stage)
            for order in orders.get(span.source, ())
            if order.start < span.end and span.start < order.end
        ),
        None,
    )


def _evidence(pointer: str, stage: Stage) -> Iterator[Span]:
    return (span for finding in stage.findings if finding.subject == pointer for span in finding.evidence)


def _reject(case: Case, leaf: Grounded, source: str, order: Instruction, stage: Stage) -> None:
    text = case.context.sources[source].text
    at = text.find(order.quote, order.start)
    evidence = (Span(source, at, at + len(order.quote), order.quote), *_evidence(leaf.pointer, stage))
    stage.retract(Relation.DERIVED_FROM, leaf.pointer)
    stage.find(
        Relation.DERIVED_FROM,
        leaf.pointer,
        False,
        f"Only {source} names this value, in text that {order.reason}: “{order.quote[:120]}”.",
        evidence=tuple(dict.fromkeys(evidence)),
        grounding=leaf.how,
    )
