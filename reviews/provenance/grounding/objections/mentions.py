"""Where a value is said, with the words around it and the part it plays there: "to Bo", "the old one"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.records.index import Indexed, Place
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.parts import part_of_mention
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.roots import root
from reviews.provenance.text.stems import base_forms
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.money import MONEY, SIGNS
from reviews.provenance.values.number import number_of, said_in
from reviews.provenance.values.place import abbreviated, place_names

# Characters of a message that are read for numbers and names.
_READ = 20_000
# Mentions of one value that are weighed: what is said more often is said in every part.
_MOST_MENTIONS = 12
# Words around a mention that tell what it is: "account 77", "3 tickets".
_BEFORE, _AFTER = 4, 2
# Words up to which a field or an argument names something; more are prose.
NAME_WORDS = 4
# What joins two nouns to one in other languages: "entradas de adulto".
_GENITIVE = frozenset("de do da dos das di del della des du d van von der".split())
# What joins two things that are said in one sentence.
_JOINING = frozenset("and und et y e en ou oder or".split())
# "Okafor shall examine", "Farid belays".
_ACTING = re.compile(
    r" (?P<auxiliary>(?:(?:shall|will|should|can|may|must|is|are|has|to|be|going)\s+){0,3})(?P<verb>[^\W\d_]{3,})"
)
# "Examined by Ms Okafor".
_DONE_BY = re.compile(r"\b(?P<verb>[^\W\d_]{3,}) by (?:(?:the|mr|ms|mrs|dr)\.? )?$")
# "Greta the tutor", "Greta as our tutor", "Greta is the tutor".
_APPOSED = re.compile(
    r" (?:(?:as|is|becomes|will be|shall be|to be|be) (?:(?:the|a|an|our|my|his|her|their|your) )?|(?:the|our|my) )"
    r"(?P<noun>[^\W\d_]{3,})"
)
# Characters around a mention in which those words stand.
_REACH = 60
# Records of a list that are compared for it.
_MOST_RECORDS = 100
# Characters from which a field of a record names it.
_SHORTEST_NAME = 3
# Words that tell no parameter from another.
NAMELESS = frozenset(
    "the a an of for with in on at by and or is are be id ids my your it its this that value name from to into".split()
)


@dataclass(frozen=True)
class Mention:
    """A value where a source says it."""

    span: Span
    beside: frozenset[str]
    """Roots of the words around it, or of the keys that lead to it."""
    part: str | None
    does: frozenset[str] = frozenset()
    """What the verb behind it may be, or the one that it is done "by": what whoever is named does."""
    is_a: frozenset[str] = frozenset()
    """The root of the noun that a sentence gives it: "Greta the tutor", "Greta as tutor"."""


def mentions_of(leaf: Leaf, evidence: Evidence, budget: Budget) -> Iterator[Mention]:
    """Where the user or an accepted proposal says the value, and the fields it stands in."""
    texts = (*evidence.spoken, *(each.text for each in evidence.accepted))
    mentions = (mention for text in texts for mention in mentions_in(leaf, text))
    yield from islice(mentions, _MOST_MENTIONS)
    for place in evidence.collections.places(leaf.folded, number_of(leaf.value))[:_MOST_MENTIONS]:
        budget.spend()
        keys = [key for key in place.pattern[-2:] if key != "*"]
        beside = frozenset(root(word) for key in keys for word in tokens_of(key))
        yield Mention(place.span, beside, None)
    yield from islice(mentions_of_record(leaf, evidence), _MOST_MENTIONS)


def mentions_of_record(leaf: Leaf, evidence: Evidence) -> Iterator[Mention]:
    """The record that the value identifies, in the part that the user's last message gives to its name."""
    places = (place for text in evidence.data for place in text.places(leaf.folded)[:_MOST_MENTIONS])
    for name in (name for place in places for name in (*names_of(place), *_key_naming(place, leaf))):
        for text in evidence.spoken[:1] if len(name) >= _SHORTEST_NAME and name != leaf.folded else ():
            for at in islice(occurrences(text.folded.text, name), 1):
                mention = _said_at(text, at, at + len(name), frozenset())
                if mention.part or mention.does or mention.is_a:
                    yield mention


def named_alike(leaf: Leaf, text: Indexed, evidence: Evidence, used: frozenset[str]) -> Iterator[Mention]:
    """The names of other records of the value's list in a message, of those that no argument is taken from."""
    for place in (place for source in evidence.data for place in source.places(leaf.folded)[:_MOST_MENTIONS]):
        for record in place.group[:_MOST_RECORDS]:
            values = {fold(item.text).strip() for item in record.fields}
            if record is place.record or values & used:
                continue
            first = next((item for item in record.fields if item.key == place.field.key), place.field)
            for name in names_of(Place(place.group, record, first)):
                for at in islice(occurrences(text.folded.text, name), 1 if len(name) >= _SHORTEST_NAME else 0):
                    yield _said_at(text, at, at + len(name), frozenset())


