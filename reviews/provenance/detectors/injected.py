"""Values whose only source is an order hidden in data, or text to which the request does not lead."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Final

from reviews.provenance.argument_grounding import Grounded, Grounder
from reviews.provenance.core.context import Case, Message, Span
from reviews.provenance.core.findings import Grounding, Relation
from reviews.provenance.core.places import describe_source, history_position
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.work_budget import OutOfBudgetError
from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.injection.free_text import FreeText
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
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.order_in_data import RULE, is_ordered_alone
from reviews.provenance.terms.derivability import DerivableParameters
from reviews.provenance.values.moments import moment_of

_UNTRUSTED_ONLY: Final = "Only text that others wrote has the call's value, and the request does not lead there."
_ANSWERED: Final = "The user has written since, perhaps having seen it. Is it what they want?"
_ORDINARY: Final = "Ordinary text has such words as well. Is it what the user wants?"
_WORKED_OUT: Final = "It may have been worked out from something else. Is it what the user wants?"
BESIDE_RULE: Final = "doubts.beside_order"
# Characters of an order that a finding repeats: enough to recognise it, and its place is a click away.
_MAX_QUOTED: Final = 120
# Characters of a value in a question to a person.
_MAX_VALUE: Final = 60
# Characters from which a composed text that stands in an order was copied from it: shorter ones are everyday words.
_MIN_DICTATED_LENGTH: Final = 12


class HiddenOrders:
    """Holds the values of a call against the orders that hide in its context."""

    def __init__(self, case: Case, leaves: Sequence[Grounded], classes: DerivableParameters, stage: Stage) -> None:
        self._case = case
        self._stage = stage
        self._orders = instructions_in(case.context)
        self._ordered = in_orders(case.context, self._orders)
        self._decisive = tuple(leaf for leaf in leaves if leaf.needs_source(classes))
        # What the agent composes may well repeat what it read.
        self._dictated = tuple(leaf for leaf in leaves if not leaf.needs_source(classes) and _is_copied(leaf))

    @cached_property
    def _last_word(self) -> int:
        """The position of what the user said last, behind the request; 0: nothing."""
        history = enumerate(self._case.context.history, start=1)
        return max((at for at, item in history if isinstance(item, Message) and item.role == "user"), default=0)

    @cached_property
    def _without_orders(self) -> Mapping[str, Grounded]:
        return _trace_without(self._ordered, self._case)

    def find_injected(self) -> bool:
        """Whether any argument rests on an order alone; each is recorded, in place of what was found about it before.

        To be asked again when a judge has quoted more: that may stand in an order, too. Where the user has written
        since the order came, or it may be none, nothing is refuted: see `withhold_doubtful_orders`.
        """
        injected = {at: by for at, by in self._find_ordered().items() if not self._doubt_of(at, by[0])}
        self._record_ordered(injected, holds=False)
        mark_untrusted_only(self._case, (leaf for leaf in self._decisive if leaf.pointer not in injected), self._stage)
        return bool(injected)

    def withhold_doubtful_orders(self) -> None:
        """Leave open each value that rests on what may be no order, or one that the user may be answering."""
        doubtful = {at: by for at, by in self._find_ordered().items() if self._doubt_of(at, by[0])}
        for note in self._record_ordered(doubtful, holds=None):
            self._stage.require_person(note)

    def _find_ordered(self) -> Mapping[str, tuple[Taint, str]]:
        """By its pointer, what taints each value that an order alone gives, and what the order does."""
        injected = self._injected_values(self._stage.recorded_evidence()) if self._orders else {}
        if self._orders and not injected and (taint := self._find_dictating_order()):
            return {leaf.pointer: (taint, "asks for this call") for leaf in self._decisive}
        return {pointer: (taint, "gives this value") for pointer, taint in injected.items()}

    def _doubt_of(self, pointer: str, taint: Taint) -> str:
        """What a person is asked about an order that refutes nothing; empty where it does."""
        if history_position(taint.order.source) < self._last_word:
            return _ANSWERED
        if taint.may_be_ordinary:
            return _ORDINARY
        return _WORKED_OUT if taint.came_of_it and pointer in self._on_days_said else ""

    @cached_property
    def _on_days_said(self) -> frozenset[str]:
        """Pointers of moments whose day the user says: the hour at which an hour ends on it needs no source."""
        moments = [moment for text in Evidence(self._case.context).user_messages for moment in text.moments]
        days = {leaf.pointer: (moment_of(leaf.value) or (None, None))[0] for leaf in self._decisive} if moments else {}
        is_said = {day: any(moment.on(day) for moment in moments) for day in days.values() if day}
        return frozenset(pointer for pointer, day in days.items() if day and is_said[day])

    def _record_ordered(self, ordered: Mapping[str, tuple[Taint, str]], *, holds: bool | None) -> list[str]:
        """One finding for each value: that it stands in the context is true and beside the point. Its notes."""
        recorded, notes = self._stage.recorded_evidence(), []
        self._stage.retract(Relation.DERIVED_FROM, *ordered)
        leaves = [leaf for leaf in (*self._decisive, *self._dictated) if leaf.pointer in ordered]
        # What the order itself says comes first: of the fields beside it a person reads later.
        for leaf in sorted(leaves, key=lambda leaf: not _is_said_by(ordered[leaf.pointer][0].order, leaf)):
            taint, deed = ordered[leaf.pointer]
            supporting = (*recorded.get(leaf.pointer, ()), *leaf.spans)
            untrusted = (span for span in supporting if self._case.context.sources[span.source].kind in UNTRUSTED)
            only = f"Only {describe_source(taint.order.source)} {deed}, {taint.why}"
            question = "" if holds is False else f" {self._doubt_of(leaf.pointer, taint)}"
            notes.append(f"{only}: “{taint.order.quote[:_MAX_QUOTED]}”.{question}")
            self._stage.record_finding(
                Relation.DERIVED_FROM, leaf.pointer, holds, notes[-1],
                evidence=tuple(dict.fromkeys((taint.order, *untrusted))), grounding=leaf.how, untrusted_only=True,
                rule=RULE,
            )  # fmt: skip
        return notes

    def withhold_beside_orders(self) -> None:
        """Leave open each value that stands only in records which carry an order, whatever the profile makes of that.

        Whoever wrote the order may have written the other fields, too, or none of them: that is no proof. What the
        request itself points at, it may have, even from such a record.
        """
        beside = beside_orders(self._case.context, self._orders) if self._orders else {}
        if not beside:
            return
        without_beside = _trace_without(join_taints(self._ordered, beside), self._case)
        recorded = self._stage.recorded_evidence()
        ordered_alone = {finding.subject for finding in self._stage.findings if finding.rule == RULE}
        taints: dict[str, Taint] = {}
        for leaf in (leaf for leaf in self._decisive if leaf.pointer not in ordered_alone):
            if _is_requested(self._without_orders[leaf.pointer]) or without_beside[leaf.pointer].spans:
                continue
            if taint := _first_taint((*recorded.get(leaf.pointer, ()), *leaf.spans), beside):
                taints[leaf.pointer] = taint
        self._stage.retract(Relation.DERIVED_FROM, *taints)
        for leaf in (leaf for leaf in self._decisive if leaf.pointer in taints):
            taint = taints[leaf.pointer]
            value, quote = shorten_text(str(leaf.value), _MAX_VALUE), taint.order.quote[:_MAX_QUOTED]
            note = f"“{value}” stands only {taint.why}: “{quote}”. Is it meant?"
            self._stage.record_finding(
                Relation.DERIVED_FROM, leaf.pointer, None, note,
                evidence=tuple(dict.fromkeys((taint.order, *leaf.spans))), grounding=leaf.how, untrusted_only=True,
                rule=BESIDE_RULE,
            )  # fmt: skip
            self._stage.require_person(note)

    def _injected_values(self, recorded: Mapping[str, tuple[Span, ...]]) -> dict[str, Taint]:
        """By its pointer, what taints each value that loses its only source with the orders' text.

        The values are traced twice more: without the orders themselves, then without what came of obeying them as
        well. Of a copied text only the orders themselves count.
        """
        ordered, without_orders = self._ordered, self._without_orders
        sources = {span.source for leaf in self._decisive for span in leaf.spans}
        obeyed = behind_orders(self._case.context, self._orders, sources)
        without_obeyed = _trace_without(join_taints(ordered, obeyed), self._case) if obeyed else without_orders
        suspects: list[tuple[Grounded, Iterable[Span], Taints]] = [
            (leaf, leaf.spans, ordered)
            for leaf in self._dictated
            if without_orders[leaf.pointer].how is Grounding.UNGROUNDED
        ]
        for leaf in self._decisive:
            clean = without_orders[leaf.pointer]
            if clean.how is Grounding.UNGROUNDED:
                suspects.append((leaf, recorded.get(leaf.pointer, ()), ordered))
            elif not _is_requested(clean) and without_obeyed[leaf.pointer].how is Grounding.UNGROUNDED:
                suspects.append((leaf, clean.spans, obeyed))
        return {leaf.pointer: taint for leaf, spans, taints in suspects if (taint := _first_taint(spans, taints))}

    def _find_dictating_order(self) -> Taint | None:
        """The order that asks for the whole call, which nobody else does."""
        evidence = Evidence(self._case.context)
        call = ProposedCall.of(self._case, evidence)
        with suppress(OutOfBudgetError):
            for source, taints in self._ordered.items():
                read = evidence.texts[source].source
                for taint in taints:
                    order = replace(read, text=read.text[taint.start : taint.end])
                    if is_ordered_alone(call, SourceText(order, evidence.budget, evidence.now)):
                        return taint
        return None


def mark_untrusted_only(case: Case, leaves: Iterable[Grounded], stage: Stage) -> None:
    """Mark findings about values that only text of others supports, to which the request does not lead.

    They stand all the same: much of what an agent rightly does rests on what its tools return.
    """
    free_text = FreeText(case.context)
    marked = {
        leaf.pointer
        for leaf in leaves
        if leaf.kinds and leaf.kinds <= UNTRUSTED and all(map(free_text.is_unasked, leaf.spans))
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


def _is_requested(leaf: Grounded) -> bool:
    """Whether the user's words lead to the value; where values compete, they may lead to another one."""
    return bool(leaf.holds) and not leaf.kinds <= UNTRUSTED


def _trace_without(taints: Taints, case: Case) -> Mapping[str, Grounded]:
    """The call's values by pointer, traced as if the tainted text were not there."""
    clean = Grounder(without_instructions(case.context, taints))
    return {leaf.pointer: leaf for leaf in clean.trace_call(case.action).leaves}


def _is_said_by(order: Span, leaf: Grounded) -> bool:
    """Whether the order's own words hold the value."""
    return any(order.source == span.source and order.start <= span.start < order.end for span in leaf.spans)


def _first_taint(spans: Iterable[Span], taints: Taints) -> Taint | None:
    return next((taint for span in spans if (taint := find_taint(span, taints))), None)
