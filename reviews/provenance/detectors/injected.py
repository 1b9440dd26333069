"""Values whose only source is an order hidden in data, or text to which the request does not lead."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from reviews.provenance.core.context import Case, Span
from reviews.provenance.core.findings import Finding, Grounding, Relation
from reviews.provenance.detectors.parameter_classes import Classes
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.grounding import Grounded
from reviews.provenance.grounding.notes import where
from reviews.provenance.injection.free_text import is_unasked
from reviews.provenance.injection.instructions import UNTRUSTED, instructions_in, without_instructions
from reviews.provenance.injection.taint import Taint, Taints, behind_orders, beside_orders, in_orders, joined, reached

Ground: TypeAlias = Callable[[Case], tuple[Grounded, ...]]


def find_injected(case: Case, grounded: tuple[Grounded, ...], classes: Classes, stage: Stage, ground: Ground) -> bool:
    """Record each argument that rests on an order alone: take away what the order reaches, and no source is left."""
    decisive = tuple(leaf for leaf in grounded if classes.derivable(leaf.pointer) is not False)
    found = dict(_injected(case, decisive, stage, ground))
    for leaf in decisive:
        if leaf.pointer in found:
            _reject(case, leaf, found[leaf.pointer], stage)
    mark_unled(case, (leaf for leaf in decisive if leaf.pointer not in found), stage)
    return bool(found)


def mark_unled(case: Case, leaves: Iterable[Grounded], stage: Stage) -> None:
    """Mark what was found about values that only text of others supports, to which the request does not lead."""
    unled = {leaf.pointer for leaf in leaves if _is_unled(case, leaf)}
    stage.findings = [_marked(each) if each.subject in unled else each for each in stage.findings]


def _is_unled(case: Case, leaf: Grounded) -> bool:
    return _only_untrusted(leaf) and all(is_unasked(case.context, span) for span in leaf.spans)


def _injected(case: Case, decisive: tuple[Grounded, ...], stage: Stage, ground: Ground) -> Iterator[tuple[str, Taint]]:
    orders = instructions_in(case.context)
    if not orders:
        return
    own = in_orders(case.context, orders)
    without_orders = _by_pointer(case, own, ground)
    sources = {span.source for leaf in decisive for span in leaf.spans}
    reach = joined(own, beside_orders(case.context, orders), behind_orders(case.context, orders, sources))
    without_all = _by_pointer(case, reach, ground)
    for leaf in decisive:
        clean = without_orders[leaf.pointer]
        if clean.how is Grounding.UNGROUNDED:
            taint = _touched(_evidence(leaf.pointer, stage), own)
        # What the request itself points at, it may have, even from a record that somebody has written an order into.
        elif not _pointed_at(clean) and without_all[leaf.pointer].how is Grounding.UNGROUNDED:
            taint = _touched(clean.spans, reach)
        else:
            taint = None
        if taint:
            yield leaf.pointer, taint


def _by_pointer(case: Case, taints: Taints, ground: Ground) -> dict[str, Grounded]:
    """The call's values traced as if the tainted text were not there."""
    clean = Case(without_instructions(case.context, taints), case.action)
    return {leaf.pointer: leaf for leaf in ground(clean)}


def _touched(spans: tuple[Span, ...], taints: Taints) -> Taint | None:
    return next((taint for span in spans if (taint := reached(span, taints))), None)


def _only_untrusted(leaf: Grounded) -> bool:
    return bool(leaf.kinds) and leaf.kinds <= UNTRUSTED


def _pointed_at(leaf: Grounded) -> bool:
    """Whether the user's words lead to this value; where values compete, they may lead to another."""
    return leaf.how is not Grounding.COMPETING and not leaf.kinds <= UNTRUSTED


def _evidence(pointer: str, stage: Stage) -> tuple[Span, ...]:
    return tuple(span for finding in stage.findings if finding.subject == pointer for span in finding.evidence)


def _reject(case: Case, leaf: Grounded, taint: Taint, stage: Stage) -> None:
    supporting = (*_evidence(leaf.pointer, stage), *leaf.spans)
    untrusted = (span for span in supporting if case.context.sources[span.source].kind in UNTRUSTED)
    stage.retract(Relation.DERIVED_FROM, leaf.pointer)
    stage.find(
        Relation.DERIVED_FROM,
        leaf.pointer,
        False,
        f"Only {where(taint.order.source)} gives this value, {taint.why}: “{taint.order.quote[:120]}”.",
        evidence=tuple(dict.fromkeys((taint.order, *untrusted))),
        grounding=leaf.how,
        untrusted_only=True,
    )


def _marked(finding: Finding) -> Finding:
    """Says that only untrusted text supports what was found; it stands all the same."""
    if finding.relation is not Relation.DERIVED_FROM or finding.untrusted_only:
        return finding
    return replace(finding, untrusted_only=True, rationale=f"{finding.rationale} {_NOT_LED}")


_NOT_LED = "Only text that others wrote says so, and the request does not lead there."
