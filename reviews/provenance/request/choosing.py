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
    Comparison,
    Ordinal,
    comparisons_in,
    of_one_root,
    ordinals_in,
    words_of_key,
)
from reviews.provenance.request.entities import Thing
from reviews.provenance.request.heads import PURPOSE, SIGNS, WITH, WITHOUT, Head, Heads
from reviews.provenance.request.listing import SIGNED, Listing, heads_column
from reviews.provenance.request.naming import names_in
from reviews.provenance.request.negation import in_denial, is_denied
from reviews.provenance.request.ordering import Ordering, joined
from reviews.provenance.request.sentences import GENERIC, Day, Sentences
from reviews.provenance.request.superlatives import number_at
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.stems import stem
from reviews.provenance.values.moment import Moment

# Clauses of a message that may describe a record: people describe in fewer.
_MOST_CLAUSES = 12
# What makes several meant, or another than those that are spoken of.
_NOT_ONE = frozenset(
    "all any each every both some other others another rest remaining alle jeder todos todas tous toutes tutti tutte "
    "andere autre autres otro otra outro outra altro altra".split()
)
# What says of a thing that nothing is done with it: "Monday's one stays".
_UNTOUCHED = frozenset(
    "stay stays remain remains keep keeps unchanged bleibt bleiben behalte reste restent garde queda quedan conserva "
    "rimane resta fica ficam blijft blijven".split()
)
# What may stand between a denial and what is denied: "has never been used".
_AUXILIARY = frozenset("has have had been yet".split())
# Words that name nothing by themselves, and may name a field of yes or no.
_MEANT = frozenset("used sent read".split())
# What makes a bound of what follows: "the invoices after March".
_BOUNDING = frozenset(
    "after before since until till over under between above below than more less later earlier nach vor seit bis apres "
    "avant desde despues antes hasta dopo prima depois na voor sinds".split()
)
# Who did something with the record, which no record says: "the last one I created". Others are named in records.
_SUBJECTS = frozenset("i we you ich wir du je nous vous tu ik wij".split())
_OTHERS = frozenset("he she they er sie il elle ils zij".split())
# Words for a place beside another record, with how many places on it is.
_STEPS = {
    "after": 1, "following": 1, "below": 1, "behind": 1, "nach": 1, "hinter": 1, "apres": 1, "na": 1, "dopo": 1,
    "before": -1, "above": -1, "preceding": -1, "vor": -1, "avant": -1, "antes": -1, "prima": -1, "voor": -1,
}  # fmt: skip
_RIGHT = frozenset("right directly immediately just straight direkt juste".split())
# What makes a clause a condition, or says when, and what opens a question about what is so.
_CONDITIONS = frozenset(
    "if unless when while once although though wenn falls bevor nachdem si cuando quando se quand lorsque als "
    "wanneer".split()
)
_ASKING = frozenset("is are was were does do did has have ist sind es est e".split())
# What lists and calendars are made of: "of the day", "on the list".
_OF_LISTS = frozenset("day week month year list queue table result results page liste lista lijst dag tag".split())
# Figures from which a number in a request names a thing.
_LONG_NUMBER = 3


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
    left_out: bool = False
    """Whether the user says that these are not meant."""


class _Mode(StrEnum):
    """Which part of a description a word stands in."""

    NAME = "up to its noun"
    BEHIND = "behind its noun"
    QUALIFYING = "behind a word that joins what qualifies"
    PURPOSE = "what is to be done with the record"


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
    if len(listing.records.things) > 1:
        yield from islice(_Reader(text, listing, explained).choices(), _MOST_CLAUSES)


