"""Records that are linked by a key: an order holds its customer's number, the customer's record says who that is."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from reviews.provenance.records.collections import Collections, Document, Marks
from reviews.provenance.records.tree import ANY, Pattern
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.stems import stem

# Words that make a key of records: "customer_id", "case_no", "sku".
_KEYS = frozenset("id ids no nr num number key code ref reference uuid guid sku slug handle".split())
# Fields under such keys that are read: in more, what is linked singles nothing out any more, and the time is not spent.
_MOST = 5_000

# Records of a list that may be keyed by a field of any name, and characters of such a key.
_MOST_UNNAMED, _LONGEST_KEY = 200, 40

_Key: TypeAlias = tuple[frozenset[str], str]
"""What a key is the key of, and its value."""


def linked_words(collections: Collections, marks: Marks, *, named: bool) -> dict[tuple[int, int], int]:
    """By document and record, the words of the records elsewhere that hold the same key: one step, no more.

    With `named` only fields that are called keys link records; else each field does whose values are all different.
    """
    holders: dict[_Key, list[tuple[Document, int, Pattern]]] = {}
    for document in collections.documents:
        for name, scalar in _keys_of(document, named=named):
            place = (document, document.tree.records[scalar], document.pattern(scalar))
            holders.setdefault((name, document.value(scalar)), []).append(place)
    found: dict[tuple[int, int], int] = {}
    for linked in holders.values() if sum(map(len, holders.values())) <= _MOST else ():
        for document, record, pattern in linked:
            words = 0
            for other, theirs, where in linked:
                # Items of one list, or of what the same call returned again, are not linked.
                if where != pattern and theirs != record if other is document else other.tool != document.tool:
                    for mask in marks.by_record(other).get(theirs, {}).values():
                        words |= mask
            if words:
                found[id(document), record] = found.get((id(document), record), 0) | words
    return found


def _keys_of(document: Document, *, named: bool) -> Iterator[tuple[frozenset[str], int]]:
    """The fields that hold keys, each with what it is the key of."""
    for pattern, scalars in document.by_pattern.items():
        if name := _name_of(pattern) or (frozenset() if named else _unique(pattern, document, scalars)):
            yield from ((name, scalar) for scalar in scalars[:_MOST])


def _name_of(pattern: Pattern) -> frozenset[str]:
    """What a key is the key of: of "customer_id" and of the "id" in "customers" the customer; nothing for no key."""
    names = [key for key in pattern if key != ANY]
    words = words_of(names[-1]) if names else ()
    if not _KEYS.intersection(words):
        return frozenset()
    own = [word for word in words if word not in _KEYS] or [word for key in names[-2:-1] for word in words_of(key)]
    return frozenset(map(stem, own))


def _unique(pattern: Pattern, document: Document, scalars: Sequence[int]) -> frozenset[str]:
    """The name of a field of which each value stands for one record, such as the "crew" of each turbine."""
    values = {document.value(scalar) for scalar in scalars[:_MOST_UNNAMED]}
    telling = 1 < len(values) == len(scalars) and max(map(len, values)) <= _LONGEST_KEY
    name = next((key for key in reversed(pattern) if key != ANY), "")
    return frozenset(map(stem, words_of(name))) if telling else frozenset()
