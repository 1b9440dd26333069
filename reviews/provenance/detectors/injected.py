"""Values whose only source is an order hidden in data, or text to which the request does not lead."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from reviews.provenance.core.context import Case, Span
from reviews.provenance.core.findings import Grounding, Relation
from reviews.provenance.core.places import describe_source
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.grounding import Grounded
from reviews.provenance.injection.free_text import is_unasked
from reviews.provenance.injection.instructions import UNTRUSTED, instructions_in, without_instructions
from reviews.provenance.injection.taint import (
    Taint,
    Taints,
    behind_orders,
    beside_orders,
    find_taint,
    in_orders,
    join_taints,
)
from reviews.provenance.terms.derivability import DerivableParameters

_UNTRUSTED_ONLY: Final = "Only text that others wrote says so, and the request does not lead there."
RULE: Final = "proofs.order_in_data"
# Characters of an order that a finding repeats: enough to recognise it, and its place is a click away.
_MAX_QUOTED: Final = 120
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
    injected = dict(_injected_values(case, decisive, dictated, recorded, ground))
    # One finding for each value: that it stands in the context is true and beside the point.
    stage.retract(Relation.DERIVED_FROM, *injected)
    for leaf in (*decisive, *dictated):
        taint = injected.get(leaf.pointer)
        if taint is None:
            continue
        supporting = (*recorded.get(leaf.pointer, ()), *leaf.spans)
        untrusted = (span for span in supporting if case.context.sources[span.source].kind in UNTRUSTED)
        stage.record_finding(
            Relation.DERIVED_FROM, leaf.pointer, False,
            f"Only {describe_source(taint.order.source)} gives this value, {taint.why}: "
            f"“{taint.order.quote[:_MAX_QUOTED]}”.",
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


def _injected_values(
    case: Case,
    decisive: tuple[Grounded, ...],
    dictated: tuple[Grounded, ...],
    recorded: Mapping[str, tuple[Span, ...]],
    ground: Ground,
) -> Iterator[tuple[str, Taint]]:
    """The pointer of each value that loses its only source with the orders' text, and what taints it.

    The values are traced twice more: without the orders themselves, then without all that they reach. Of a copied text
    only the orders themselves count: an agent may repeat what stands beside one.
    """
    context = case.context
    orders = instructions_in(context)
    if not orders:
        return
    ordered = in_orders(context, orders)
    sources = {span.source for leaf in decisive for span in leaf.spans}
    reach = join_taints(ordered, beside_orders(context, orders), behind_orders(context, orders, sources))
    without_orders = _traced_without(ordered, case, ground)
    without_reach = _traced_without(reach, case, ground)
    for leaf in dictated:
        if without_orders[leaf.pointer].how is Grounding.UNGROUNDED and (taint := _first_taint(leaf.spans, ordered)):
            yield leaf.pointer, taint
    for leaf in decisive:
        clean = without_orders[leaf.pointer]
        # Where values compete, or nothing tells the record apart, the user's words may lead to another one.
        singled_out = bool(clean.holds)
        requested = singled_out and not clean.kinds <= UNTRUSTED
        taint = None
        if clean.how is Grounding.UNGROUNDED:
            taint = _first_taint(recorded.get(leaf.pointer, ()), ordered)
        # What the request itself points at, it may have, even from a record that somebody has written an order into.
        elif not requested and without_reach[leaf.pointer].how is Grounding.UNGROUNDED:
            taint = _first_taint(clean.spans, reach)
        if taint:
            yield leaf.pointer, taint


def _traced_without(taints: Taints, case: Case, ground: Ground) -> dict[str, Grounded]:
    """The call's values by pointer, traced as if the tainted text were not there."""
    clean = Case(without_instructions(case.context, taints), case.action)
    return {leaf.pointer: leaf for leaf in ground(clean).leaves}


def _first_taint(spans: Iterable[Span], taints: Taints) -> Taint | None:
    return next((taint for span in spans if (taint := find_taint(span, taints))), None)
