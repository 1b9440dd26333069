"""Two arguments of a call that fit better the other way round: accounts, dates, a count and a number."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import TypeAlias

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.records.index import Indexed, Place
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.asked_for import words_alike
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.parts import fits, part_of_mention, part_of_parameter
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.roots import root
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.money import MONEY, SIGNS
from reviews.provenance.values.number import number_of, said_in
from reviews.provenance.values.place import abbreviated, place_names

# Arguments of a call that are compared in pairs; longer ones come from lists, whose items have no parts.
_MOST_ARGUMENTS = 16
# Mentions of one value that are weighed: what is said more often is said in every part.
_MOST_MENTIONS = 12
# Characters of a value that names something; longer ones are prose.
_LONGEST = 80
# Words around a mention that tell what it is: "account 77", "3 tickets".
_BEFORE, _AFTER = 4, 2
# What joins two nouns to one in other languages: "entradas de adulto".
_GENITIVE = frozenset("de do da dos das di del della des du d van von der".split())
# By how much the other way round must fit better: one word may stand beside a value by chance.
_MARGIN = 2
# Figures from which a bare number is an identifier.
_LONG_NUMBER = 7
# The same of a number that is given as a string: numbers that count are given as numbers.
_LONG_DIGITS = 5
# Kinds that strings of figures may be mistaken for: a card's number, its month and a token.
_WRITTEN = frozenset({"number", "code", "time"})
# A name may have one word or several: an old and a new one are of one kind all the same.
_NAMES = frozenset({"word", "name"})
# What is written without spaces.
_TOKENS = frozenset({"word", "code"})
# A name with an ending of letters, in any folder.
_FILE = re.compile(r"[^\s/]+\.[a-z]\w{1,4}")
# Words up to which a value names something; more are prose, which is not mistaken for another argument.
_NAME_WORDS = 4
# Records of a list that are compared for it.
_MOST_RECORDS = 100
# Characters from which a field of a record names it.
_SHORTEST_NAME = 3
# Words that tell no parameter from another.
_EMPTY = frozenset(
    "the a an of for with in on at by and or is are be id ids my your it its this that value name from to into".split()
)


@dataclass(frozen=True)
class _Mention:
    """A value where a source says it."""

    span: Span
    beside: frozenset[str]
    """Roots of the words around it, or of the keys that lead to it."""
    part: str | None


@dataclass(frozen=True)
class _Argument:
    """An argument with every mention of its value."""

    leaf: Leaf
    mentions: tuple[_Mention, ...]

    @cached_property
    def part(self) -> str | None:
        return part_of_parameter(self.leaf.name, self.leaf.description)

    @cached_property
    def named(self) -> frozenset[str]:
        """Roots of the words of its parameter's name, with words that mean the same."""
        return _roots(tokens_of(self.leaf.name))

    @cached_property
    def described(self) -> frozenset[str]:
        """The same of its parameter's description."""
        return _roots(words_of(self.leaf.description[:200]))

    @cached_property
    def kind(self) -> str:
        """How the value is written: only values of one kind can have changed places."""
        longest = _LONG_DIGITS if isinstance(self.leaf.value, str) else _LONG_NUMBER
        if number_of(self.leaf.value) is not None and len(self.leaf.text) < longest:
            return "number"
        if moment_of(self.leaf.value):
            return "time"
        if "@" in self.leaf.text:
            return "address"
        if _FILE.fullmatch(self.leaf.folded):
            return "file"
        if " " not in self.leaf.text:
            return "code" if any(map(str.isdigit, self.leaf.text)) else "word"
        return "name" if len(self.leaf.words) <= _NAME_WORDS else "text"


# The words of a parameter's name and those of its description, without those of the other parameter.
_Vocabulary: TypeAlias = tuple[frozenset[str], frozenset[str]]


def swapped(leaves: Sequence[Leaf], evidence: Evidence, budget: Budget) -> Iterator[tuple[Leaf, Found]]:
    """For each pair that fits better the other way round, both arguments, each competing with the other's value."""
    named = [leaf for leaf in leaves if leaf.text and len(leaf.text) <= _LONGEST and not isinstance(leaf.value, bool)]
    single = [leaf for leaf in named if not leaf.pointer.rpartition("/")[2].isdigit() and not leaf.choices]
    if not 1 < len(single) <= _MOST_ARGUMENTS:
        return
    arguments = [_Argument(leaf, tuple(_mentions(leaf, evidence, budget))) for leaf in single]
    for one, other in combinations(arguments, 2):
        if (
            one.leaf.folded == other.leaf.folded
            or not _of_one_kind(one, other)
            or one.kind == "text"
            or not (one.mentions and other.mentions)
        ):
            continue
        if spans := _better_turned(one, other):
            yield one.leaf, _competing(one, other, spans)
            yield other.leaf, _competing(other, one, spans[::-1])


def _of_one_kind(one: _Argument, other: _Argument) -> bool:
    """Whether one may have been taken for the other, by how both are written; as strings, figures of any kind."""
    strings = isinstance(one.leaf.value, str) and isinstance(other.leaf.value, str)
    kinds = {one.kind, other.kind}
    # Only as it is written may a time be taken for a code.
    if len(kinds) > 1 and any(":" in each.leaf.text for each in (one, other)):
        return False
    opposed = one.part is not None and other.part is not None and fits(one.part, other.part) < 0
    # Of two branches one may have figures in its name: where one has a part, they may be mistaken all the same.
    parted = (one.part is None) != (other.part is None) and kinds <= _TOKENS
    return one.kind == other.kind or (strings and (kinds <= _WRITTEN or parted or (opposed and kinds <= _NAMES)))


