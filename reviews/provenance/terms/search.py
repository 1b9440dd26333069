"""Proposes terms for a value, cheaply and without language. A proposal is evidence for a judge, never a proof."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from itertools import chain, islice, product
from typing import Final

from reviews.provenance.core.context import Span, leaves
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.latest_request import LatestRequest, find_answered_messages
from reviews.provenance.data.sources import Cell, Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.expressions import why_not_result
from reviews.provenance.terms.readings.mentions import find_readings
from reviews.provenance.terms.same_value import same_value
from reviews.provenance.terms.terms import Computed, Confirmed, DayAndTime, Documented, Field, Reading, Stated, Term
from reviews.provenance.terms.value_mentions import MAX_READ, spans_with
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import READING, local_name, tokens_of
from reviews.provenance.values.durations import durations_in
from reviews.provenance.values.moments import datetime_of, moment_of

MAX_CANDIDATES: Final = 8
"""Terms that are proposed for one value: a judge reads them all, and the best stand first."""
# Readings that are proposed for one value: they are less telling, and a small model has to read them.
_MAX_READINGS: Final = 3
# Places of one source that are proposed: what a listing repeats is one piece of evidence.
_MAX_OF_SOURCE: Final = 3
_MAX_PLACES: Final = 16
PATH_SIGNS: Final = "/\\"
"""What stands between a folder and what is in it."""
# Places at which a path is parted, from its end.
_MAX_CUTS: Final = 3
# Characters of what is in a folder: shorter names stand in a text by chance.
_MIN_NAME: Final = 3
# Runs of letters or of figures; shorter ones stand in any text by chance.
_PART: Final = re.compile(r"[^\W\d_]{3,}|\d{3,}")
# To look up the field that a mention stands in, and to hold a value against what a call was made with.
_STEPS_A_FIELD: Final = 4
_STEPS_A_PAIR: Final = 16
# To read a beginning and a length anew, by the rules of claims.
_STEPS_AN_END: Final = 64


def propose_terms(leaf: Leaf, latest: LatestRequest, evidence: Evidence) -> tuple[Term, ...]:
    """The terms that give the value, the most telling first."""
    return tuple(islice(_propose_terms(leaf, latest, evidence), MAX_CANDIDATES)) if leaf.text else ()


def _propose_terms(leaf: Leaf, latest: LatestRequest, evidence: Evidence) -> Iterator[Term]:
    offers = (offer for offer, _ in latest.offers)
    for text in dict.fromkeys((latest.message, *offers, *evidence.user_messages, *evidence.instructions)):
        for span in islice(spans_with(leaf, text), _MAX_OF_SOURCE):
            yield term_of_words(span, text, latest)
    for text in evidence.data:
        yield from islice(fields_with(leaf, text), _MAX_OF_SOURCE)
    if leaf.tool is not None and (document := evidence.document_of(leaf.tool.name)):
        yield from map(Documented, islice(spans_with(leaf, document), 1))


def propose_readings(leaf: Leaf, evidence: Evidence) -> tuple[Term, ...]:
    """What a judge may take for the value where no term gives it: nothing of it proves anything without one.

    Words that are read, offers that the user answered in whatever words, and moments in two parts.
    """
    return tuple(islice(_propose_readings(leaf, evidence), _MAX_READINGS)) if leaf.text else ()


def _propose_readings(leaf: Leaf, evidence: Evidence) -> Iterator[Term]:
    for text in (*evidence.user_messages, *evidence.instructions):
        for place in islice(find_readings(leaf, text, evidence), _MAX_OF_SOURCE):
            yield Reading(text.span(*place))
    for offer, answer in find_answered_messages(evidence):
        for span in islice(spans_with(leaf, offer), 1):
            yield Confirmed(span, answer.whole)
    yield from chain(_propose_ends(leaf, evidence), _propose_moved(leaf, evidence), propose_paths(leaf, evidence))
    day, clock = moment_of(leaf.value) or (None, None)
    if day and clock:
        days, clocks = (_first_source(Leaf(part.isoformat(), leaf.pointer), evidence) for part in (day, clock))
        yield from (DayAndTime(first, second) for first in days for second in clocks)


def _propose_ends(leaf: Leaf, evidence: Evidence) -> Iterator[Computed]:
    """Where a length of time leads to that the user says: "at 2 pm for 90 minutes", "in half an hour"."""
    is_moment = moment_of(leaf.value) is not None
    for text in (text for text in evidence.user_messages if is_moment and len(text.folded) <= MAX_READ):
        for length, begin in islice(product(text.durations, _beginnings_in(text)), _MAX_PLACES):
            text.budget.spend(_STEPS_AN_END)
            spans = [text.span(*place) for place in (*begin, length.place)]
            if not why_not_result("time_after", [span.quote for span in spans], leaf, evidence.presumed_now):
                yield Computed("time_after", tuple(map(Stated, spans)))


def _propose_moved(leaf: Leaf, evidence: Evidence) -> Iterator[Computed]:
    """A moment of the data, moved by a length of time that the user says: "postpone it by a week"."""
    met, messages = datetime_of(leaf.value), (text for text in evidence.user_messages if len(text.folded) <= MAX_READ)
    lengths = (text.span(*length.place) for text in messages if met for length in text.durations)
    for length, operation in product(islice(lengths, _MAX_OF_SOURCE), ("time_after", "time_before")):
        for begin, result in product(_beginnings_of(leaf, operation, length), evidence.data):
            for field in islice(fields_with(begin, result), 1):
                if not why_not_result(operation, [field.span.quote, length.quote], leaf, evidence.presumed_now):
                    yield Computed(operation, (field, Stated(length)))


def _beginnings_of(leaf: Leaf, operation: str, length: Span) -> Iterator[Leaf]:
    """From where a length of time leads to the value."""
    met = datetime_of(leaf.value)
    for seconds in (duration.value for duration in durations_in(fold(length.quote))):
        # Beyond the calendar there is none.
        with suppress(OverflowError):
            by = timedelta(seconds=float(seconds))
            begin = met - by if met and operation == "time_after" else met + by if met else None
            has_clock = (moment_of(leaf.value) or (None, None))[1] is not None
            if begin:
                yield Leaf(begin.isoformat() if has_clock else begin.date().isoformat(), leaf.pointer)


def _beginnings_in(text: SourceText) -> Iterator[tuple[Place, ...]]:
    """Each moment that a text says, each of its days with each time of day that stands by itself, and now."""
    days = dict.fromkeys(moment.place for moment in text.moments if moment.clock is None)
    clocks = dict.fromkeys(moment.place for moment in text.moments if moment.day is None)
    yield from ((place,) for place in dict.fromkeys(moment.place for moment in text.moments))
    yield from product(days, clocks)
    yield ()


def propose_paths(leaf: Leaf, evidence: Evidence) -> Iterator[Computed]:
    """A path whose folder stands in one place and the rest in a result: what was listed, and a name in the list."""
    text = leaf.value if isinstance(leaf.value, str) else ""
    for cut in islice((at for at in range(len(text) - 2, 0, -1) if text[at] in PATH_SIGNS), _MAX_CUTS):
        folder, name = Leaf(text[:cut], leaf.pointer), Leaf(text[cut + 1 :], leaf.pointer)
        for result in evidence.data if len(name.text) >= _MIN_NAME else ():
            for field in islice(fields_with(name, result), 1):
                folders = _find_folder(folder, result, evidence)
                yield from (Computed("concatenate", (first, field)) for first in islice(folders, 1))


def _find_folder(folder: Leaf, result: SourceText, evidence: Evidence) -> Iterator[Stated | Field]:
    """Where the folder stands of what a result lists; nowhere for what was looked up in another one."""
    yield from map(Field, _find_looked_up(folder, result, evidence))
    arguments = [value for _, value in leaves(dict(result.step.arguments))] if result.step else []
    result.budget.spend(1 + len(arguments))
    if not any(isinstance(value, str) and not set(PATH_SIGNS).isdisjoint(value) for value in arguments):
        yield from (Stated(span) for message in evidence.user_messages for span in spans_with(folder, message))
        yield from (field for text in evidence.data for field in fields_with(folder, text))


def is_listed_folder(part: Stated | Field | Documented, term: Computed, leaf: Leaf) -> bool:
    """Whether the part is what a result was looked up with, and the value a path to what that result lists there.

    What an agent wrote proves nothing by itself; that something stands there the result says.
    """
    step, _, place = part.span.source.rpartition("/")
    if term.operation != "concatenate" or place != "call" or not isinstance(part, Field):
        return False
    match term.inputs:
        case (folder, Field() as listed) if folder is part and listed.span.source == f"{step}/outcome":
            paths = {f"{part.span.quote.rstrip(PATH_SIGNS)}{sign}{listed.span.quote}" for sign in PATH_SIGNS}
            return leaf.text in paths
    return False


def _find_looked_up(leaf: Leaf, result: SourceText, evidence: Evidence) -> Iterator[Span]:
    """The argument that this result was looked up with, where it is this folder, with or without its last sign."""
    for _, value in leaves(dict(result.step.arguments)) if result.step else ():
        result.budget.spend(_STEPS_A_PAIR)
        if isinstance(value, str) and value.rstrip(PATH_SIGNS) == leaf.text.rstrip(PATH_SIGNS) != "":
            made_with = evidence.texts[result.source.id.replace("/outcome", "/call")]
            at = made_with.source.text.find(value)
            yield from [made_with.raw_span(at, at + len(value))] if at >= 0 else ()


def _first_source(part: Leaf, evidence: Evidence) -> list[Stated | Field | Reading]:
    """Where the day or the time of day stands: in the user's words, as what reads so, or in a result."""
    stated = (Stated(span) for text in evidence.user_messages for span in spans_with(part, text))
    read = (
        Reading(text.span(*place)) for text in evidence.user_messages for place in find_readings(part, text, evidence)
    )
    returned = (field for text in evidence.data for field in fields_with(part, text))
    return list(islice(chain(stated, read, returned), 1))


