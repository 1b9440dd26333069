"""The heart of the engine: whether a term proves what it claims, to the character. Pure; believes nobody."""

from collections.abc import Sequence
from itertools import chain, combinations
from typing import Final, assert_never

from reviews.provenance.core.context import Message
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import TRUSTED, SourceKind
from reviews.provenance.data.sources import DATA, Cell, Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.expressions import why_not_result
from reviews.provenance.terms.queries import run_query, run_total
from reviews.provenance.terms.quoted_span import (
    KINDS,
    Outcome,
    Refused,
    Verified,
    find_value_within,
    is_in_other_unit,
    refuse_other_value,
    text_for,
    verify_quote,
)
from reviews.provenance.terms.readings.conversions import find_written_numerals
from reviews.provenance.terms.readings.mentions import find_readings, local_moment, may_mean
from reviews.provenance.terms.readings.times_of_day import is_in_other_half
from reviews.provenance.terms.readings.worded_numbers import MAX_WORDS, is_counted, may_mean_number
from reviews.provenance.terms.same_value import same_value
from reviews.provenance.terms.search import is_listed_folder, is_looked_up_alone
from reviews.provenance.terms.terms import (
    MAX_INPUTS,
    Composed,
    Computed,
    Condition,
    Confirmed,
    DayAndTime,
    Documented,
    Field,
    Input,
    Key,
    OtherArgument,
    Reading,
    Selected,
    Stated,
    Term,
    spans_of,
)  # fmt: skip
from reviews.provenance.text.boundaries import cuts_figure, overlaps, stands_in_whole
from reviews.provenance.text.replies import is_denial
from reviews.provenance.values.moments import zone_of
from reviews.provenance.values.zones import zone_named

__all__ = ["Outcome", "Refused", "Verified", "verify_term"]

_MOVING: Final = ("time_after", "time_before")


def verify_term(term: Term, leaf: Leaf, evidence: Evidence) -> Outcome:
    """Whether the term gives the leaf's value.

    It proves DerivedFrom and AppearIn as facts about characters, and not that the words are meant for this parameter.
    """
    evidence.budget.spend()
    outcome: Outcome
    match term:
        case Stated() | Documented():
            outcome = verify_quote(term.span, leaf, evidence, KINDS[type(term)])
        case Confirmed():
            outcome = _verify_confirmed(term, leaf, evidence)
        case Field():
            outcome = _verify_field(term, leaf, evidence)
        case Selected():
            outcome = _verify_selected(term, leaf, evidence)
        case Computed():
            outcome = _verify_computed(term, leaf, evidence)
        case Reading():
            outcome = _verify_reading(term, leaf, evidence)
        case DayAndTime():
            outcome = _verify_day_and_time(term, leaf, evidence)
        case Composed():
            outcome = _verify_composed(term, leaf, evidence)
        case _ as unreachable:
            assert_never(unreachable)
    return outcome


def _verify_confirmed(term: Confirmed, leaf: Leaf, evidence: Evidence) -> Outcome:
    offer = verify_quote(term.offer, leaf, evidence, (SourceKind.AGENT_MESSAGE,))
    if isinstance(offer, Refused):
        return offer
    answer = text_for(term.answer, evidence, (SourceKind.USER_QUERY,))
    if isinstance(answer, Refused):
        return answer
    if term.answer.source != _answer_to(term.offer.source, evidence):
        return Refused("The user's message is not the answer to that offer.")
    if is_denial(answer.source.text):
        return Refused("The user's answer denies it.")
    return Verified((*offer.spans, term.answer), offer.how)


def _answer_to(offer: str, evidence: Evidence) -> str | None:
    """The id of the user's next message after an offer."""
    position = int(offer.split("/")[1])
    behind = enumerate(evidence.context.history[position:], start=position + 1)
    number, role = next(((number, item.role) for number, item in behind if isinstance(item, Message)), (0, ""))
    return f"history/{number}/message" if role == "user" else None


