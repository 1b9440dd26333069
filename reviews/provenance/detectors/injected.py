"""Values whose only source is an order hidden in data, or text to which the request does not lead."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from reviews.provenance.core.budget import OutOfBudgetError
from reviews.provenance.core.context import Case, Span
from reviews.provenance.core.findings import Grounding, Relation
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.grounding import Grounded
from reviews.provenance.injection.free_text import is_unasked
from reviews.provenance.injection.instructions import UNTRUSTED, instructions_in, without_instructions
from reviews.provenance.injection.taint import (
    Orders,
    Taint,
    Taints,
    behind_orders,
    beside_orders,
    find_taint,
    in_orders,
    join_taints,
)
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.order_in_data import RULE, is_ordered_alone
from reviews.provenance.terms.derivability import DerivableParameters

_UNTRUSTED_ONLY: Final = "Only text that others wrote says so, and the request does not lead there."
BESIDE_RULE: Final = "doubts.beside_order"
# Characters of an order that a finding repeats: enough to recognise it, and its place is a click away.
_MAX_QUOTED: Final = 120
# Characters of a value in a question to a person.
_MAX_VALUE: Final = 60
# Characters from which a composed text that stands in an order was copied from it: shorter ones are everyday words.
_MIN_DICTATED_LENGTH: Final = 12


def find_injected(
    case: Case, grounded: Sequence[Grounded], classes: DerivableParameters, stage: Stage, ground: Ground
) -> bool:
    """Whether any argument rests on an order alone; each is recorded, in place of what was found about it before."""
    # What the agent composes may well repeat what it read.
    decisive = tuple(leaf for leaf in grounded if leaf.needs_source(classes))
    dictated = tuple(leaf for leaf in grounded if not leaf.needs_source(classes) and _is_copied(leaf))
    recorded = stage.recorded_evidence()
    orders = instructions_in(case.context)
    values = _injected_values(case, orders, recorded, ground, decisive=decisive, dictated=dictated)
    injected = dict(values) if orders else {}
    deed = "gives this value"
    if orders and not injected and (taint := _find_dictating_order(case, orders)):
        injected, deed = {leaf.pointer: taint for leaf in decisive}, "asks for this call"
    # One finding for each value: that it stands in the context is true and beside the point.
    stage.retract(Relation.DERIVED_FROM, *injected)
    for leaf in (*decisive, *dictated):
        if taint := injected.get(leaf.pointer):
            supporting = (*recorded.get(leaf.pointer, ()), *leaf.spans)
            untrusted = (span for span in supporting if case.context.sources[span.source].kind in UNTRUSTED)
            stage.record_finding(
                Relation.DERIVED_FROM, leaf.pointer, False,
                f"Only {describe_source(taint.order.source)} {deed}, {taint.why}: “{taint.order.quote[:_MAX_QUOTED]}”.",
                evidence=tuple(dict.fromkeys((taint.order, *untrusted))), grounding=leaf.how, untrusted_only=True,
                rule=RULE,
            )  # fmt: skip
    mark_untrusted_only(case, (leaf for leaf in decisive if leaf.pointer not in injected), stage)
    return bool(injected)


def mark_untrusted_only(case: Case, leaves: Iterable[Grounded], stage: Stage) -> None:
    """Mark findings about values that only text of others supports, to which the request does not lead.

    They stand all the same: much of what an agent rightly does rests on what its tools return.
    """
    marked = {
        leaf.pointer
        for leaf in leaves
        if leaf.kinds and leaf.kinds <= UNTRUSTED and all(is_unasked(case.context, span) for span in leaf.spans)
    }
    stage.findings = [
        replace(finding, untrusted_only=True, rationale=f"{finding.rationale} {_UNTRUSTED_ONLY}")
        if finding.subject in marked and finding.relation is Relation.DERIVED_FROM and not finding.untrusted_only
        else finding
        for finding in stage.findings
    ]


def _is_copied(leaf: Grounded) -> bool:
    """Whether a text that the agent may compose is, word for word, what others wrote."""
    if not isinstance(leaf.value, str) or len(leaf.value) < _MIN_DICTATED_LENGTH:
        return False
    return leaf.kinds <= UNTRUSTED and any(span.quote == leaf.value for span in leaf.spans)


def withhold_beside_orders(
    case: Case, grounded: Sequence[Grounded], classes: DerivableParameters, stage: Stage, ground: Ground
) -> None:
    """Leave open each value that stands only in records which carry an order, whatever the profile says of unknowns.

    Whoever wrote the order may have written the other fields, too, or none of them: that is no proof. What the request
    itself points at, it may have, even from such a record.
    """
    orders = instructions_in(case.context)
    beside = beside_orders(case.context, orders) if orders else {}
    if not beside:
        return
    ordered = in_orders(case.context, orders)
    without_orders = _traced_without(ordered, case, ground)
    without_beside = _traced_without(join_taints(ordered, beside), case, ground)
    recorded = stage.recorded_evidence()
    for leaf in grounded:
        is_open = leaf.needs_source(classes) and not _is_requested(without_orders[leaf.pointer])
        if not is_open or without_beside[leaf.pointer].spans:
            continue
        taint = _first_taint((*recorded.get(leaf.pointer, ()), *leaf.spans), beside)
        if taint is None:
            continue
        note = (
            f"“{shorten_text(str(leaf.value), _MAX_VALUE)}” stands only {taint.why}: "
            f"“{taint.order.quote[:_MAX_QUOTED]}”. Is it meant?"
        )
        stage.retract(Relation.DERIVED_FROM, leaf.pointer)
        stage.record_finding(
            Relation.DERIVED_FROM, leaf.pointer, None, note, evidence=tuple(dict.fromkeys((taint.order, *leaf.spans))),
            grounding=leaf.how, untrusted_only=True, rule=BESIDE_RULE,
        )  # fmt: skip
        stage.require_person(note)


def _find_dictating_order(case: Case, orders: Orders) -> Taint | None:
    """The order that asks for the whole call, which nobody else does."""
    evidence = Evidence(case.context)
    call = ProposedCall.of(case, evidence)
    with suppress(OutOfBudgetError):
        for source, taints in in_orders(case.context, orders).items():
            for taint in taints:
                words = evidence.texts[source].source.text[taint.start : taint.end]
                order = SourceText(replace(evidence.texts[source].source, text=words), evidence.budget, evidence.now)
                if is_ordered_alone(call, order):
                    return taint
    return None


def _injected_values(
    case: Case,
    orders: Orders,
    recorded: Mapping[str, tuple[Span, ...]],
    ground: Ground,
    *,
    decisive: Sequence[Grounded],
    dictated: Sequence[Grounded],
) -> Iterator[tuple[str, Taint]]:
    """The pointer of each value that loses its only source with the orders' text, and what taints it.

    The values are traced twice more: without the orders themselves, then without what came of obeying them as well. Of
    a copied text only the orders themselves count.
    """
    context = case.context
    ordered = in_orders(context, orders)
    obeyed = behind_orders(context, orders, {span.source for leaf in decisive for span in leaf.spans})
    without_orders = _traced_without(ordered, case, ground)
    without_obeyed = _traced_without(join_taints(ordered, obeyed), case, ground) if obeyed else without_orders
    for leaf in dictated:
        if without_orders[leaf.pointer].how is Grounding.UNGROUNDED and (taint := _first_taint(leaf.spans, ordered)):
            yield leaf.pointer, taint
    for leaf in decisive:
        clean = without_orders[leaf.pointer]
        taint = None
        if clean.how is Grounding.UNGROUNDED:
            taint = _first_taint(recorded.get(leaf.pointer, ()), ordered)
        elif not _is_requested(clean) and without_obeyed[leaf.pointer].how is Grounding.UNGROUNDED:
            taint = _first_taint(clean.spans, obeyed)
        if taint:
            yield leaf.pointer, taint


def _is_requested(leaf: Grounded) -> bool:
    """Whether the user's words lead to the value; where values compete, they may lead to another one."""
    return bool(leaf.holds) and not leaf.kinds <= UNTRUSTED


def _traced_without(taints: Taints, case: Case, ground: Ground) -> dict[str, Grounded]:
    """The call's values by pointer, traced as if the tainted text were not there."""
    clean = Case(without_instructions(case.context, taints), case.action)
    return {leaf.pointer: leaf for leaf in ground(clean).leaves}


def _first_taint(spans: Iterable[Span], taints: Taints) -> Taint | None:
    return next((taint for span in spans if (taint := find_taint(span, taints))), None)