def _key_naming(place: Place, leaf: Leaf) -> Iterator[str]:
    """The key of a value of one object, where it names the thing instead of saying what it is: "mia: wk-5"."""
    own = frozenset(tokens_of(f"{leaf.name} {leaf.description}"))
    if len(place.group) == 1 and own.isdisjoint(tokens_of(place.field.key)):
        yield fold(place.field.key).strip()


def names_of(place: Place) -> Iterator[str]:
    """What a record is called: its short fields, and the words of them that no other record of the list has."""
    others = {
        word
        for record in place.group[:_MOST_RECORDS]
        if record is not place.record
        for item in record.fields
        for word in words_of(item.text)
    }
    for item in place.record.fields:
        words = words_of(item.text)
        if len(words) <= NAME_WORDS:
            yield fold(item.text).strip()
            yield from (word for word in words if len(words) > 1 and word not in others)


def mentions_in(leaf: Leaf, text: Indexed) -> Iterator[Mention]:
    """Where one message says the value, as it is written or another way."""
    folded, number, met = text.folded.text, number_of(leaf.value), moment_of(leaf.value)
    if number is None and met is not None and met[1] is not None:
        # Of a time its hour is said in a part; the day is often said once for both.
        hours = (m for m in text.moments if m.clock == met[1])
        found = list(dict.fromkeys((m.start, m.end) for m in islice(hours, _MOST_MENTIONS)))
    elif number is None:
        # A place may be named instead of its code.
        spellings = (leaf.folded, *place_names(leaf.text))
        places = ((at, at + len(each)) for each in spellings for at in occurrences(folded, each))
        found = list(islice(places, _MOST_MENTIONS)) or list(islice(_abbreviated(leaf, text), _MOST_MENTIONS))
    else:
        found = [(m.start, m.end) for m in said_in(folded[:_READ]) if m.value == number][:_MOST_MENTIONS]
    for start, end in found:
        before = _its_own(words_of(folded[max(0, start - _REACH) : start].rpartition(". ")[2]))[-_BEFORE:]
        after = _up_to_another(words_of(folded[end : end + _REACH].partition(". ")[0]))[:_AFTER]
        priced = folded[start : start + 1] in SIGNS or MONEY.match(folded, end) is not None
        money = ("price", "cost") if priced else ()
        beside = frozenset(root(word) for word in (*before, *after, *money) if word not in NAMELESS)
        yield _said_at(text, start, end, beside)


def _said_at(text: Indexed, start: int, end: int, beside: frozenset[str]) -> Mention:
    folded = text.folded.text
    behind = _ACTING.match(folded, end)
    done = _DONE_BY.search(folded, max(0, start - _REACH), start)
    # A figure does nothing: "35 percent channel 20".
    figures = any(map(str.isdigit, folded[start:end]))
    hits = [hit for hit in (behind, done) if hit and not figures]
    # Uninflected, a word behind a name is a noun, unless an auxiliary makes it a verb: "the West branch".
    does = frozenset(
        form
        for hit in hits
        for form in base_forms(hit["verb"])
        if hit is done or hit["auxiliary"] or form != hit["verb"]
    )
    noun = _APPOSED.match(folded, end)
    is_a = frozenset({root(noun["noun"])} if noun else ())
    return Mention(text.span(start, end), beside, part_of_mention(folded, start, end), does, is_a)


def _its_own(before: tuple[str, ...]) -> tuple[str, ...]:
    """The words before a mention without those of a number before it.

    In "12 tables and 90" tables are twelve, in "19 by day and 16" the day is of the first.
    """
    last = max((n for n, word in enumerate(before) if word.isdigit()), default=-2)
    joined = max((n for n, word in enumerate(before) if word in _JOINING and n > last >= 0), default=last + 1)
    return before[joined + 1 :]


def _up_to_another(behind: tuple[str, ...]) -> tuple[str, ...]:
    """The telling words behind a mention, up to what is joined to it or to another number with its noun."""
    end = next((n for n, word in enumerate(behind) if word in _JOINING or word.isdigit()), len(behind))
    if behind[end : end + 1] and behind[end].isdigit():
        # In "4 chairs of model 30" the model is thirty.
        end = max(end - 1, 0)
    return tuple(word for word in behind[:end] if word not in _GENITIVE | NAMELESS)


def _abbreviated(leaf: Leaf, text: Indexed) -> Iterator[tuple[int, int]]:
    """Names that the value may be short for, as places of the folded text."""
    for start, end in abbreviated(leaf.text, text.source.text[:_READ]):
        name = fold(text.source.text[start:end])
        yield from ((at, at + len(name)) for at in islice(occurrences(text.folded.text, name), 1))
