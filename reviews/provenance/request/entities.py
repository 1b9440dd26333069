"""A record as a thing of some kind: what it goes by, when it is, whether it is done, whom it concerns."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cached_property
from typing import NamedTuple

from reviews.provenance.core.context import Span
from reviews.provenance.records.fields import Field
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.records import Group, Record
from reviews.provenance.text.fold import words_of, words_of_name
from reviews.provenance.text.stems import stem
from reviews.provenance.values.moment import MONTHS, WEEKDAYS, moment_of

KIND_KEY = re.compile(r"status|state$|priority|type$|kind$|category|stage|role$|level$|list_?name|board$", re.I)
"""Names of fields that sort records into kinds."""
# Fields that name their record.
_ID_KEY = re.compile(r"(?:^|[_.])(?:id|uuid|key|number|no)$", re.I)
# The same by the words of a key.
_NAMING = frozenset("id uuid name number no title subject".split())
# Words of a tool's name that say nothing about what it returns.
_LOOKING_UP = frozenset(
    "search find get list read fetch query lookup look up show all by recent most retrieve view browse source history "
    "tool api data".split()
)
# Nouns that people use for one another.
_SYNONYMS = tuple(
    frozenset(words.split())
    for words in (
        "meeting event appointment call session",
        "email mail message",
        "task todo ticket issue",
        "payment transaction transfer",
        "file document",
        "contact person",
        "customer client",
        "bill invoice",
    )
)
# Fields of deadlines.
_DUE = frozenset("due deadline expires expiry expiration until".split())
# Fields that tell a record's time, the most telling first: when it is, when it came, any other.
_TIERS = tuple(
    frozenset(words.split())
    for words in (
        "start starts begin begins departure depart when",
        "sent received posted issued paid timestamp",
        "date datetime time day",
        "created",
    )
)
# Values of a state that leave nothing to do.
_DONE = frozenset("completed complete done closed finished resolved cancelled canceled paid settled".split())
# How data writes that it is so.
_YES = frozenset({"true", "yes", "1"})
# Fields that hold people.
_PERSON = frozenset(
    "sender from author owner assignee assigned organizer organiser host participant attendee recipient".split()
)
# Longest field, in characters, that names; longer ones are prose.
_SHORT = 80


class When(NamedTuple):
    """A field that says a day."""

    field: Field
    day: date
    clock: time | None

    @property
    def moment(self) -> datetime:
        """To compare by; a whole day counts from its beginning."""
        return datetime.combine(self.day, self.clock or time.min)

    def before(self, now: datetime) -> bool:
        """Whether it is over: a whole day is when the day is."""
        return self.day < now.date() or (self.clock is not None and self.moment < now.replace(tzinfo=None))

    def __str__(self) -> str:
        clock = f", {self.clock:%H:%M}" if self.clock else ""
        return date_label(self.day) + clock


@dataclass(frozen=True)
class Thing:
    """A record with the text it stands in."""

    text: Indexed
    record: Record

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells it from others of its list: its identifier, or everything it says."""
        named = [(item.key, item.text) for item in self.record.fields if _ID_KEY.search(item.key)]
        return named[0] if named else tuple(item.text for item in self.record.fields)

    @cached_property
    def dated(self) -> tuple[When, ...]:
        """Its fields that say a day."""
        found = ((item, moment_of(item.text)) for item in self.record.fields)
        return tuple(When(item, moment[0], moment[1]) for item, moment in found if moment and moment[0])

    @cached_property
    def when(self) -> When | None:
        """When it takes place; None where its fields leave that open."""
        if len(self.dated) == 1:
            return self.dated[0]
        for tier in _TIERS:
            found = [
                each for each in self.dated if tier & parts_of(each.field.key) and not _DUE & parts_of(each.field.key)
            ]
            if len(found) == 1:
                return found[0]
        return None

    @cached_property
    def due(self) -> When | None:
        """When it is due."""
        return next((each for each in self.dated if _DUE & parts_of(each.field.key)), None)

    @cached_property
    def done(self) -> Field | None:
        """The field that says it is finished."""
        for item in self.record.fields:
            value = frozenset(words_of(item.text[:_SHORT]))
            if (KIND_KEY.search(item.key) and _DONE & value) or (_DONE & parts_of(item.key) and _YES & value):
                return item
        return None

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The one-word kinds it is sorted into, such as a status."""
        sorted_into = (item.text for item in self.record.fields if KIND_KEY.search(item.key))
        return frozenset(stem(words[0]) for text in sorted_into if len(words := words_of(text[:_SHORT])) == 1)

    @property
    def begins(self) -> bool:
        """Whether it takes place at a time of its own, as a meeting does."""
        return self.when is not None and bool(_TIERS[0] & parts_of(self.when.field.key))

    @cached_property
    def person(self) -> Field | None:
        """A field that names a person it concerns."""
        people = (item for item in self.record.fields if "@" in item.text or _PERSON & parts_of(item.key))
        return next(people, None)

    @cached_property
    def words(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """By key, the words of each short field; a day is known by its month and weekday too."""
        found = []
        for item in (each for each in self.record.fields if len(each.text) <= _SHORT):
            words = set(map(stem, words_of(item.text)))
            day = (moment_of(item.text) or (None, None))[0]
            words |= {MONTHS[day.month - 1], WEEKDAYS[day.weekday()]} if day else set()
            found.append((item.key, frozenset(words)))
        return tuple(found)

    @cached_property
    def prose(self) -> frozenset[str]:
        """The words of its long fields."""
        long = (item.text[:2000] for item in self.record.fields if len(item.text) > _SHORT)
        return frozenset(stem(word) for text in long for word in words_of(text))

    def at(self, key: str) -> Field | None:
        """Its first field of that name."""
        return next((item for item in self.record.fields if item.key == key), None)

    def span(self, item: Field) -> Span:
        """Where a field stands."""
        return self.text.raw_span(item.start, item.end)


def date_label(day: date) -> str:
    """A day as people write it."""
    return f"{day.day} {MONTHS[day.month - 1][:3].title()} {day.year}"


def parts_of(key: str) -> frozenset[str]:
    """The words of a field's name."""
    return frozenset(words_of_name(key))


def kind_of(group: Group, source: str) -> frozenset[str]:
    """The nouns that the records of a list go by: from the name of what returned it and of their naming fields."""
    words = set(map(stem, words_of(source.rpartition(".")[2]))) - _LOOKING_UP
    for item in group[0].fields[:32]:
        name = words_of(item.name)
        words |= {stem(word) for word in name[:-1]} if name and name[-1] in _NAMING else set()
    words = {word for word in words if word.isalpha()}
    return frozenset(words.union(*(synonyms for synonyms in _SYNONYMS if synonyms & words)))
