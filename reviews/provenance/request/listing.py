"""A list of records as a request may describe one of them: by words, by what a field says, by its place."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property, lru_cache

from reviews.provenance.language.base import languages
from reviews.provenance.request.comparisons import (
    column_words,
    columns_for,
    comparable,
    in_daypart,
    of_one_root,
    words_of_key,
)
from reviews.provenance.request.entities import Thing
from reviews.provenance.request.naming import STOP
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.stems import stem
from reviews.provenance.values.moment import MONTHS, moment_of

SIGNED = re.compile(r"[a-z]{1,3}[-+\u2212]")
"""A short code that ends with a sign, such as a blood group or a grade."""
# How data write that something is so, or is not, or has never been.
_YES = frozenset("true yes y 1 x ✓ ✔ ja oui si sim on 有 是".split())
_NO = frozenset("false no n 0 - \N{EN DASH} \N{EM DASH} none null never nein non nao off nee n/a 无 否".split())
# Fields that count the records of a list.
_LISTING = frozenset("pos position place rank nr no number # seq order row line index nummer".split())
# Characters of a field that is a time.
_LONGEST_TIME = 40
# Characters of a code that ends with a sign.
_LONGEST_CODE = 4
# Letters from which a word alone names a field that says yes or no.
_SHORTEST = 3
# Words for the field of a yes or no that name the same.
_ALIKE = (frozenset({"electricity", "power", "electric", "hookup"}), frozenset({"wifi", "internet", "wlan"}))


@dataclass(frozen=True)
class Records:
    """The records of a list, read once for all that is described by it."""

    things: tuple[Thing, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The names of their fields."""
        return tuple(dict.fromkeys(item.key for thing in self.things for item in thing.record.fields if item.key))

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """The stems that stand in each, in its short fields and in what its list was asked for with."""
        asked = {
            id(thing.text): frozenset(stem(word) for value in thing.text.asked for word in words_of(value))
            for thing in self.things
        }
        return tuple(
            asked[id(thing.text)].union(*(held for _, held in thing.words), _signed(thing)) for thing in self.things
        )

    @cached_property
    def common(self) -> frozenset[str]:
        """The stems that every one of them has."""
        return frozenset.intersection(*self.words) if self.words else frozenset()

    @cached_property
    def held(self) -> frozenset[str]:
        """The stems that some of them have and others have not."""
        return frozenset[str]().union(*self.words) - self.common

    @cached_property
    def around(self) -> frozenset[str]:
        """The stems that stand beside the list in its text, such as what the list is called."""
        texts = {id(thing.text): thing.text for thing in self.things}.values()
        alone = (group[0] for text in texts for group in text.groups if len(group) == 1)
        return frozenset(stem(word) for record in alone for item in record.fields for word in words_of(item.text[:200]))

    @cached_property
    def partly_over(self) -> bool:
        """Whether some of them take place before and some after the present."""
        now = next((thing.text.now for thing in self.things if thing.text.now), None)
        over = {thing.when.before(now) for thing in self.things if now and thing.when and thing.begins}
        return len(over) > 1

    @cached_property
    def clocks(self) -> tuple[frozenset[time], ...]:
        """The times of day of each."""
        found = []
        for thing in self.things:
            meant = (moment_of(item.text) for item in thing.record.fields if len(item.text) <= _LONGEST_TIME)
            found.append(frozenset(each[1] for each in meant if each and each[1] is not None))
        return tuple(found)

    def coded(self, word: str, code: str) -> list[bool] | None:
        """Which of them have a word with the short code behind it: "lab A"; None where none has."""
        if not 0 < len(code) <= _LONGEST_CODE or stem(word) not in self.held or code in STOP - {"a", "i"}:
            return None
        pattern = re.compile(rf"(?<!\w){re.escape(word)}[ -]{re.escape(code)}(?!\w)")
        held = [any(pattern.search(fold(item.text)) for item in thing.record.fields) for thing in self.things]
        return held if any(held) else None

    @cached_property
    def dated_days(self) -> tuple[tuple[date, ...], ...]:
        """The days of each."""
        return tuple(tuple(each.day for each in thing.dated) for thing in self.things)

    @property
    def dated(self) -> bool:
        """Whether every one has a day."""
        return all(self.dated_days)

    @cached_property
    def times(self) -> tuple[str, ...]:
        """The fields that say a day or a time of day in each of them; 4:21 may be a length."""
        lengths = {key for dimension in ("duration", "length") for key in columns_for(dimension, self.keys)}
        keys = (key for key in self.keys if key not in lengths)
        return tuple(key for key in keys if all(self._is_time(thing, key) for thing in self.things))

    @staticmethod
    def _is_time(thing: Thing, key: str) -> bool:
        item = thing.at(key)
        value = comparable(item.text, key) if item else None
        return value is not None and isinstance(value[1], datetime)

    def value(self, number: int, key: str) -> tuple[str, Decimal | datetime] | None:
        """What a record has in a field, to compare by."""
        item = self.things[number].at(key)
        return comparable(item.text, key) if item else None

    def saying(self, name: str) -> list[bool]:
        """Which of them say a name in a field, in a language that puts no spaces around it."""
        return [any(name in fold(item.text) for item in thing.record.fields) for thing in self.things]

    def has_order(self, key: str) -> bool:
        """Whether a field says what can be compared, in any of them."""
        return any(self.value(n, key) is not None for n in range(len(self.things)))

    def by_daypart(self, part: str) -> tuple[str, list[bool]] | None:
        """Which of them are in a part of the day, by the first of their times that has an hour."""
        for key in self.times:
            meant = [moment_of(item.text) for thing in self.things if (item := thing.at(key))]
            if all(each is not None and each[1] is not None for each in meant):
                return key, [in_daypart(part, each[1]) for each in meant if each and each[1]]
        return None

    def in_order(self, kept: Sequence[int]) -> list[int]:
        """These as their one list has them, by the field that counts them where there is one; nothing for several."""
        records = [self.things[n] for n in kept]
        if len({thing.text.source.id for thing in self.things}) != 1:
            return []
        for key in self.keys:
            numbers = [value[1] for n in range(len(self.things)) if (value := self.value(n, key))]
            counting = sorted(map(str, numbers)) == sorted(str(n) for n in range(1, len(self.things) + 1))
            if words_of_key(key) & _LISTING and counting:
                return sorted(kept, key=lambda n: self.value(n, key)[1])  # type: ignore[index]
        positions = [thing.record.position for thing in records]
        return sorted(kept, key=lambda n: self.things[n].record.position) if len(set(positions)) == len(kept) else []

    @cached_property
    def flags(self) -> Mapping[str, tuple[bool, ...]]:
        """The fields that say yes or no of each, or hold nothing for some of them."""
        found: dict[str, tuple[bool, ...]] = {}
        for key in self.keys:
            texts = [item.text.strip().lower() if (item := thing.at(key)) else "" for thing in self.things]
            empty = [text in _NO or not text for text in texts]
            plain = all(text in _YES or text in _NO or not text for text in texts)
            if (
                any(empty)
                and not all(empty)
                and (plain or all(text in _YES or len(text) > 1 for text in texts if text))
            ):
                found[key] = tuple(not each for each in empty)
        return found

    def says(self, key: str, word: str) -> bool:
        """Whether a field says nothing but yes or no, or is called by this very word: what has a day there is so."""
        if word in words_of_key(key):
            return True
        texts = (item.text.strip().lower() for thing in self.things if (item := thing.at(key)))
        return all(text in _YES or text in _NO or not text for text in texts)