def term_of_words(span: Span, text: SourceText, latest: LatestRequest) -> Stated | Confirmed:
    """What these words claim: they are somebody's own, or an offer that the user agreed to."""
    agreement = latest.agreement_to(text)
    return Confirmed(span, agreement.whole) if agreement else Stated(span)


def fields_with(leaf: Leaf, text: SourceText) -> Iterator[Field]:
    """The places of a result that give the value: whole fields first, then parts of longer texts."""
    parts: list[Field] = []
    for span in spans_with(leaf, text):
        text.budget.spend(_STEPS_A_FIELD)
        if field := whole_field(leaf, span, text):
            yield Field(field)
        else:
            parts.append(Field(span))
    if parts and not is_echoed(leaf, text):
        yield from parts


def cells_with(leaf: Leaf, text: SourceText) -> Iterator[Cell]:
    """The whole fields of a result that give the value; what stands in more rows than a few is no record's own."""
    for field in islice(fields_with(leaf, text), _MAX_PLACES):
        cell = text.cell_at(field.span)
        if cell is not None and cell.span == field.span:
            yield cell


def says_other_field(leaf: Leaf, words: str, evidence: Evidence) -> bool:
    """Whether these words, to the character, are another field of the data than the value: "max" where "Max" is one."""
    if words == leaf.text or fold(words) != leaf.folded:
        return False
    fields = {cell.value for text in evidence.data for cell in cells_with(leaf, text)}
    return fields >= {words, leaf.text}


