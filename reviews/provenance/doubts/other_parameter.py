"""The value is another parameter's: the latest request says it beside that one's label, or it is that one's default.

Where it says two values each beside the other one's label, no judge's yes stands for them: “from 88 to 77” is a fact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Span
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.wording import quote_as_value, quote_words
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import find_other_counted, is_labelled
from reviews.provenance.proofs.words import ARTICLES, LINKS, PREPOSITIONS, counts_anything, labels_in
from reviews.provenance.terms.argument_leaf import Leaf, leaf_at, types_of
from reviews.provenance.terms.kinds import Kind, are_alike, kind_of
from reviews.provenance.terms.search import cells_with
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import root_of, roots_of, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.durations import seconds_of_unit
from reviews.provenance.values.measures import is_measure

RULE, EXCHANGED = "doubts.other_parameter", "doubts.exchanged_values"
# Other values of the call with which one may be exchanged: a list has more, and its entries have one label.
_MAX_COUNTERPARTS = 16
# How JSON Schema calls a text and a number.
_TYPES: Final = {str: {"string"}, int: {"integer", "number"}, float: {"number"}}
# How parameters are called, at their end, that take a code.
_CODES: Final = frozenset({"id", "ids", "uuid"})
# Words before a value among which its parameter's name stands, and characters in which they do.
_MAX_WORDS, _REACH = 5, 80
# Fields of a record that are looked at, and the steps for each.
_MAX_FIELDS, _STEPS_A_FIELD = 16, 16


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that may have been taken for another parameter's."""
    places = [mention.place for mention in mentions_of(leaf, call.text)]
    if places:
        return _doubt_label(places, leaf, call) or _doubt_part(places, leaf, call)
    if exchange := next(_find_exchanged_records(leaf, call), None):
        words, counterpart, counterpart_words = exchange
        return _ask_of_exchange(quote_words(words), counterpart, quote_words(counterpart_words), leaf)
    if name := _parameter_with_default(leaf, call):
        value = shorten_text(leaf.text, 60)
        return Doubt(RULE, f"“{value}” is what the tool takes for {name} by default. Is it meant for {leaf.name}?")
    return None