def _verify_field(term: Field, leaf: Leaf, evidence: Evidence) -> Outcome:
    text = text_for(term.span, evidence, DATA)
    if isinstance(text, Refused):
        return text
    if is_looked_up_alone(leaf, text, evidence):
        return Refused("That look-up only repeats what the agent made it with.")
    cell, keys = text.cell_at(term.span), term.keys[:MAX_INPUTS]
    if cell is None:
        return find_value_within(term.span, leaf, text)
    for key in keys:
        if refusal := _refused_key(key, cell, evidence):
            return refusal
    how = same_value(leaf, cell.value)
    if how is None:
        # A part of a longer field, such as a code within a sentence.
        return find_value_within(term.span, leaf, text)
    spans = dict.fromkeys(span for key in keys for span in (key.span, key.by_span))
    return Verified((cell.span, *spans), Grounding.RESOLVE if keys else how)


def _refused_key(key: Key, cell: Cell, evidence: Evidence) -> Refused | None:
    """Why a key does not lead to the field's record; None where it does."""
    holder = text_for(key.span, evidence, (*DATA, SourceKind.TOOL_CALL))
    if isinstance(holder, Refused):
        return holder
    if holder.source.kind is SourceKind.TOOL_CALL:
        if holder.source.id.rpartition("/")[0] != cell.text.source.id.rpartition("/")[0]:
            return Refused("The look-up with that argument returned something else.")
    elif holder is not cell.text:
        return Refused("The key stands in another result.")
    else:
        key_cell = holder.cell_at(key.span)
        if key_cell is None or key_cell.record not in (cell.record, *holder.document.ancestors_of(cell.record)):
            return Refused(f"“{shorten_text(key.span.quote, 60)}” is a field of another record.")
    outcome = verify_term(key.by, Leaf(key.span.quote), evidence)
    return outcome if isinstance(outcome, Refused) and not _is_named_by(key, holder, evidence) else None


def _is_named_by(key: Key, holder: SourceText, evidence: Evidence) -> bool:
    """Whether the words that name a record are whole words of its key: “Daniel” of “Daniel Kim”."""
    words = Leaf(key.by_span.quote)
    return (
        evidence.context.verifies(key.by_span)
        and isinstance(verify_term(key.by, words, evidence), Verified)
        and isinstance(find_value_within(key.span, words, holder), Verified)
    )


