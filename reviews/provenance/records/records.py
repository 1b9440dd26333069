"""Records in a tool's output: objects of JSON or Python literals, table rows, `key: value` blocks, list items."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import TypeAlias

from ahocorasick_rs import AhoCorasick

from reviews.provenance.records.fields import Cells, Field
from reviews.provenance.records.literals import Branch, Flat, Scalar, literals_in, scalars_of, told
from reviews.provenance.records.maps import is_map, key_place
from reviews.provenance.records.plain_text import bodies_in
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.stems import stem
from reviews.provenance.values.date import calendar_of, writing_of
from reviews.provenance.values.moment import MONTHS, WEEKDAYS, moment_of

# Words of days name no record.
_OF_DAYS = frozenset(map(stem, (*MONTHS, *WEEKDAYS))) | {*MONTHS, *WEEKDAYS}
# A day as data writes it.
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# Half a surrogate pair, which an escape may spell and the automaton does not take.
_HALF = re.compile("[\ud800-\udfff]")
# Words, as a record's fields are searched for them.
_RUN = re.compile(r"[^\W_]+")
# Longest field, in characters, whose words may name a record; longer ones are prose.
_NAMED_LENGTH = 80


class Record:
    """Scalars that belong together.

    Long listings have more fields than words, so only their places are kept; the fields are made when asked for.
    """

    __slots__ = ("_otherwise", "_text", "keys", "places", "position")

    def __init__(self, position: int, body: "_Body", text: str, keys: "_Keys") -> None:
        self.position = position
        """Counts from 1 within its group."""
        self._text = text
        self._otherwise: dict[int, str] | bool = False
        """What is written with escapes and does not read as it stands, by number; true where that is seen when read."""
        if isinstance(body, Cells):
            names, self.places = body
        elif isinstance(body, Flat):
            names, self.places = body.names, body.places
            self._otherwise = text.find("\\", self.places[0], self.places[-1]) >= 0
        else:
            names = tuple(item.key for item in body)
            self.places = array("I", (offset for item in body for offset in (item.start, item.end)))
            self._otherwise = {n: item.text for n, item in enumerate(body) if text[item.start : item.end] != item.text}
        self.keys = keys.setdefault(names, names)
        """Of each field."""

    @property
    def texts(self) -> list[str]:
        """What each field says."""
        places = zip(self.places[::2], self.places[1::2], strict=True)
        if self._otherwise is True:
            return [told(self._text, start, end) for start, end in places]
        texts = [self._text[start:end] for start, end in places]
        for n, text in self._otherwise.items() if self._otherwise else ():
            texts[n] = text
        return texts

    @property
    def fields(self) -> tuple[Field, ...]:
        """The scalars, in order."""
        return tuple(map(Field, self.keys, self.places[::2], self.places[1::2], self.texts))

    @property
    def words(self) -> frozenset[str]:
        """What a request may call this record by; a date is known by its month and weekday too."""
        return frozenset(word for item in self.fields if len(item.text) <= _NAMED_LENGTH for word in _names(item))

    def naming(self, finder: "_Finder") -> frozenset[str]:
        """Those of the words that are among its own. Looking for them is a tenth of the work of taking all of them."""
        text = self.folded_until(self)
        hits, dated = finder.hits(text), finder.may_name_day(text)
        if self._otherwise or dated or (hits and not text.isascii()):
            return finder.all & self.words
        found = set()
        for start, word in hits:
            run = _RUN.match(text, start)
            if run and word not in found and stem(run.group()) == word and (not start or not text[start - 1].isalnum()):
                at = bisect_right(self.places, self.places[0] + start) - 1
                begin, end = self.places[at], self.places[at + 1] if at % 2 == 0 else 0
                if end - begin <= _NAMED_LENGTH and self.places[0] + run.end() <= end:
                    found.add(word)
        return frozenset(found)

    def folded_until(self, other: "Record") -> str:
        """The text from its first field to the last one of another record of its list, for comparison."""
        return fold(self._text[self.places[0] : other.places[-1]]) if self.places and other.places else ""

    @property
    def label(self) -> str:
        """What a person would call the record: its first telling field."""
        told = [item.text for item in self.fields if re.search(r"name|title|subject|label|email", item.key, re.I)]
        return (told or [item.text for item in self.fields])[0][:60]


# One empty set for the many fields that hold none.
_NO_WORDS: frozenset[str] = frozenset()
_Body: TypeAlias = Sequence[Field] | Flat | Cells
# The sets of keys met so far: records of a list share theirs.
_Keys: TypeAlias = dict[tuple[str, ...], tuple[str, ...]]


class Group(tuple[Record, ...]):  # noqa: SLOT001 - a tuple cannot have slots of its own
    """Records of one list: each answers the same kind of question."""

    named: tuple[frozenset[str], tuple[frozenset[str], ...]] | None = None
    """The words last looked for, and which of them name each record. Kept here to be forgotten with the records."""

    def naming(self, words: frozenset[str]) -> tuple[frozenset[str], ...]:
        """For each record those of the words that name it."""
        if self.named is None or self.named[0] != words:
            finder = _finder(words)
            if finder is not None and finder.days and self:
                finder = finder.for_days(self[0].folded_until(self[-1]))
            # A long list has few different ones.
            same: dict[frozenset[str], frozenset[str]] = {}
            named = (words & one.words if finder is None else one.naming(finder) for one in self)
            self.named = (words, tuple(same.setdefault(each, each) for each in named))
        return self.named[1]


def groups_in(text: str, literals: Sequence[Branch] | None = None) -> tuple[Group, ...]:
    """Every list of records of a text. `literals` are those in it, where they have been read. Never raises."""
    branches = list(literals_in(text)) if literals is None else literals
    found = [group for bodies in _literal_bodies(branches, text) if (group := _group(bodies, text))]
    return tuple(found) or tuple(group for bodies in bodies_in(text) if (group := _group(bodies, text)))


def _group(bodies: Iterable[_Body], text: str) -> Group:
    keys: _Keys = {}
    filled = (body for body in bodies if body)
    return Group(Record(n, body, text, keys) for n, body in enumerate(filled, start=1))


@dataclass(frozen=True)
class _Finder:
    """Finds some words in folded texts, and days that are meant by them."""

    all: frozenset[str]
    words: tuple[str, ...]
    days: tuple[date, ...]
    automaton: AhoCorasick

    def hits(self, text: str) -> list[tuple[int, str]]:
        """Where a word may begin, with the word."""
        plain = text if text.isascii() else _HALF.sub("\N{REPLACEMENT CHARACTER}", text)
        found = self.automaton.find_matches_as_indexes(plain, overlapping=True)
        return [(start, self.words[number]) for number, start, _ in found]

    def may_name_day(self, text: str) -> bool:
        """Whether one of the days may be meant."""
        return any(writing_of(day).search(text) for day in self.days)

    def for_days(self, text: str) -> "_Finder":
        """The same without the days that a text cannot mean: of a list as a whole, so that its records need no look."""
        calendar = calendar_of(text)
        return replace(self, days=tuple(day for day in self.days if calendar.may_name(day, day)))


# The words of one request are looked for in all lists of its context, one after the other.
@lru_cache(maxsize=16)
def _finder(words: frozenset[str]) -> _Finder | None:
    """None for words that a record need not write to have them: the month and the weekday of its dates."""
    if any(word in _OF_DAYS for word in words):
        return None
    days = {word: date.fromisoformat(word) for word in words if _DAY.fullmatch(word)}
    plain = tuple(sorted(words - days.keys()))
    return _Finder(words, plain, tuple(days.values()), AhoCorasick(plain))


def _names(item: Field) -> Iterator[str]:
    yield from map(stem, words_of(item.text))
    meant = moment_of(item.text) if len(item.text) < 32 and item.text[:1].isdigit() else None  # noqa: PLR2004
    if meant and meant[0]:
        yield from (MONTHS[meant[0].month - 1], WEEKDAYS[meant[0].weekday()], meant[0].isoformat())


def _literal_bodies(branches: Sequence[Branch], text: str) -> Iterator[Iterator[_Body]]:
    yield _bodies([each for each in branches if each.is_object and not _holds_objects(each) and not is_map(each)])
    pending: list[Branch] = list(branches)
    while pending:
        branch = pending.pop()
        if is_map(branch):
            yield (tuple(_entry(text, key, child)) for key, child in branch.children)
            pending += [child for _, child in branch.children if isinstance(child, Branch)]
            continue
        if isinstance(branch, Flat):
            continue
        inner = [child for _, child in branch.children if isinstance(child, Branch)]
        pending += inner
        if not branch.is_object or _holds_objects(branch):
            yield _bodies(inner)
            yield ((Field("", *child),) for _, child in branch.children if isinstance(child, Scalar))


def _entry(text: str, key: str, child: Branch | Scalar) -> Iterator[Field]:
    """A record of a map, whose key names it."""
    if place := key_place(text, key, child.start):
        yield Field("key", *place, key)
    yield from [Field("", *child)] if isinstance(child, Scalar) else _own_fields(child)


def _holds_objects(branch: Branch) -> bool:
    """Whether an object's values are all objects: records, or parts of one thing."""
    if isinstance(branch, Flat):
        return False
    return len(branch.children) > 1 and all(
        isinstance(child, Branch) and child.is_object for _, child in branch.children
    )


def _bodies(branches: Sequence[Branch]) -> Iterator[_Body]:
    return (branch if isinstance(branch, Flat) else tuple(_own_fields(branch)) for branch in branches)


def _own_fields(branch: Branch) -> Iterator[Field]:
    """The scalars of an object, those of objects inside it and of plain lists inside it; not of records it lists."""
    for key, child in branch.children:
        if isinstance(child, Scalar):
            yield Field(key, *child)
        elif child.is_object or not any(isinstance(item, Branch) and item.is_object for _, item in child.children):
            yield from (Field(path, *at) for path, at in scalars_of(child, key))
