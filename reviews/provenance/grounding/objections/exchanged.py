"""What is replaced and what replaces it: `item` and `new_item`, `current_plan` and `new_plan`."""

from collections.abc import Iterator, Sequence

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.objections.swapped import exchange_of
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.parts import NEW, OLD, names_of_part
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.values.identifier import is_identifier

# Arguments of a call that are looked at.
_MOST_ARGUMENTS = 64

Leaves = Sequence[Leaf]


def exchanged(leaves: Leaves, evidence: Evidence, budget: Budget) -> Iterator[tuple[Leaf, Found]]:
    """Both lists of values where the new ones lie in what the call is about, and none of the old ones does.

    What is replaced belongs to the record that the call's other identifiers name; what replaces it comes from
    elsewhere.
    """
    for old, new in _pairs(leaves):
        sources = _about(leaves, (*old, *new), evidence)
        budget.spend(len(sources) + 1)
        had = [span for leaf in new for span in _spans(leaf, sources, evidence)]
        if had and not any(_spans(leaf, sources, evidence) for leaf in old):
            yield from _competing(old, new, had[0])
            yield from _competing(new, old, had[0])


def unchanged(leaves: Leaves) -> Iterator[Leaf]:
    """Identifiers that stand twice in one list, or that are replaced by themselves: one of the two is hardly meant."""
    identifiers = [leaf for leaf in leaves[:_MOST_ARGUMENTS] if is_identifier(leaf.text)]
    counted: dict[tuple[str, str], list[Leaf]] = {}
    for leaf in identifiers:
        if leaf.pointer.rpartition("/")[2].isdigit():
            counted.setdefault((leaf.name, leaf.folded), []).append(leaf)
    yield from (leaf for same in counted.values() if len(same) > 1 for leaf in same)
    for old, new in _pairs(identifiers):
        yield from (leaf for leaf in new if any(leaf.folded == other.folded for other in old))


def _pairs(leaves: Leaves) -> Iterator[tuple[Leaves, Leaves]]:
    """The values of each parameter and of the one that is named as its replacement."""
    by_name: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in leaves[:_MOST_ARGUMENTS]:
        if leaf.text:
            by_name.setdefault(tokens_of(leaf.name), []).append(leaf)
    for name, new in by_name.items():
        bare = _without(name, NEW)
        if bare and bare != name:
            same = (each for each in by_name if each != name)
            old = next((each for each in same if _without(each, OLD) == bare), None)
            if old:
                yield by_name[old], new


def _without(name: tuple[str, ...], part: str) -> tuple[str, ...]:
    return tuple(word for word in name if word not in names_of_part(part))


def _about(leaves: Leaves, pair: Leaves, evidence: Evidence) -> frozenset[str]:
    """The results that speak of what the call's other identifiers name."""
    beside = {leaf.folded for leaf in leaves if leaf not in pair and is_identifier(leaf.text)}
    return frozenset(
        text.source.id
        for text in evidence.data
        if any(next(occurrences(text.folded.text, value), None) is not None for value in beside)
    )


def _spans(leaf: Leaf, sources: frozenset[str], evidence: Evidence) -> list[Span]:
    places = evidence.collections.places(leaf.folded)
    return [place.span for place in places if place.document.text.source.id in sources and not place.echoed]


def _competing(ones: Leaves, others: Leaves, span: Span) -> Iterator[tuple[Leaf, Found]]:
    for one, other in zip(ones, others, strict=False):
        note = f"“{shortened(span.quote, 40)}” is what is to be replaced; old and new seem to be the wrong way round."
        rival = Competing(other.text, (span,), exchange_of(one, other))
        yield one, Found(Grounding.COMPETING, (span,), note, (rival,))