def whole_field(leaf: Leaf, span: Span, text: SourceText) -> Span | None:
    """The field of a tool's result that the span lies in, if it reads as the value from end to end."""
    cell = text.cell_at(span) if text.source.kind is SourceKind.TOOL_OUTPUT else None
    return cell.span if cell and same_value(leaf, cell.value) else None


def is_echoed(leaf: Leaf, text: SourceText) -> bool:
    """Whether the result only repeats what it was looked up with: the agent's own words prove nothing."""
    for _, value in leaves(dict(text.step.arguments)) if text.step else ():
        text.budget.spend(_STEPS_A_PAIR)
        if same_value(leaf, str(value)):
            return True
    return False


def find_copied(leaf: Leaf, evidence: Evidence) -> SourceText | None:
    """The result that has the value as a whole field, and was not made with it."""
    results = (text for text in evidence.data if any(cells_with(leaf, text)) and not is_echoed(leaf, text))
    return next(results, None)


def is_mere_echo(term: Term, leaf: Leaf, evidence: Evidence) -> bool:
    """Whether the term is a field of a look-up that only repeats the value: it gives nothing."""
    return isinstance(term, Field) and is_looked_up_alone(leaf, evidence.texts[term.span.source], evidence)


def is_looked_up_alone(leaf: Leaf, text: SourceText, evidence: Evidence) -> bool:
    """Whether a look-up repeats the value that it was made with, and nothing else says any part of it.

    What another call was made with may be there since; and the user, who was told the value and went on, knows it.
    """
    if text.step is None or READING.isdisjoint(tokens_of(local_name(text.step.tool))[:1]) or not is_echoed(leaf, text):
        return False
    results = [result for result in evidence.data if result is not text and not is_echoed(leaf, result)]
    parts = _PART.findall(leaf.folded) or [leaf.folded]
    contents = (source.folded for source in (*evidence.user_messages, *evidence.instructions, *results))
    evidence.budget.spend(1 + len(parts) * (1 + len(results)))
    is_told = any(leaf.folded in message.folded for message, _ in find_answered_messages(evidence))
    return not is_told and not any(part in folded for folded in contents for part in parts)