def _doubt_label(places: Sequence[Place], leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value beside which only other parameters' labels stand."""
    labels = [is_labelled(leaf, *place, call) for place in places]
    # Units count no other things: "21 degrees".
    are_measures = all(is_measure(call.text.folded, *place) for place in places)
    if set(labels) != {False} or counts_anything(leaf.name) or are_measures:
        return None
    stated = quote_as_value(call.text.span(*places[0]), leaf, call.text.now)
    if counterpart := next(_find_exchanged(leaf, call), None):
        return _ask_of_exchange(stated, counterpart, f"“{shorten_text(counterpart.text, 60)}”", leaf)
    question = f"Is it meant for {leaf.name}?"
    if name := next(_find_labelled(places, leaf, call), None):
        return Doubt(RULE, f"The request says {stated}, maybe for {name}. {question}")
    counted = find_other_counted(leaf, places[0][1], call) if kind_of(leaf) is Kind.NUMBER else None
    if counted and not seconds_of_unit(counted) and not _is_led_by_name(leaf, places[0][0], call):
        return Doubt(RULE, f"The request says {stated}, counting “{counted}”. {question}")
    return None


def _find_labelled(places: Sequence[Place], leaf: Leaf, call: ProposedCall) -> Iterator[str]:
    """The other parameters that could take the value, whose label stands beside it and whose own is not said."""
    counterparts = (other for other in _counterparts_of(leaf, call) if not _is_meant(other, places, leaf, call))
    alike = (other for other in counterparts if are_alike(Leaf(other.value), Leaf(leaf.value)))
    exchanged = (replace(counterpart, value=leaf.value) for counterpart in alike)
    for candidate in filter(_is_possible, (*exchanged, *_left_out(leaf, call))):
        if any(is_labelled(candidate, *place, call) and _is_called(candidate, place, call) for place in places):
            yield candidate.name


def _is_meant(counterpart: Leaf, places: Sequence[Place], leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the request says another parameter's own value with its label, or without one where it is a code.

    Within the value that is asked about it says only that one.
    """
    mentioned = [mention.place for mention in mentions_of(counterpart, call.text)]
    call.evidence.budget.spend(1 + len(places) * len(mentioned))
    own_places = (at for at in mentioned if not any(start <= at[0] and at[1] <= end for start, end in places))
    labels = {is_labelled(counterpart, *place, call) for place in own_places}
    is_code = kind_of(counterpart) is Kind.CODE and kind_of(Leaf(leaf.value)) is not Kind.CODE
    return True in labels or (is_code and None in labels)


def _left_out(leaf: Leaf, call: ProposedCall) -> Iterator[Leaf]:
    """The value as it would be at each parameter that the call leaves out."""
    parameters = {argument.parameter for argument in call.leaves}
    for name in islice(call.document.properties, _MAX_COUNTERPARTS):
        # What names a thing by its code is no word: an order's number is not “large”.
        is_code = _CODES.isdisjoint(tokens_of(name)[-1:]) or any(map(str.isdigit, leaf.text))
        if name not in parameters and is_code:
            yield leaf_at(leaf.value, f"/{name}", call.document)


def _is_called(candidate: Leaf, place: Place, call: ProposedCall) -> bool:
    """Whether words right beside the place are the parameter's own.

    Whoever would "prefer" one says no preference that the call leaves out; what "expires" may be its expiration date.
    """
    start, end = place
    before, behind = call.text.folded[max(0, start - _REACH) : start], call.text.folded[end : end + _REACH]
    words = (*words_in(before)[-_MAX_WORDS:], *words_in(behind)[:1])
    # "Of" joins any two nouns: "what kind of tea".
    leads = labels_in(candidate.name, call) & PREPOSITIONS - {"of"}
    is_given = any(argument.parameter == candidate.parameter for argument in call.leaves)
    stems = stems_of(candidate.name) if is_given else frozenset()
    return any(word in leads or root_of(word) in roots_of(candidate.name) or stem_of(word) in stems for word in words)


def _is_led_by_name(leaf: Leaf, start: int, call: ProposedCall) -> bool:
    """Whether the last word before a figure is the parameter's own, but for "of": "a width of 500 pixels"."""
    words = words_in(call.text.folded[max(0, start - _REACH) : start])
    nouns = (word for word in reversed(words) if word != "of" and word not in ARTICLES | LINKS)
    return root_of(next(nouns, "")) in roots_of(leaf.name)


def _is_possible(candidate: Leaf) -> bool:
    """Whether the parameter takes such a value: one of its choices, or one of its type."""
    types = types_of(candidate.schema)
    is_typed = not types or not types.isdisjoint(_TYPES.get(type(candidate.value), ()))
    return is_typed and (not candidate.choices or candidate.folded in map(fold, candidate.choices))


def _ask_of_exchange(words: str, counterpart: Leaf, counterpart_words: str, leaf: Leaf) -> Doubt:
    note = f"The request says {words} for {counterpart.name} and {counterpart_words} for {leaf.name}."
    return Doubt(EXCHANGED, f"{note} The call has them exchanged.")


def _doubt_part(places: Sequence[Place], leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that is said only as a part of another one: a house's number."""
    for enclosing, place in _find_enclosing(places, leaf, call):
        part = quote_as_value(call.text.span(*places[0]), leaf, call.text.now)
        note = f"The request says {part} as a part of {quote_words(call.text.span(*place))}, which is {enclosing.name}."
        return Doubt(RULE, f"{note} Is it meant for {leaf.name or 'this'}?")
    return None


def _find_exchanged(leaf: Leaf, call: ProposedCall) -> Iterator[Leaf]:
    """The values that the request says for this parameter, where it says this one's value for theirs."""
    for counterpart in _counterparts_of(leaf, call):
        call.evidence.budget.spend()
        may_swap = counterpart.folded != leaf.folded and are_alike(counterpart, leaf)
        if may_swap and _labels_of(counterpart, call) == {False}:
            exchange = replace(leaf, value=counterpart.value), replace(counterpart, value=leaf.value)
            if all(_labels_of(exchanged, call) == {True} for exchanged in exchange):
                yield counterpart


def _find_enclosing(places: Sequence[Place], leaf: Leaf, call: ProposedCall) -> Iterator[tuple[Leaf, Place]]:
    """The longer values of other parameters as a part of which alone the request says this one: a house's number.

    Each with where the first of these places stands in it.
    """
    for argument in _counterparts_of(leaf, call):
        stretches = [mention.place for mention in mentions_of(argument, call.text)]
        call.evidence.budget.spend(1 + len(places) * (1 + len(stretches)))
        holders = [
            [(start, end) for start, end in stretches if start <= at and to <= end and (at, to) != (start, end)]
            for at, to in places
        ]
        if all(holders):
            yield argument, holders[0][0]


def _counterparts_of(leaf: Leaf, call: ProposedCall) -> Iterator[Leaf]:
    """The values of other parameters with which this one may be exchanged."""
    counterparts = (argument for argument in call.leaves if argument.parameter != leaf.parameter and argument.text)
    return islice(counterparts, _MAX_COUNTERPARTS)


def _find_exchanged_records(leaf: Leaf, call: ProposedCall) -> Iterator[tuple[Span, Leaf, Span]]:
    """Where the request names the record of this value for another parameter, and that one's for this: "from savings".

    What it says of this value's record, the other value, and what it says of that one's record.
    """
    record_places = list(_record_mentions(leaf, call))
    for counterpart in _counterparts_of(leaf, call) if record_places else ():
        may_swap = counterpart.folded != leaf.folded and are_alike(counterpart, leaf)
        if not may_swap or mentions_of(counterpart, call.text):
            continue
        places = [place for place in record_places if is_labelled(counterpart, *place, call)]
        counterpart_places = [place for place in _record_mentions(counterpart, call) if is_labelled(leaf, *place, call)]
        if len(places) == len(counterpart_places) == 1 and places != counterpart_places:
            yield call.text.span(*places[0]), counterpart, call.text.span(*counterpart_places[0])


def _record_mentions(leaf: Leaf, call: ProposedCall) -> Iterator[Place]:
    """Where the request says what else the one record has that holds the value."""
    cells = [cell for text in call.evidence.data for cell in islice(cells_with(leaf, text), 2)]
    for cell in cells if len(cells) == 1 else ():
        siblings = cell.text.cells_of(cell.record)
        call.evidence.budget.spend(len(siblings) + _STEPS_A_FIELD * _MAX_FIELDS)
        for sibling in siblings[:_MAX_FIELDS]:
            words = Leaf(sibling.value)
            if sibling.scalar != cell.scalar and kind_of(words) in (Kind.TEXT, Kind.CODE):
                yield from (mention.place for mention in mentions_of(words, call.text))


def _labels_of(leaf: Leaf, call: ProposedCall) -> set[bool | None]:
    """Whether the labels beside the value in the request are the parameter's own; None for a place without one."""
    return {is_labelled(leaf, *mention.place, call) for mention in mentions_of(leaf, call.text)}


def _parameter_with_default(leaf: Leaf, call: ProposedCall) -> str | None:
    """The other parameter that has this text as its default, where this one has another."""
    defaults = call.text_defaults
    call.evidence.budget.spend(1 + len(defaults))
    if not leaf.text or defaults.get(leaf.parameter) == leaf.value:
        return None
    return next((name for name, default in defaults.items() if default == leaf.value), None)