def _better_turned(one: _Argument, other: _Argument) -> tuple[Span, Span] | None:
    """Where the two values are said, when each is at least as much at home as the other's, and one clearly more."""
    words = (one.named - other.named, one.described - other.described)
    other_words = (other.named - one.named, other.described - one.described)
    as_is = (_fit(one, one, words)[0], _fit(other, other, other_words)[0])
    mine, span = _fit(one, other, words)
    theirs, second = _fit(other, one, other_words)
    if mine < as_is[0] or theirs < as_is[1] or mine + theirs < sum(as_is) + _MARGIN:
        return None
    return span, second


def _fit(parameter: _Argument, value: _Argument, vocabulary: _Vocabulary) -> tuple[int, Span]:
    """How well one argument's value fits another's parameter, by the mention that fits best."""
    own = {root(word) for word in words_of(_spaced(value.leaf.text)) if not word.isdigit()}
    scored = [(_score(parameter, mention, vocabulary), mention.span) for mention in value.mentions]
    best, span = max(scored, key=lambda pair: pair[0])
    return best + 2 * bool(own & vocabulary[0]), span


def _score(parameter: _Argument, mention: _Mention, vocabulary: _Vocabulary) -> int:
    named, described = vocabulary
    # A name says what a parameter is; a description mentions other things as well.
    score = 2 * bool(mention.beside & named) or int(bool(mention.beside & described))
    if parameter.part and mention.part:
        score += 2 * fits(mention.part, parameter.part)
    return score


def _mentions(leaf: Leaf, evidence: Evidence, budget: Budget) -> Iterator[_Mention]:
    """Where the user or an accepted proposal says the value, and the fields it stands in."""
    texts = (*evidence.spoken, *(each.text for each in evidence.accepted))
    mentions = (mention for text in texts for mention in _mentions_in(leaf, text))
    yield from islice(mentions, _MOST_MENTIONS)
    for place in evidence.collections.places(leaf.folded, number_of(leaf.value))[:_MOST_MENTIONS]:
        budget.spend()
        keys = [key for key in place.pattern[-2:] if key != "*"]
        beside = frozenset(root(word) for key in keys for word in words_of(_spaced(key)))
        yield _Mention(place.span, beside, None)
    yield from islice(_of_records(leaf, evidence), _MOST_MENTIONS)


def _of_records(leaf: Leaf, evidence: Evidence) -> Iterator[_Mention]:
    """The record that the value identifies, in the part that the user's last message gives to its name."""
    places = (place for text in evidence.data for place in text.places(leaf.folded)[:_MOST_MENTIONS])
    for name in (name for place in places for name in _names_of(place)):
        for text in evidence.spoken[:1] if len(name) >= _SHORTEST_NAME and name != leaf.folded else ():
            for at in islice(occurrences(text.folded.text, name), 1):
                part = part_of_mention(text.folded.text, at, at + len(name))
                if part:
                    yield _Mention(text.span(at, at + len(name)), frozenset(), part)


def _names_of(place: Place) -> Iterator[str]:
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
        if len(words) <= _NAME_WORDS:
            yield fold(item.text).strip()
            yield from (word for word in words if len(words) > 1 and word not in others)


def _mentions_in(leaf: Leaf, text: Indexed) -> Iterator[_Mention]:
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
        before = _its_own(words_of(folded[max(0, start - 60) : start].rpartition(". ")[2])[-_BEFORE:])
        behind = words_of(folded[end : end + 40].partition(". ")[0])
        after = tuple(word for word in behind if word not in _GENITIVE)[:_AFTER]
        priced = folded[start : start + 1] in SIGNS or MONEY.match(folded, end) is not None
        money = ("price", "cost") if priced else ()
        beside = frozenset(root(word) for word in (*before[-_BEFORE:], *after, *money) if word not in _EMPTY)
        yield _Mention(text.span(start, end), beside, part_of_mention(folded, start, end))


def _its_own(before: tuple[str, ...]) -> tuple[str, ...]:
    """The words before a mention without a number and what that counts: in "12 tables and 90" tables are twelve."""
    last = max((n for n, word in enumerate(before) if word.isdigit()), default=-2)
    return before[last + 2 :]


def _abbreviated(leaf: Leaf, text: Indexed) -> Iterator[tuple[int, int]]:
    """Names that the value may be short for, as places of the folded text."""
    for start, end in abbreviated(leaf.text, text.source.text[:_READ]):
        name = fold(text.source.text[start:end])
        yield from ((at, at + len(name)) for at in islice(occurrences(text.folded.text, name), 1))


# Characters of a message that are read for numbers and names.
_READ = 20_000


def _roots(words: Sequence[str]) -> frozenset[str]:
    telling = [word for word in words if word not in _EMPTY and word.isalpha()]
    return frozenset(root(word) for word in telling).union(*(words_alike(word) for word in telling))


def _spaced(text: str) -> str:
    return " ".join(tokens_of(text))


def _competing(one: _Argument, other: _Argument, spans: tuple[Span, Span]) -> Found:
    value = shortened(other.leaf.text, 40)
    note = f"“{value}” fits {one.leaf.name[:40]} better; the two values seem to be the wrong way round."
    rival = Competing(other.leaf.text, (spans[0],), f"{one.leaf.name[:40]} = {value}")
    return Found(Grounding.COMPETING, (spans[1],), note, (rival,))