def _verify_selected(term: Selected, leaf: Leaf, evidence: Evidence) -> Outcome:
    text = evidence.texts.get(term.source)
    if text is None or text.source.kind not in DATA:
        return Refused(f"There is no result “{shorten_text(term.source, 60)}”.")
    evidence.budget.spend(len(text.source.text) // 16 * (1 + len(term.where)))
    if refused := _refused_condition(term.where, evidence):
        return refused
    cells = run_total(term, text, leaf.value) if term.total else run_query(term, text)
    if isinstance(cells, str):
        return Refused(cells)
    if term.total:
        return Verified((*(cell.span for cell in cells[:MAX_INPUTS]), *spans_of(term)), Grounding.DERIVE)
    if cell := next((cell for cell in cells if same_value(leaf, cell.value)), None):
        return Verified((cell.span, *spans_of(term)), Grounding.RESOLVE)
    return Refused(f"The query gives “{shorten_text(cells[0].value, 60)}”, not “{shorten_text(leaf.text, 60)}”.")


def _refused_condition(where: Sequence[Condition], evidence: Evidence) -> Refused | None:
    for condition in where[:MAX_INPUTS]:
        stated = verify_term(condition.stated, Leaf(condition.value), evidence) if condition.stated else None
        if not isinstance(stated, Verified):
            return stated or Refused(f"Nobody states the condition “{condition.field}”.")
    return Refused("The query has too many conditions.") if len(where) > MAX_INPUTS else None


def _verify_computed(term: Computed, leaf: Leaf, evidence: Evidence) -> Outcome:
    if not 0 < len(term.inputs) <= MAX_INPUTS:
        return Refused("A computation needs between one and sixty-four inputs.")
    refused = next(filter(None, (_refused_input(part, term, leaf, evidence) for part in term.inputs)), None)
    if refused:
        return refused
    last, quoted = term.inputs[-1], [part for part in term.inputs if not isinstance(part, OtherArgument)]
    length = last.span if term.operation in _MOVING and not isinstance(last, OtherArgument) else None
    if length and is_counted(evidence.texts[length.source].source.text, length):
        return Refused(f"“{shorten_text(length.quote, 60)}” is counted there by a number that is left out.")
    if term.operation != "concatenate" and _share_place(term.inputs, quoted):
        return Refused("Each input stands in a place of its own; a formula may name one twice.")
    quotes = [part.leaf.text if isinstance(part, OtherArgument) else part.span.quote for part in term.inputs]
    reason = why_not_result(term.operation, quotes, leaf, evidence.presumed_now)
    return Refused(reason) if reason else Verified(tuple(dict.fromkeys(spans_of(term))), Grounding.DERIVE)


def _refused_input(part: Input, term: Computed, leaf: Leaf, evidence: Evidence) -> Refused | None:
    """Why nothing may be computed with this input; None where it may."""
    if isinstance(part, OtherArgument):
        if part.leaf.pointer == leaf.pointer:
            return Refused("A value is no input of its own.")
        outcome = verify_term(part.term, part.leaf, evidence)
        return outcome if isinstance(outcome, Refused) else None
    is_folder = is_listed_folder(part, term, leaf)
    text = text_for(part.span, evidence, (SourceKind.TOOL_CALL,) if is_folder else KINDS[type(part)])
    if isinstance(text, Refused):
        return text
    if cuts_figure(text.source.text, part.span.start, part.span.end):
        return Refused(f"“{shorten_text(part.span.quote, 60)}” is a piece of a longer figure there.")
    if len(term.inputs) == 1 and not stands_in_whole(text.source.text, part.span.start, part.span.end):
        return Refused(f"“{shorten_text(part.span.quote, 60)}” is a piece of a longer word there.")
    return None


def _share_place(inputs: Sequence[Input], quoted: Sequence[Stated | Field | Documented]) -> bool:
    """Whether two inputs are one argument, or characters of one place."""
    arguments = [part.leaf.pointer for part in inputs if isinstance(part, OtherArgument)]
    pairs = combinations((part.span for part in quoted), 2)
    return len(set(arguments)) < len(arguments) or any(
        first.source == second.source and overlaps([(first.start, first.end)], second.start, second.end)
        for first, second in pairs
    )


def _verify_reading(term: Reading, leaf: Leaf, evidence: Evidence) -> Outcome:
    text = text_for(term.span, evidence, TRUSTED)
    if isinstance(text, Refused):
        return text
    behind = text.source.text[term.span.end : term.span.end + MAX_WORDS]
    clock = local_moment(leaf, evidence.zone)[1]
    if clock and len(term.span.quote) <= MAX_WORDS and is_in_other_half(clock, term.span.quote, behind):
        return refuse_other_value(term.span, leaf)
    is_worded = may_mean_number(leaf, term.span.quote) and not is_counted(text.source.text, term.span)
    if is_worded or may_mean(leaf, term.span.quote, evidence):
        return Verified((term.span,), Grounding.DERIVE)
    for place in chain(find_readings(leaf, text, evidence), find_written_numerals(leaf, text)):
        part = text.span(*place)
        is_within = term.span.start <= part.start and part.end <= term.span.end
        if is_within and not is_in_other_unit(leaf, place, text):
            return Verified((part,), Grounding.DERIVE)
    return refuse_other_value(term.span, leaf)


def _verify_day_and_time(term: DayAndTime, leaf: Leaf, evidence: Evidence) -> Outcome:
    zone, spans = evidence.zone, [term.zone.span] if term.zone else []
    if term.zone:
        text, zone = text_for(term.zone.span, evidence, TRUSTED), zone_named(term.zone.span.quote)
        if isinstance(text, Refused) or zone is None or zone_of(leaf.text) is None:
            return refuse_other_value(term.zone.span, leaf)
    day, clock = local_moment(leaf, zone)
    if day is None or clock is None:
        return Refused("Only a moment has a day and a time of day.")
    for part, value in ((term.day, day), (term.clock, clock)):
        outcome = verify_term(part, Leaf(value.isoformat(), leaf.pointer), evidence)
        if isinstance(outcome, Refused):
            return outcome
        spans += outcome.spans
    return Verified(tuple(dict.fromkeys(spans)), Grounding.DERIVE)


def _verify_composed(term: Composed, leaf: Leaf, evidence: Evidence) -> Outcome:
    if not isinstance(leaf.value, str):
        return Refused("Only a text can be composed.")
    parts = term.facts[:MAX_INPUTS]
    for part in parts:
        text = text_for(part.span, evidence, KINDS[type(part)])
        if isinstance(text, Refused):
            return text
    return Verified(tuple(part.span for part in parts), Grounding.GENERATED)
