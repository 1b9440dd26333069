"""Which record of a list a request describes: by comparison, by its place, by a property, by the time it says.

A description is read within its clause. The list says which words mean something: those that stand in some of its
records, those that name its fields, and those that it goes by. A word that must qualify the record and that none of
this explains leaves the description open: then it chooses nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from reviews.provenance.records.index import Indexed
from reviews.provenance.request.comparisons import (
    NAMED,
    Comparison,
    Ordinal,
    comparisons_in,
    of_one_root,
    ordinals_in,
    words_of_key,
)
from reviews.provenance.request.entities import Thing
from reviews.provenance.request.listing import SIGNED, Listing, heads_column
from reviews.provenance.request.mentions import STOP
from reviews.provenance.request.negation import is_denied
from reviews.provenance.request.ordering import Ordering
from reviews.provenance.request.sentences import ARTICLES, GENERIC, Day, Sentences
from reviews.provenance.request.superlatives import number_at
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.stems import stem

# Clauses of a message that may describe a record: people describe in fewer.
_MOST_CLAUSES = 12
# What makes several meant, or another than those that are spoken of.
_NOT_ONE = frozenset(
    "all any each every both some other others another rest remaining alle jeder todos todas tous toutes tutti tutte "
    "andere autre autres otro otra outro outra altro altra".split()
)
# What joins a word that qualifies to what it qualifies, and what denies it there.
_WITH = frozenset(
    "with having has have had in at from of on that which who near by mit im am aus von en con del de di da com met "
    "van avec du dans".split()
)
_WITHOUT = frozenset("without no not never isn hasn wasn doesn lacks lacking ohne sans sin senza sem zonder".split())
# What begins a part of the clause that says what is to be done with the record.
_PURPOSE = frozenset(
    "to for into onto until till as so because if when please fur zu para por pour per voor om zodat".split()
)
# How people say the signs that end a short code: O neg, B plus.
_SIGNS = {"neg": "-", "negative": "-", "minus": "-", "pos": "+", "positive": "+", "plus": "+"}
# What joins a comparison to what it is chosen from: "the older of our plots".
_OF = frozenset("of among von unter de d di da do dos das van parmi entre tra fra".split())
# What says of a thing that nothing is done with it: "Monday's one stays".
_UNTOUCHED = frozenset(
    "stay stays remain remains keep keeps unchanged bleibt bleiben behalte reste restent garde queda quedan conserva "
    "rimane resta fica ficam blijft blijven".split()
)
# What may stand between a denial and what is denied: "has never been used".
_AUXILIARY = frozenset("has have had been yet".split())
# Words that name nothing by themselves, and may name a field of yes or no.
_MEANT = frozenset("used sent read".split())
# Figures from which a number in a request names a thing.
_LONG_NUMBER = 3
# Words before a noun in which its article stands.
_REACH = 6


class Choice(NamedTuple):
    """The records a description chooses."""

    start: int
    """Offset of the description in the folded text."""
    end: int
    picked: tuple[Thing, ...]
    """In the order asked for; empty where the description is open."""
    key: str = ""
    """The field that tells the chosen one from the others."""
    generic: bool = False
    """Whether it names no kind of record, so that another list may be meant."""


class _Mode(StrEnum):
    """Which part of a description a word stands in."""

    NAME = "up to its noun"
    BEHIND = "behind its noun"
    QUALIFYING = "behind a word that joins what qualifies"
    PURPOSE = "what is to be done with the record"


class _Head(NamedTuple):
    """The word that a description turns on."""

    at: int
    generic: bool


@dataclass
class _Left:
    """What is left of a list after the demands of a description."""

    kept: list[int]
    telling: bool = False
    """Whether more than the words of records tells: by those alone the rules of naming judge."""
    open: bool = False
    """Whether a demand could not be held against the records."""
    key: str = ""
    last: int = 0
    """The last word of the description."""

    def keep(self, which: Sequence[bool], at: int, *, key: str = "") -> None:
        """Take out the records that do not meet a demand."""
        self.kept = [n for n in self.kept if which[n]]
        self.last = max(self.last, at)
        if key:
            self.telling, self.key = True, key


def choices_in(text: Indexed, listing: Listing, explained: Sequence[tuple[int, int]]) -> Iterator[Choice]:
    """What each description of a text chooses from a list. `explained` are raw stretches that other arguments use."""
    if len(listing.things) > 1:
        yield from islice(_Reader(text, listing, explained).choices(), _MOST_CLAUSES)


class _Reader:
    """Reads the descriptions of one text."""

    def __init__(self, text: Indexed, listing: Listing, explained: Sequence[tuple[int, int]]) -> None:
        self._said, self._listing = Sentences(text, explained), listing
        self._words = self._said.words
        self._orders: list[Comparison | Ordinal] = [*comparisons_in(self._said.folded), *ordinals_in(self._said.folded)]
        self._ordering = Ordering(self._words, listing, self._said.small)

    def choices(self) -> Iterator[Choice]:
        """The choice of each clause that describes a record of the list."""
        for low, high in self._said.clauses(self._goes_on):
            if (found := self._read(low, high)) is not None:
                yield found

    def _goes_on(self, word: str) -> bool:
        return stem(word) in self._listing.held or self._listing.flag(word) is not None

    def _read(self, low: int, high: int) -> Choice | None:
        start, end = self._words[low].start, self._words[high - 1].end
        orders = [each for each in self._orders if start <= each.start < end and not self._said.in_day(each.start)]
        place = 1
        if len(orders) > 1 and isinstance(orders[1], Comparison) is not isinstance(orders[0], Comparison):
            orders, place = self._joined(orders)
        order = orders[0] if orders else None
        if any(word.text in _UNTOUCHED for word in self._words[low:high]):
            return None
        head = self._head(low, high, order)
        if head is None or any(word.text in _NOT_ONE for word in self._words[low : head.at + 1]):
            return None
        begin = self._begin(low, head.at, order)
        if is_denied(self._said.folded, self._words[begin].start):
            return None
        left = self._left(begin, high, head, order)
        if not (order or left.telling):
            return None
        ends = [self._words[max(left.last, head.at)].end, *([order.end] if order else [])]
        stretch = self._words[begin].start, max(ends)
        chosen: list[int] = []
        if not left.open and len(orders) <= 1:
            self._weigh_others(begin, high, left, generic=head.generic)
            chosen, left.key = self._ordering.ranked(order, left.kept, place) if order else (left.kept, left.key)
        # Several that meet every demand are not told apart.
        if not order and len(chosen) != 1:
            chosen = []
        return Choice(*stretch, tuple(self._listing.things[n] for n in chosen), left.key, head.generic)

    def _joined(self, orders: list[Comparison | Ordinal]) -> tuple[list[Comparison | Ordinal], int]:
        """A place with the comparison right behind it, as one: "the second cheapest"."""
        (compared,) = [each for each in orders if isinstance(each, Comparison)][:1]
        (placed,) = [each for each in orders if isinstance(each, Ordinal)][:1]
        if len(orders) > 2 or placed.place < 1 or compared.start - placed.end != 1:  # noqa: PLR2004
            return orders, 1
        return [compared._replace(start=placed.start)], placed.place

    def _head(self, low: int, high: int, order: Comparison | Ordinal | None) -> _Head | None:
        """What the clause speaks of; None for a thing that this list does not hold."""
        if order is None:
            named = [n for n in range(low, high) if self._is_noun(n)]
            generic = [n for n in range(low, high) if self._words[n].text in GENERIC]
            at = next(iter((*generic, *named)), None)
            return None if at is None else _Head(at, generic=at in generic)
        first = next((n for n in range(low, high) if self._words[n].end >= order.end), high - 1)
        run = self._run(first + 1, high)
        for n in run:
            if self._words[n].text in GENERIC:
                return _Head(n, generic=True)
        if run:
            named = [n for n in run if self._is_noun(n) or self._names_column(n, order)]
            return _Head(named[-1], generic=False) if named else None
        return self._head_apart(low, high, order, first)

    def _head_apart(self, low: int, high: int, order: Comparison | Ordinal, first: int) -> _Head | None:
        """The head of "the older of our plots", "the hive that is lightest", "la colmena mas ligera"."""
        behind = [n for n in range(first + 1, high) if self._is_noun(n)]
        if behind and self._words[first + 1].text in _OF:
            return _Head(behind[-1] if self._words[behind[-1]].text in _SIGNS else behind[0], generic=False)
        at = next(n for n in range(low, high) if self._words[n].end > order.start)
        for n in range(at - 1, low - 1, -1):
            if self._words[n].text in GENERIC:
                return _Head(n, generic=True)
            if self._is_noun(n) and not self._words[n].quote:
                return _Head(n, generic=False)
        before = self._words[at - 1].text if at > low else ""
        stands_alone = not before or before in self._said.small
        verb = self._ordering.key(order) is not None
        return _Head(first, generic=True) if stands_alone or verb else None

    def _run(self, low: int, high: int) -> list[int]:
        """The content words that stand together from here on."""
        found: list[int] = []
        for n in range(low, high):
            text = self._words[n].text
            if text in self._said.small or text in _PURPOSE or text in _WITH or text in _WITHOUT:
                break
            if not number_at(text):
                found.append(n)
        return found

    def _is_noun(self, n: int) -> bool:
        """Whether a word is what the records of the list go by, or stands in some of them as a kind does."""
        text = self._words[n].text
        if text in STOP or self._said.is_explained(n) or text.isdigit():
            return False
        return stem(text) in self._listing.nouns or (
            stem(text) in self._listing.held and stem(text) in self._said.naming
        )

    def _names_column(self, n: int, order: Comparison | Ordinal) -> bool:
        """Whether a word names the field that a comparison is about: "the lowest price"."""
        named = isinstance(order, Comparison) and NAMED in dict(order.senses)
        return named and bool(self._listing.fields_named(self._words[n].text))

    def _begin(self, low: int, head: int, order: Comparison | Ordinal | None) -> int:
        """The article, or the owner, that the description begins with."""
        at = next((n for n in range(low, head + 1) if order and self._words[n].end > order.start), head)
        at = min(at, head)
        for n in range(at - 1, max(low - 1, at - _REACH), -1):
            if self._words[n].text in ARTICLES:
                return n
            if self._words[n].text == "s" and n > low:
                return n - 1
        return at

    def _left(self, begin: int, high: int, head: _Head, order: Comparison | Ordinal | None) -> _Left:
        left = _Left(list(range(len(self._listing.things))), last=head.at)
        mode, denied = _Mode.NAME, False
        skipped = set[int]()
        for n in range(begin, high):
            word = self._words[n]
            if n > head.at and mode is _Mode.NAME:
                mode = _Mode.BEHIND
            if n in skipped or (order and order.start <= word.start < order.end):
                continue
            if word.text in _WITHOUT:
                mode, denied = (_Mode.QUALIFYING if n > head.at else mode), True
            elif word.text in _PURPOSE and n > head.at:
                mode, denied = _Mode.PURPOSE, False
            elif word.text in _WITH and n > head.at:
                mode, denied = _Mode.QUALIFYING, denied and word.text in _AUXILIARY
            elif mode is not _Mode.PURPOSE:
                skipped |= self._demand(n, left, mode, denied=denied, order=order)
        left.open = left.open or not left.kept
        return left

    def _demand(
        self, n: int, left: _Left, mode: _Mode, *, denied: bool, order: Comparison | Ordinal | None
    ) -> set[int]:
        """Hold one word against the records; the words that are read with it."""
        word = self._words[n]
        if day := next((each for each in self._said.days if each.start <= word.start < each.end), None):
            self._by_day(day, left, n)
            return {m for m, each in enumerate(self._words) if day.start <= each.start < day.end}
        if signed := self._signed_at(n):
            left.keep([signed[0] in words for words in self._listing.words], n + signed[1])
            return {n + 1}
        small = word.text in self._said.small and word.text not in _MEANT
        passed = small or word.text in GENERIC or number_at(word.text) or self._said.is_explained(n)
        if self._by_part(n, left) or passed or self._by_word(n, left, denied=denied):
            return set()
        if mode in (_Mode.NAME, _Mode.QUALIFYING) or denied:
            left.open = left.open or not self._is_known(n, mode, order)
        return set()

    def _by_part(self, n: int, left: _Left) -> bool:
        """Keep the records of a part of the day, unless the word stands in some record as it is."""
        word, listing = self._words[n], self._listing
        part = next((part for start, end, part in self._said.parts if start <= word.start < end), None)
        if part is None or stem(word.text) in listing.held or (by_part := listing.by_daypart(part)) is None:
            return False
        left.keep(by_part[1], n, key=by_part[0])
        return True

    def _by_word(self, n: int, left: _Left, *, denied: bool) -> bool:
        """Keep the records that have the word, or of which the field that it names says yes."""
        text, listing = self._words[n].text, self._listing
        known = stem(text)
        if known in listing.held and (known in self._said.naming or text.isdigit()) and not denied:
            if not text.isdigit() or len(text) >= _LONG_NUMBER:
                asked = not any(known in held for thing in listing.things for _, held in thing.words)
                left.keep([known in words for words in listing.words], n, key="asked" if asked else "")
            return True
        flag = listing.flag(text)
        if flag is None or not (denied or text.startswith("un") or listing.says(flag, text)):
            return False
        negative = denied is not text.startswith("un")
        left.keep([yes is not negative for yes in listing.flags[flag]], n, key=flag)
        return True

    def _is_known(self, n: int, mode: _Mode, order: Comparison | Ordinal | None) -> bool:
        """Whether a word that no record is held against may be left aside: it tells none from another."""
        text, listing = self._words[n].text, self._listing
        if self._said.word(n + 1).isdigit() and self._said.is_explained(n + 1):
            return True
        if stem(text) in listing.nouns | listing.familiar | listing.common or len(text) == 1:
            return True
        # An adverb, or the verb at the end of a German clause.
        if text.endswith("ly") or (mode is not _Mode.NAME and text in self._said.verbs):
            return True
        about = any(text in words_of_key(key) or of_one_root(text, key) for key in listing.keys)
        return about or bool(order and listing.fields_named(text))

    def _signed_at(self, n: int) -> tuple[str, int] | None:
        """A short code with its sign, said or written: "O neg", "B+"; with how many words behind belong to it."""
        word = self._words[n]
        behind = self._words[n + 1].text if n + 1 < len(self._words) else ""
        sign = _SIGNS.get(behind)
        for code, more in ((f"{word.text}{sign}", 1), (self._said.folded[word.start : word.end + 1], 0)):
            if SIGNED.fullmatch(code) and code in self._listing.held:
                return code, more
        return None

    def _by_day(self, day: Day, left: _Left, n: int) -> None:
        """Keep the records of a day or month; a column may stand for a day."""
        listing = self._listing
        column = next((key for key in listing.flags if day.days and heads_column(key, day.days)), None)
        if column:
            left.keep(listing.flags[column], n, key=column)
        elif listing.dated:
            held = [day.holds(each) for each in listing.dated_days]
            left.keep(held, n, key="day")
        elif any(stem(word) in listing.held for word in words_of(self._said.folded[day.start : day.end])):
            for word in map(stem, words_of(self._said.folded[day.start : day.end])):
                if word in listing.held:
                    left.keep([word in words for words in listing.words], n, key="asked")
        elif not self._said.is_used(day.start, day.end):
            left.open = True

    def _weigh_others(self, begin: int, high: int, left: _Left, *, generic: bool) -> None:
        """What is said beside the description: before "one" it says which one, elsewhere it may mean another."""
        for n in range(len(self._words)):
            if begin <= n < high or self._said.is_explained(n):
                continue
            signed = self._signed_at(n)
            known = signed[0] if signed else stem(self._words[n].text)
            if not signed and (
                known not in self._said.naming or known.isdigit() or self._said.in_day(self._words[n].start)
            ):
                continue
            held = [m for m in left.kept if known in self._listing.words[m]]
            if held and len(held) < len(left.kept):
                if not (generic and n < begin):
                    left.kept = []
                    return
                left.kept = held
