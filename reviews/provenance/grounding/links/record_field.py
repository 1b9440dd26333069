"""Values that are fields of records: which record the request names, and whether it names another as well."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.links.numeric_columns import IDENTIFIER
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.grounding.selection import Selections, Taken
from reviews.provenance.records.fields import Field as Cell
from reviews.provenance.records.index import Indexed, Place
from reviews.provenance.records.records import Group, Record
from reviews.provenance.request.entities import KIND_KEY
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.mentions import References
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.stems import stem
from reviews.provenance.values.number import number_of

# Competing values listed at most.
_SHOWN = 8
# Places of one value, and rivals of one record, looked at.
_CONSIDERED = 64


@dataclass(frozen=True)
class _Candidate:
    text: Indexed
    place: Place
    named: frozenset[str]

    @property
    def fit(self) -> tuple[int, int]:
        """How many words name the record, and how many of them stand in the field itself."""
        return len(self.named), len(self.named.intersection(map(stem, words_of(self.place.field.text))))

    @property
    def span(self) -> Span:
        return self.text.raw_span(self.place.field.start, self.place.field.end)


@dataclass(frozen=True)
class Field:
    """A value as a field of a record."""

    held: Found
    """Where it stands, with the words that name its record."""
    selected: Found | None = None
    """What the request's own selection makes of it: the record, or what speaks against it."""
    contested: Found | None = None
    """Other records that the request names at least as well."""
    is_tie: bool = False
    """Whether it names none of those better."""
    named: frozenset[str] = frozenset()
    """The words of the request that name the record."""
    is_kind: bool = False
    """Whether it is a category that records share, so that rivals mean nothing."""


def field_of(
    leaf: Leaf, texts: tuple[Indexed, ...], references: References, used: frozenset[Span], selections: Selections
) -> Field | None:
    """The value as a field of a record, with the words of the request that name the record."""
    candidates = [
        _Candidate(text, place, references.unexplained(references.shared(place.group)[place.record.position - 1], used))
        for text in texts
        for place in _places(leaf, text)[:_CONSIDERED]
    ]
    best = max(candidates, key=lambda candidate: candidate.fit, default=None)
    if best is None or not best.span.quote:
        return None
    if _names_a_kind(leaf, best):
        return Field(_held(best, references, chosen=False), is_kind=True)
    if selected := selections.judge([Taken(candidate.text, candidate.place) for candidate in candidates], leaf, used):
        return Field(_held(best, references, chosen=False), selected)
    rivals = list(islice(_rivals(best, texts, references, used, selections), _CONSIDERED))
    words = best.named.union(*(rival.named for rival in rivals))
    chosen = bool(rivals) and (references.selects(words) or references.plural(words))
    held = _held(best, references, chosen=chosen)
    contested = None if chosen or not rivals else _contested(best, rivals, references)
    is_tie = not any(rival.named > best.named for rival in rivals)
    return Field(held, None, contested, is_tie=is_tie, named=best.named)


def _places(leaf: Leaf, text: Indexed) -> list[Place]:
    number = number_of(leaf.value)
    exact = text.places(leaf.folded) if leaf.text else ()
    found = list(exact) or (list(text.numeric_places.get(number, ())) if number is not None else [])
    if number is not None and not isinstance(leaf.value, str) and not IDENTIFIER.search(leaf.name):
        # An amount of 5 is not taken from record number 5.
        found = [place for place in found if not IDENTIFIER.search(place.field.key)]
    return [place for place in found if not text.echoes(leaf.folded, place)]


def _held(best: _Candidate, references: References, *, chosen: bool) -> Found:
    place = where(best.text.source.id)
    reference = references.spans(best.named)
    if not reference:
        return Found(Grounding.COPY, (best.span,), f"Copied from {place}.")
    record, what = best.place.record.position, _what(best.place.field)
    note = f"Record {record} of {place} matches “{reference[0].quote}”; this is its {what}."
    if chosen:
        note += " It was selected by a description that rules cannot check."
    return Found(Grounding.RESOLVE, (*reference, best.span), note)


def _rivals(
    best: _Candidate,
    texts: tuple[Indexed, ...],
    references: References,
    used: frozenset[Span],
    selections: Selections,
) -> Iterator[_Candidate]:
    """Other records of the same kind that the request names at least as well, with their value for the same field."""
    own, mine = best.place.record, best.place.field
    index = [item for item in own.fields if item.key == mine.key].index(mine)
    known = {fold(mine.text).strip()}
    for text, group in _alike(best, texts, selections):
        for record, shared in zip(group, references.shared(group), strict=True):
            if not shared or record is own or not shared >= best.named:
                continue
            named = references.unexplained(shared, used)
            if best.named and _keys_naming(record, best.named).isdisjoint(_keys_naming(own, best.named)):
                # The owner of one thing and the repairer of another are not named alike.
                continue
            same = [item for item in record.fields if item.key == mine.key]
            if named >= best.named and len(same) > index and (value := fold(same[index].text).strip()) not in known:
                known.add(value)
                yield _Candidate(text, Place(group, record, same[index]), named)


def _keys_naming(record: Record, words: frozenset[str]) -> frozenset[str]:
    """The keys of the fields that say any of the words."""
    # What a field says is read word by word only where one of the words may stand.
    likely = (item for item in record.fields if any(word in fold(item.text) for word in words))
    return frozenset(item.key for item in likely if not words.isdisjoint(map(stem, words_of(item.text))))


def _alike(best: _Candidate, texts: tuple[Indexed, ...], selections: Selections) -> Iterator[tuple[Indexed, Group]]:
    """The list itself, then those of the same source, then those that the same tool returned."""
    yield best.text, best.place.group
    keys = {item.key for item in best.place.record.fields}
    tool = selections.names.get(best.text.source.id)
    for text in (best.text, *(text for text in texts if text is not best.text)):
        if selections.names.get(text.source.id) != tool:
            continue
        for group in text.groups:
            if group and group is not best.place.group and keys == {item.key for item in group[0].fields}:
                yield text, group


def _names_a_kind(leaf: Leaf, best: _Candidate) -> bool:
    """Whether the value is a category that records share, so that taking it does not single one out."""
    alike = best.text.places(fold(best.place.field.text).strip())
    sharing = sum(place.field.key == best.place.field.key and place.group is best.place.group for place in alike)
    return bool(leaf.choices) or sharing > 1 or KIND_KEY.search(best.place.field.key) is not None


def _contested(best: _Candidate, rivals: list[_Candidate], references: References) -> Found | None:
    better = [rival for rival in rivals if rival.named > best.named]
    if not better and references.qualified(best.named, [one.place.record for one in (best, *rivals)]):
        # "The working bandsaw": a word that no record has may tell them apart.
        return None
    leading = better or rivals
    competing = tuple(
        Competing(rival.place.field.text, (rival.span,), rival.place.record.label)
        for rival in leading[:_SHOWN]
        if rival.span.quote
    )
    reference = references.spans(leading[0].named - best.named if better else best.named)
    quote = reference[0].quote if reference else ""
    if better:
        record, item = better[0].place.record, better[0].place.field
        note = (
            f"The request points at “{quote}” (record {record.position}, {shortened(item.text, 40)}); "
            f"this value is from record {best.place.record.position}."
        )
    else:
        places = " and ".join(dict.fromkeys(where(one.text.source.id) for one in (best, *rivals[:2])))
        note = f"“{quote}” matches {len(rivals) + 1} records of {places}; this is the {_what(best.place.field)} of one."
    return Found(Grounding.COMPETING, (*reference, best.span), note, competing)


def _what(item: Cell) -> str:
    return item.name[:40] or "value"
