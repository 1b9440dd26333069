"""The value is a field called like another parameter of the call, and what is called like its own is written otherwise.

An order's number where the payment's was meant. What goes back to where it came from is written alike on both sides,
such as an address, and raises nothing. No judge's yes stands for such a field; the user's own words may.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import Cell
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.wording import quote_words
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.parameter_field import fields_around, is_called_any, is_written_alike
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import name_of_field
from reviews.provenance.terms.search import cells_with
from reviews.provenance.text.names import stems_of

RULE = "doubts.other_field"
# Numbers and days of records are written alike, whatever they count.
_WRITTEN = (Kind.CODE, Kind.TEXT)
# Fields that hold the value, and arguments that are looked at.
_MAX_PLACES, _MAX_ARGUMENTS = 8, 64


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that is known as another parameter's, and nowhere as its own."""
    wanted = stems_of(leaf.name)
    if kind_of(leaf) not in _WRITTEN or not isinstance(leaf.value, str) or not wanted:
        return None
    places = chain.from_iterable(cells_with(leaf, text) for text in call.evidence.data)
    cells = list(islice(places, _MAX_PLACES + 1))
    # What stands in more places than these is no field of one record.
    if len(cells) > _MAX_PLACES or any(is_called_any(cell, {wanted}) for cell in cells):
        return None
    called = [cell for cell in cells if is_called_any(cell, call.parameter_stems)]
    around = chain.from_iterable(fields_around(cell, with_record=True) for cell in called)
    namesakes = [field for field in around if is_called_any(field, {wanted})]
    namesakes = namesakes or list(_find_exchanged(leaf, called, call))
    if not namesakes or any(is_written_alike(leaf.text, field.value) for field in namesakes):
        return None
    value, name = shorten_text(leaf.text, 40), shorten_text(name_of_field(called[0].field), 40)
    note = f"“{value}” is a {name}; {leaf.name[:40]} beside it is {quote_words(namesakes[0].span, 40)}. Is it meant?"
    return Doubt(RULE, note, nearest=namesakes[0].span)


def _find_exchanged(leaf: Leaf, called: Sequence[Cell], call: ProposedCall) -> Iterator[Cell]:
    """The value that the call gives to the parameter which these fields are called like, where it is this one's."""
    for argument in call.leaves[:_MAX_ARGUMENTS] if called else ():
        call.evidence.budget.spend()
        if argument.pointer != leaf.pointer and any(is_called_any(cell, {stems_of(argument.name)}) for cell in called):
            cells = chain.from_iterable(cells_with(argument, text) for text in call.evidence.data)
            yield from (cell for cell in islice(cells, _MAX_PLACES) if is_called_any(cell, {stems_of(leaf.name)}))