@dataclass(frozen=True)
class Listing:
    """Records with the words by which a call speaks of them."""

    records: Records
    nouns: frozenset[str]
    """The stems by which people may call one of them."""
    familiar: frozenset[str] = frozenset()
    """Stems of what the call says besides: those of the tool's name and document."""

    def flag(self, word: str) -> str | None:
        """The one field saying yes or no that a word names."""
        if len(word) < _SHORTEST:
            return None
        plain = word.removeprefix("un")
        alike = next((words for words in _ALIKE if word in words), frozenset({word}))
        found = [
            key
            for key in self.records.flags
            if any(of_one_root(each, key) for each in alike) or (plain != word and of_one_root(plain, key))
        ]
        return found[0] if len(found) == 1 else None

    def fields_named(self, word: str) -> list[str]:
        """The fields that a noun may mean."""
        direct = [key for key in self.records.keys if of_one_root(word, key)]
        return direct or [
            key for dimension in _dimensions_of(word) for key in columns_for(dimension, self.records.keys)
        ]


def heads_column(key: str, days: frozenset[date]) -> bool:
    """Whether a field is named by a day: "14 Mar"."""
    words = words_of_key(key)
    return any(
        {str(day.day), f"{day.day:02}"} & words and {MONTHS[day.month - 1], MONTHS[day.month - 1][:3]} & words
        for day in days
    )


@lru_cache(maxsize=1024)
def _dimensions_of(word: str) -> tuple[str, ...]:
    """The dimensions whose fields may be called so: "fee" is a price."""
    plain = {word, stem(word)}
    return tuple(name for name in languages()[0].columns if plain & column_words(name))


def _signed(thing: Thing) -> frozenset[str]:
    """The short codes of a record that end with a sign."""
    texts = (fold(item.text).strip() for item in thing.record.fields if len(item.text) <= _LONGEST_CODE)
    return frozenset(text for text in texts if SIGNED.fullmatch(text))


@lru_cache(maxsize=256)
def alike_nouns(nouns: frozenset[str]) -> frozenset[str]:
    """These nouns, with those of every language that mean the same kind of thing."""
    concepts = {name for each in languages() for name, words in each.things.items() if nouns & words}
    more = (stem(word) for each in languages() for name in concepts for word in each.things.get(name, ()))
    return nouns.union(more)
