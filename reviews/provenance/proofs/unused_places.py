"""Where the words that ask say values that no argument takes up: another value may be meant there."""

from collections.abc import Iterator

from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place


def unused_places(leaf: Leaf, call: ProposedCall) -> Iterator[Place]:
    """Where the text that asks says values of the leaf's kind that no argument takes up."""
    call.evidence.budget.spend(1 + len(call.text.folded) // 64)
    yield from (place for place in _places_of_kind(leaf, call.text) if not call.is_used(*place))


def _places_of_kind(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """Where a text says values of the leaf's kind, or other options of its list."""
    match kind_of(leaf):
        case Kind.NUMBER:
            # "One" is a word for a thing more often than a number.
            for value, places in text.numbers.items():
                text.budget.spend(1 + len(places) // 4)
                yield from (place for place in places if value != 1 or text.folded[slice(*place)].strip().isdigit())
        case Kind.MOMENT:
            yield from (part for moment in text.moments for part in moment.parts)
        case Kind.CODE:
            yield from text.opaque
            yield from text.identifiers
        case Kind.OPTION:
            for option in map(Leaf, leaf.choices):
                if option.folded != leaf.folded:
                    yield from (place for mention in mentions_of(option, text) for place in mention.places)
        case Kind.TEXT:
            yield from text.quotations