class _Reader:
    """Reads the descriptions of one text."""

    def __init__(self, text: Indexed, listing: Listing, explained: Sequence[tuple[int, int]]) -> None:
        self._said, self._listing = Sentences(text, explained), listing
        self._words = self._said.words
        self._orders: list[Comparison | Ordinal] = [*comparisons_in(self._said.folded), *ordinals_in(self._said.folded)]
        self._ordering = Ordering(self._words, listing, self._said.small)
        self._heads = Heads(self._said, listing, self._ordering)

    def choices(self) -> Iterator[Choice]:
        """The choice of each clause that describes a record of the list."""
        for low, high in self._said.clauses(self._goes_on):
            if (found := self._read(low, high)) is not None:
                yield found

    def _goes_on(self, word: str) -> bool:
        return stem(word) in self._listing.records.held or self._listing.flag(word) is not None

    def _read(self, low: int, high: int) -> Choice | None:
        start, end = self._words[low].start, self._words[high - 1].end
        if any(word.text in _UNTOUCHED for word in self._words[low:high]):
            return None
        if beside := self._beside(low, high):
            return beside
        orders = [each for each in self._orders if start <= each.start < end and not self._said.in_day(each.start)]
        orders, place = joined(orders)
        order = orders[0] if orders else None
        head = self._heads.find(low, high, order)
        if head is None or any(word.text in _NOT_ONE for word in self._words[low : head.at + 1]):
            return None
        begin = self._heads.begin(low, head.at, order)
        left = self._left(begin, high, head, order)
        left_out = is_denied(self._said.folded, self._words[begin].start)
        if not (order or left.telling or left_out):
            return None
        stop = max(self._words[max(left.last, head.at)].end, order.end if order else 0)
        chosen = list[int]()
        if left_out and order is None:
            # A word that tells nothing leaves nothing out.
            chosen = left.kept if len(left.kept) == 1 and not left.open else chosen
        elif not left.open and len(orders) <= 1 and (left_out or not self._depends(low, begin, high)):
            chosen = self._chosen(left, order, place, generic=head.generic, around=(begin, high))
        things = tuple(self._listing.records.things[n] for n in chosen)
        return Choice(self._words[begin].start, stop, things, left.key, head.generic, left_out)

    def _depends(self, low: int, begin: int, high: int) -> bool:
        """Whether the clause denies or only asks, or says when to do something: "before the last", "if it is"."""
        before = self._words[low:begin]
        asks = self._words[low].text in _ASKING and self._said.folded[self._words[high - 1].end :][:1] == "?"
        conditioned = any(word.text in _STEPS or word.text in _BOUNDING or word.text in _CONDITIONS for word in before)
        return asks or conditioned or in_denial(self._said.folded, self._words[begin].start)

    def _chosen(
        self, left: _Left, order: Comparison | Ordinal | None, place: int, *, generic: bool, around: tuple[int, int]
    ) -> list[int]:
        """The records that are left, in the order asked for; none where something else may be meant."""
        narrowed = self._narrowed(left.kept, *around, generic=generic)
        if order is None:
            kept = left.kept if len(left.kept) == 1 else narrowed.all
            # Several that meet every demand are not told apart.
            return kept if len(kept) == 1 else []
        chosen, left.key = self._ordering.ranked(order, narrowed.before, place)
        others = self._ordering.ranked(order, narrowed.all, place)[0] if narrowed.all != narrowed.before else chosen
        return chosen if chosen == others else []

    def _beside(self, low: int, high: int) -> Choice | None:
        """The record before or behind one that is named: "the track after Naima"."""
        for n in range(low + 1, high):
            step = _STEPS.get(self._words[n].text)
            at = n - 2 if self._words[n - 1].text in _RIGHT else n - 1
            if step is None or at < low or not (self._words[at].text in GENERIC or self._heads.is_noun(at)):
                continue
            words = (
                {stem(word.text) for word in self._words[n + 1 : high]} & self._listing.records.held & self._said.naming
            )
            anchors = [m for m, held in enumerate(self._listing.records.words) if words and words <= held]
            ranked = self._listing.records.in_order(range(len(self._listing.records.things)))
            begin = self._heads.begin(low, at, None)
            if len(anchors) != 1 or not ranked or is_denied(self._said.folded, self._words[begin].start):
                return None
            to = ranked.index(anchors[0]) + step
            picked = (self._listing.records.things[ranked[to]],) if 0 <= to < len(ranked) else ()
            generic = self._words[at].text in GENERIC
            if self._depends(low, begin, high):
                picked = ()
            return Choice(self._words[begin].start, self._words[high - 1].end, picked, "", generic)
        return None

    def _left(self, begin: int, high: int, head: Head, order: Comparison | Ordinal | None) -> _Left:
        left = _Left(list(range(len(self._listing.records.things))), last=head.at)
        mode, denied = _Mode.NAME, False
        skipped = set[int]()
        for n in range(begin, high):
            word = self._words[n]
            if n > head.at and mode is _Mode.NAME:
                mode = _Mode.BEHIND
            if order and word.start < order.end and order.start < word.end:
                self._by_signs(word.text, self._said.folded[order.start : order.end], left)
                continue
            if n in skipped:
                continue
            if (word.text in _BOUNDING or word.text in _SUBJECTS) and n > head.at and mode is not _Mode.PURPOSE:
                left.open = True
            elif word.text in WITHOUT:
                mode, denied = (_Mode.QUALIFYING if n > head.at else mode), True
            elif word.text in PURPOSE and n > head.at:
                mode, denied = _Mode.PURPOSE, False
            elif (word.text in WITH or word.text in _OTHERS) and n > head.at:
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
            self._by_day(day, left, n, mode)
            return {m for m, each in enumerate(self._words) if day.start <= each.start < day.end}
        if clocks := self._said.clocks_at(word.start):
            self._by_clock(clocks, left, n, mode)
            return {m for m, each in enumerate(self._words) if clocks[0].start <= each.start < clocks[0].end}
        if signed := self._signed_at(n):
            left.keep([signed[0] in words for words in self._listing.records.words], n + signed[1])
            return {n + 1}
        small = word.text in self._said.small and word.text not in _MEANT
        small = small and not (denied and word.text == "it")
        passed = small or word.text in GENERIC or number_at(word.text) or self._said.is_explained(n)
        if self._by_part(n, left) or passed or self._by_word(n, left, denied=denied):
            return set()
        if mode in (_Mode.NAME, _Mode.QUALIFYING) or denied:
            left.open = left.open or not self._is_known(n, mode, order)
        return set()

    def _by_signs(self, run: str, order: str, left: _Left) -> None:
        """Hold what a run of signs without spaces names besides its comparison against the records."""
        for _, name in names_in(run):
            if name in order or order in name or name in self._listing.nouns:
                continue
            held = self._listing.records.saying(name)
            if any(held):
                left.keep(held, left.last)
            elif not any(name in key for key in self._listing.records.keys):
                left.open = True

    def _by_part(self, n: int, left: _Left) -> bool:
        """Keep the records of a part of the day, unless the word stands in some record as it is."""
        word, listing = self._words[n], self._listing
        part = next((part for start, end, part in self._said.parts if start <= word.start < end), None)
        if (
            part is None
            or stem(word.text) in listing.records.held
            or (by_part := listing.records.by_daypart(part)) is None
        ):
            return False
        left.keep(by_part[1], n, key=by_part[0])
        return True

    def _by_word(self, n: int, left: _Left, *, denied: bool) -> bool:
        """Keep the records that have the word, or of which the field that it names says yes."""
        text, listing = self._words[n].text, self._listing
        known = stem(text)
        if not denied and (coded := listing.records.coded(text, self._said.word(n + 1))):
            left.keep(coded, n + 1)
            return True
        if known in listing.records.held and (known in self._said.naming or text.isdigit()) and not denied:
            if not text.isdigit() or len(text) >= _LONG_NUMBER:
                asked = not any(known in held for thing in listing.records.things for _, held in thing.words)
                left.keep([known in words for words in listing.records.words], n, key="asked" if asked else "")
            return True
        flag = listing.flag(text)
        if denied and text == "it":
            # "Turn renewal on for the one without it."
            flag = next((named for m in range(n - 1, -1, -1) if (named := listing.flag(self._said.word(m)))), None)
        if flag is None or not (denied or text.startswith("un") or listing.records.says(flag, text)):
            return False
        negative = denied is not text.startswith("un")
        left.keep([yes is not negative for yes in listing.records.flags[flag]], n, key=flag)
        return True

    def _is_known(self, n: int, mode: _Mode, order: Comparison | Ordinal | None) -> bool:
        """Whether a word that no record is held against may be left aside: it tells none from another."""
        text, listing = self._words[n].text, self._listing
        if self._said.word(n + 1).isdigit() and self._said.is_explained(n + 1):
            return True
        if (
            stem(text) in listing.nouns | listing.familiar | listing.records.common | listing.records.around
            or len(text) == 1
        ):
            return True
        if text in _OF_LISTS:
            return True
        # An adverb, or the verb at the end of a German clause.
        if text.endswith("ly") or (mode is not _Mode.NAME and text in self._said.verbs):
            return True
        # "The battery level": the second noun belongs to the field that the first one names.
        said = [text, self._said.word(n - 1)] if n else [text]
        about = any(
            word in words_of_key(key) or of_one_root(word, key) for key in listing.records.keys for word in said
        )
        return about or bool(order and listing.fields_named(text))

    def _signed_at(self, n: int) -> tuple[str, int] | None:
        """A short code with its sign, said or written: "O neg", "B+"; with how many words behind belong to it."""
        word = self._words[n]
        behind = self._words[n + 1].text if n + 1 < len(self._words) else ""
        sign = SIGNS.get(behind)
        for code, more in ((f"{word.text}{sign}", 1), (self._said.folded[word.start : word.end + 1], 0)):
            if SIGNED.fullmatch(code) and code in self._listing.records.held:
                return code, more
        return None

    def _by_day(self, day: Day, left: _Left, n: int, mode: _Mode) -> None:
        """Keep the records of a day or month; a column may stand for a day."""
        listing = self._listing
        column = next((key for key in listing.records.flags if day.days and heads_column(key, day.days)), None)
        said = [stem(word) for word in words_of(self._said.folded[day.start : day.end])]
        if column:
            left.keep(listing.records.flags[column], n, key=column)
        elif listing.records.dated:
            held = [day.holds(each) for each in listing.records.dated_days]
            # A day that no record has, and that nothing joins to it, is when to do what is asked for.
            if any(held) or mode is not _Mode.BEHIND:
                left.keep(held, n, key="day")
        elif words := [word for word in said if word in listing.records.held]:
            left.keep([all(word in held for word in words) for held in listing.records.words], n, key="asked")
        elif not self._said.is_used(day.start, day.end) and not listing.records.around.issuperset(said):
            left.open = True

    def _by_clock(self, clocks: Sequence[Moment], left: _Left, n: int, mode: _Mode) -> None:
        """Keep the records of a time of day."""
        held = [any(clock.clock in times for clock in clocks) for times in self._listing.records.clocks]
        if any(held):
            left.keep(held, n, key="time")
        elif mode in (_Mode.NAME, _Mode.QUALIFYING) and not self._said.is_used(clocks[0].start, clocks[0].end):
            left.open = True

    def _narrowed(self, kept: list[int], begin: int, high: int, *, generic: bool) -> "_Narrowed":
        """What is left by what is said beside the description, too."""
        before, every = kept, kept
        for n in range(len(self._words)):
            if begin <= n < high or self._said.is_explained(n):
                continue
            signed = self._signed_at(n)
            known = signed[0] if signed else stem(self._words[n].text)
            if not signed and (known not in self._said.naming or known.isdigit()):
                continue
            if self._said.in_day(self._words[n].start):
                continue
            having = {m for m in kept if known in self._listing.records.words[m]}
            if having and len(having) < len(kept):
                every = [m for m in every if m in having]
                before = [m for m in before if m in having] if generic and n < begin else before
        return _Narrowed(before, every)


class _Narrowed(NamedTuple):
    """Records that are left by words beside a description."""

    before: list[int]
    """By those before "one", which says that they were named before."""
    all: list[int]
    """By all of them."""
