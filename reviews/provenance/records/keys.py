"""Records that are linked by a key: an order holds its customer's number, the customer's record says who that is."""

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from reviews.provenance.records.collections import Collections, Document, Marks
from reviews.provenance.records.tree import ANY, Pattern
from reviews.provenance.text.fold import words_of, words_of_name
from reviews.provenance.text.stems import stem

# Words that make a key of records: "customer_id", "case_no", "sku".
_KEYS = frozenset("id ids no nr num number key code ref reference uuid guid sku slug handle".split())
# Lists of records that hold one key: what more than that hold, such as a shop's own number, tells nothing apart.
_MOST_LISTS = 200
# Fields under such keys that are read: in more, what is linked singles nothing out any more, and the time is not spent.
_MOST = 5_000

# Records of a list that may be keyed by a field of any name, and characters of such a key.
_MOST_UNNAMED, _LONGEST_KEY = 200, 40

# Columns, of all documents, that are held against each other.
_MOST_COLUMNS = 200
# A key that no two lists have by chance: letters and figures.
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w-]{2,40}")
# Words of a tool's name that may say what the records are that it returns.
_MOST_NAMED = 4
# Keys of a pattern that names no kind of record: the place in the list, and the key itself.
_BARE = 2

_Key: TypeAlias = tuple[frozenset[str], str]
"""What a key is the key of, and its value."""


class _Column(NamedTuple):
    """Fields of one document that hold keys."""

    document: Document
    name: frozenset[str]
    """What they are the key of."""
    scalars: "array[int]"


class _List(NamedTuple):
    """The records of one document that hold a key under one pattern."""

    document: Document
    pattern: Pattern
    records: set[int]

    @property
    def tool(self) -> str:
        return self.document.tool


def linked_words(collections: Collections, marks: Marks, *, named: bool) -> dict[tuple[int, int], int]:
    """By document and record, the words of the records elsewhere that hold the same key: one step, no more.

    With `named` only fields that are called keys link records; else each field does whose values are all different.
    """
    short = [] if named else _short_columns(collections)
    referenced = frozenset(_unique_names(short))
    columns = [column for document in collections.documents for column in _keys_of(document, referenced)]
    columns += _pointing(short)
    # Counted before any is read: in long lists what is linked singles nothing out, and reading them takes its time.
    if sum(len(column.scalars) for column in columns) > _MOST:
        return {}
    holders: dict[_Key, dict[tuple[int, Pattern], _List]] = {}
    for document, name, scalars in columns:
        for scalar in scalars:
            pattern = document.pattern(scalar)
            lists = holders.setdefault((name, document.value(scalar)), {})
            held = lists.setdefault((id(document), pattern), _List(document, pattern, set()))
            held.records.add(document.tree.records[scalar])
    found: dict[tuple[int, int], int] = {}
    for lists in holders.values():
        if 1 < len(lists) <= _MOST_LISTS:
            _link(tuple(lists.values()), marks, found)
    return found


def _link(lists: Sequence[_List], marks: Marks, found: dict[tuple[int, int], int]) -> None:
    """Give each record of these lists, which hold one key, the words of those in the others."""
    words = [_words_of(each, marks) for each in lists]
    for one in lists:
        # Items of one list, or of what the same call returned again, are not linked.
        others = [
            (other, mask)
            for other, mask in zip(lists, words, strict=True)
            if mask and (other.pattern != one.pattern if other.document is one.document else other.tool != one.tool)
        ]
        for record in one.records if others else ():
            for other, mask in others:
                if other.document is not one.document or record not in other.records:
                    place = id(one.document), record
                    found[place] = found.get(place, 0) | mask


def _words_of(each: _List, marks: Marks) -> int:
    by_record, words = marks.by_record(each.document), 0
    for record in each.records:
        for mask in by_record.get(record, {}).values():
            words |= mask
    return words


def _keys_of(document: Document, referenced: frozenset[frozenset[str]]) -> Iterator[_Column]:
    """The fields that hold keys, or are named like a field that is one elsewhere, each with what it is the key of."""
    for pattern, scalars in document.by_pattern.items():
        if _is_bare(pattern):
            # The "id" in what `list_therapists` returns is a therapist's.
            names = [frozenset({stem(word)}) for word in words_of_name(document.tool)[:_MOST_NAMED]]
        else:
            names = [name] if (name := _name_of(pattern) or _last(pattern)) in referenced or _name_of(pattern) else []
        yield from (_Column(document, name, scalars) for name in names)


def _name_of(pattern: Pattern) -> frozenset[str]:
    """What a key is the key of: of "customer_id" and of the "id" in "customers" the customer."""
    names = [key for key in pattern if key != ANY]
    words = words_of(names[-1]) if names else ()
    if not _KEYS.intersection(words):
        return frozenset()
    own = [word for word in words if word not in _KEYS] or [word for key in names[-2:-1] for word in words_of(key)]
    return frozenset(map(stem, own))


def _short_columns(collections: Collections) -> list[tuple[Pattern, _Column, frozenset[str]]]:
    """The columns of short lists, with their values; none where they are more than are read."""
    short = [
        (pattern, _Column(document, frozenset(), scalars))
        for document in collections.documents
        for pattern, scalars in document.by_pattern.items()
        if len(scalars) <= _MOST_UNNAMED
    ]
    if sum(len(column.scalars) for _, column in short) > _MOST:
        return []
    return [(pattern, each, frozenset(map(each.document.value, each.scalars))) for pattern, each in short]


def _pointing(short: Sequence[tuple[Pattern, _Column, frozenset[str]]]) -> Iterator[_Column]:
    """The fields that only hold codes of which each stands for one record elsewhere, and the keys of those records."""
    columns = short[:_MOST_COLUMNS]
    unique = (each for each in columns if 1 < len(each[2]) == len(each[1].scalars))
    keys = [each for each in unique if all(map(_CODE.fullmatch, each[2]))]
    for (pattern, one, values), (key, other, codes) in product(columns, keys):
        # The number of a lamp is no keeper's, though both may be written alike.
        apart = bool(_name_of(pattern)) and bool(_name_of(key)) and _name_of(pattern).isdisjoint(_name_of(key))
        if other.document is not one.document and values <= codes and not apart:
            name = frozenset({f"{pattern}"})
            yield from (each._replace(name=name) for each in (one, other))


def _is_bare(pattern: Pattern) -> bool:
    """Whether the key of a list's records says no more than that it is one."""
    return len(pattern) <= _BARE and _KEYS.issuperset(words_of(pattern[-1] if pattern else "-"))


def _unique_names(short: Sequence[tuple[Pattern, _Column, frozenset[str]]]) -> Iterator[frozenset[str]]:
    """The names of fields of which each value stands for one record, such as the "crew" of a list of crews."""
    for pattern, column, values in short:
        if 1 < len(values) == len(column.scalars) and max(map(len, values)) <= _LONGEST_KEY:
            yield _last(pattern)


def _last(pattern: Pattern) -> frozenset[str]:
    name = next((key for key in reversed(pattern) if key != ANY), "")
    return frozenset(map(stem, words_of(name)))
