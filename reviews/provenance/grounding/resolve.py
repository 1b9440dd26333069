"""Values that are fields of records: which record the request names, and whether it names another as well."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from reviews.provenance.context import Span
from reviews.provenance.grounding.index import Indexed, Place
from reviews.provenance.grounding.leaf import Leaf
from reviews.provenance.grounding.normal import fold, words_of
from reviews.provenance.grounding.numbers import number_of
from reviews.provenance.grounding.records import Field, Record, stem
from reviews.provenance.grounding.references import References
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.grounding.said import where
from reviews.provenance.relations import Grounding

_KIND = re.compile(r"status|state$|priority|type$|kind$|category|stage|role$|level$|list_?name|board$", re.I)
_SHOWN = 8
"""Competing values listed at most."""
_CONSIDERED = 64
"""Places of one value, and rivals of one record, looked at."""


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


def resolve(leaf: Leaf, texts: tuple[Indexed, ...], references: References, used: frozenset[Span]) -> Found | None:
    """The value as a field of a record, with the words of the request that name the record."""
    candidates = [
        _Candidate(text, place, _named(references, place, used))
        for text in texts
        for place in _places(leaf, text)[:_CONSIDERED]
    ]
    best = max(candidates, key=lambda candidate: candidate.fit, default=None)
    if best is None or not best.span.quote:
        return None
    rivals = [] if _names_a_kind(leaf, best) else list(islice(_rivals(best, references, used), _CONSIDERED))
    if not rivals or references.selects or references.plural(best.named.union(*(named for _, _, named in rivals))):
        return _held(best, references, chosen=bool(rivals))
    return _contested(best, rivals, references)


def _places(leaf: Leaf, text: Indexed) -> list[Place]:
    number = number_of(leaf.value)
    exact = text.places.get(leaf.folded, ()) if leaf.text else ()
    found = list(exact) or (list(text.numeric_places.get(number, ())) if number is not None else [])
    return [place for place in found if not text.echoes(leaf.folded, place)]


def _named(references: References, place: Place, used: frozenset[Span]) -> frozenset[str]:
    return references.unexplained(references.shared(place.group)[place.record.position - 1], used)


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
    best: _Candidate, references: References, used: frozenset[Span]
) -> Iterator[tuple[Record, Field, frozenset[str]]]:
    """Records of the same list that the request names at least as well, with their value for the same field."""
    own, mine = best.place.record, best.place.field
    index = [item for item in own.fields if item.key == mine.key].index(mine)
    value = fold(mine.text).strip()
    for record, shared in zip(best.place.group, references.shared(best.place.group), strict=True):
        if not shared or record is own or not shared >= best.named:
            continue
        named = references.unexplained(shared, used)
        same = [item for item in record.fields if item.key == mine.key]
        if named >= best.named and len(same) > index and fold(same[index].text).strip() != value:
            yield record, same[index], named


def _names_a_kind(leaf: Leaf, best: _Candidate) -> bool:
    """Whether the value is a category that records share, so that taking it does not single one out."""
    alike = best.text.places.get(fold(best.place.field.text).strip(), ())
    sharing = sum(place.field.key == best.place.field.key and place.group is best.place.group for place in alike)
    return bool(leaf.choices) or sharing > 1 or _KIND.search(best.place.field.key) is not None


def _contested(best: _Candidate, rivals: list[tuple[Record, Field, frozenset[str]]], references: References) -> Found:
    better = [rival for rival in rivals if rival[2] > best.named]
    shown = better or rivals
    competing = tuple(
        Competing(item.text, (best.text.raw_span(item.start, item.end),), record.label)
        for record, item, _ in shown[:_SHOWN]
        if item.end > item.start
    )
    reference = references.spans(shown[0][2] - best.named if better else best.named)
    quote = reference[0].quote if reference else ""
    if better:
        record, item, _ = better[0]
        note = (
            f"The request points at “{quote}” (record {record.position}, {item.text[:40]}); "
            f"this value is from record {best.place.record.position}."
        )
    else:
        place, what = where(best.text.source.id), _what(best.place.field)
        note = f"“{quote}” matches {len(rivals) + 1} records of {place}; this is the {what} of one."
    return Found(Grounding.COMPETING, (*reference, best.span), note, competing)


def _what(item: Field) -> str:
    return item.name[:40] or "value"
