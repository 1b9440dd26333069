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
from reviews.provenance.proofs.words import counts_anything
from reviews.provenance.terms.argument_leaf import Leaf, leaf_at, types_of
from reviews.provenance.terms.kinds import Kind, are_alike, kind_of
from reviews.provenance.terms.search import cells_with
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place
from reviews.provenance.values.durations import seconds_of_unit
from reviews.provenance.values.measures import is_measure

RULE, EXCHANGED = "doubts.other_parameter", "doubts.exchanged_values"
# Other values of the call with which one may be exchanged: a list has more, and its entries have one label.
_MAX_OTHERS = 16
# How JSON Schema calls a text and a number.
_TYPES: Final = {str: {"string"}, int: {"integer", "number"}, float: {"number"}}
# Fields of a record that are looked at, and the steps for each.
_MAX_FIELDS, _STEPS_A_FIELD = 16, 16


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that may have been taken for another parameter's."""
    places = [mention.place for mention in mentions_of(leaf, call.text)]
    if places:
        return _doubt_label(places, leaf, call) or _doubt_part(places, leaf, call)
    if exchange := next(_find_exchanged_records(leaf, call), None):
        own, other, theirs = exchange
        return _ask_of_exchange(quote_words(own), other, quote_words(theirs), leaf)
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
    if exchanged := next(_find_exchanged(leaf, call), None):
        return _ask_of_exchange(stated, exchanged, f"“{shorten_text(exchanged.text, 60)}”", leaf)
    question = f"Is it meant for {leaf.name}?"
    if name := next(_find_labelled(places, leaf, call), None):
        return Doubt(RULE, f"The request says {stated}, maybe for {name}. {question}")
    counted = find_other_counted(leaf, places[0][1], call) if kind_of(leaf) is Kind.NUMBER else None
    if counted and not seconds_of_unit(counted):
        return Doubt(RULE, f"The request says {stated}, counting “{counted}”. {question}")
    return None


def _find_labelled(places: Sequence[Place], leaf: Leaf, call: ProposedCall) -> Iterator[str]:
    """The other parameters that could take the value and whose label stands beside it."""
    given = (replace(other, value=leaf.value) for other in _others_of(leaf, call) if are_alike(other, leaf))
    for candidate in (*given, *_omitted_alike(leaf, call)):
        if any(is_labelled(candidate, *place, call) for place in places):
            yield candidate.name


def _omitted_alike(leaf: Leaf, call: ProposedCall) -> Iterator[Leaf]:
    """The value as it would be at each parameter that the call leaves out and that takes such a one."""
    given = {other.parameter for other in call.leaves}
    for name in islice(call.document.properties, _MAX_OTHERS):
        candidate = leaf_at(leaf.value, f"/{name}", call.document)
        types = types_of(candidate.schema)
        fits = not types or not types.isdisjoint(_TYPES.get(type(leaf.value), ()))
        if name not in given and fits and are_alike(candidate, leaf):
            yield candidate


def _ask_of_exchange(stated: str, other: Leaf, theirs: str, leaf: Leaf) -> Doubt:
    note = f"The request says {stated} for {other.name} and {theirs} for {leaf.name}."
    return Doubt(EXCHANGED, f"{note} The call has them exchanged.")


def _doubt_part(places: Sequence[Place], leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that is said only as a part of another one: a house's number."""
    for whole, place in _find_wholes(places, leaf, call):
        part = quote_as_value(call.text.span(*places[0]), leaf, call.text.now)
        note = f"The request says {part} as a part of {quote_words(call.text.span(*place))}, which is {whole.name}."
        return Doubt(RULE, f"{note} Is it meant for {leaf.name or 'this'}?")
    return None


def _find_exchanged(leaf: Leaf, call: ProposedCall) -> Iterator[Leaf]:
    """The values that the request says for this parameter, where it says this one's value for theirs."""
    for other in _others_of(leaf, call):
        call.evidence.budget.spend()
        if other.folded != leaf.folded and are_alike(other, leaf) and _is_labelled_only(other, call, own=False):
            as_told = replace(leaf, value=other.value), replace(other, value=leaf.value)
            if all(_is_labelled_only(told, call, own=True) for told in as_told):
                yield other


def _find_wholes(places: Sequence[Place], leaf: Leaf, call: ProposedCall) -> Iterator[tuple[Leaf, Place]]:
    """The longer values of other parameters as a part of which alone the request says this one: a house's number.

    Each with where the first of these places stands in it.
    """
    for other in _others_of(leaf, call):
        call.evidence.budget.spend(1 + len(places))
        stretches = [mention.place for mention in mentions_of(other, call.text)]
        holders = [
            [(start, end) for start, end in stretches if start <= at and to <= end and (at, to) != (start, end)]
            for at, to in places
        ]
        if all(holders):
            yield other, holders[0][0]


def _others_of(leaf: Leaf, call: ProposedCall) -> Iterator[Leaf]:
    """The values of other parameters with which this one may be exchanged."""
    return islice((other for other in call.leaves if other.parameter != leaf.parameter and other.text), _MAX_OTHERS)


def _find_exchanged_records(leaf: Leaf, call: ProposedCall) -> Iterator[tuple[Span, Leaf, Span]]:
    """Where the request names the record of this value for another parameter, and that one's for this: "from savings".

    What it says of this value's record, the other value, and what it says of that one's record.
    """
    own = list(_said_of_record(leaf, call))
    for other in _others_of(leaf, call) if own else ():
        if other.folded == leaf.folded or not are_alike(other, leaf) or mentions_of(other, call.text):
            continue
        said = [place for place in own if is_labelled(other, *place, call)]
        theirs = [place for place in _said_of_record(other, call) if is_labelled(leaf, *place, call)]
        if len(said) == len(theirs) == 1 and said != theirs:
            yield call.text.span(*said[0]), other, call.text.span(*theirs[0])


def _said_of_record(leaf: Leaf, call: ProposedCall) -> Iterator[Place]:
    """Where the request says what else the one record has that holds the value."""
    cells = [cell for text in call.evidence.data for cell in islice(cells_with(leaf, text), 2)]
    for cell in cells if len(cells) == 1 else ():
        siblings = cell.text.cells_of(cell.record)
        call.evidence.budget.spend(len(siblings) + _STEPS_A_FIELD * _MAX_FIELDS)
        for sibling in siblings[:_MAX_FIELDS]:
            words = Leaf(sibling.value)
            if sibling.scalar != cell.scalar and kind_of(words) in (Kind.TEXT, Kind.CODE):
                yield from (mention.place for mention in mentions_of(words, call.text))


def _is_labelled_only(leaf: Leaf, call: ProposedCall, *, own: bool) -> bool:
    """Whether the request says the value, and labels it only as the parameter's own, or only as another one's."""
    labels = {is_labelled(leaf, *mention.place, call) for mention in mentions_of(leaf, call.text)}
    return labels == {own}


def _parameter_with_default(leaf: Leaf, call: ProposedCall) -> str | None:
    """The other parameter that has this text as its default, where this one has another."""
    defaults = call.text_defaults
    call.evidence.budget.spend(1 + len(defaults))
    if not leaf.text or defaults.get(leaf.parameter) == leaf.value:
        return None
    return next((name for name, default in defaults.items() if default == leaf.value), None)
