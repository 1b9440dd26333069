"""Reads the clauses of a request that select things of one kind.

A clause is read around a noun that a list of records goes by. What it says and rules cannot check leaves it open: then
it still excludes, but picks nothing out.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import islice, zip_longest

from reviews.provenance.records.index import Indexed
from reviews.provenance.request.clauses import TRAITS, Clause, Demand, Phrase, Trait
from reviews.provenance.request.naming import STOP
from reviews.provenance.request.superlatives import ORDER_WORDS, By, Order, number_at, order_at
from reviews.provenance.request.words import Word, words_in
from reviews.provenance.text.stems import stem

# Words and clauses of a message, words of a run and of what follows it: people select in fewer.
_MOST_WORDS, _MOST_CLAUSES, _RUN, _TAIL = 2000, 16, 10, 24
GENERIC = frozenset({"ones", "one"})
"""Nouns that stand for the thing named before."""
# Words that open a noun.
_ARTICLES = frozenset("the a an my our his her their these those this that all any each every both some no".split())
# Words that end the noun before them.
_ENDS_BEFORE = frozenset(
    "to from with about on at by for into onto regarding that which who whom i you we they he she can could would will "
    "should please if when then so because without except has have had is are was were".split()
)
# Words that end what qualifies it.
_ENDS_AFTER = frozenset("into onto so because if when unless otherwise then please can could would as".split())
# "Assigned to Ann" qualifies, "to Ann" is where something goes.
_BEFORE_TO = frozenset("assigned belonging sent addressed due related".split())
# Verbs: a noun does not begin with one.
_DOING = frozenset(
    "send email mail delete remove cancel forward reply move reassign assign update change rename create add make book "
    "schedule pay tell give share let put set mark invite notify".split()
)
# Words that qualify nothing by themselves.
_FILLER = frozenset(
    "interested assigned belonging sent received scheduled currently still stage status state marked list board column "
    "owned held made written called regarding concerning titled named person people more calendar ones one either or "
    "due dated planned happening taking place bunch few lot couple new just".split()
)
# Denials, limits and clauses with a subject of their own.
_CHECKED_BY_NOBODY = frozenset(
    "not no without except excluding never nor haven hasn isn aren don doesn didn won wasn weren than over under above "
    "below between before after since until older newer later earlier i you we they he she who whose".split()
)
# "Ann has overdue tasks": whose they are stands before.
_HAVING = frozenset({"has", "have", "had", "got"})
# What joins a noun to what compares it: "the bed with the lowest moisture".
_JOINING = frozenset({"with", "having"})
# Words of number, which select nothing.
_QUANTITIES = frozenset("a any some several many few couple bunch lot lots of all every".split())
# Pronouns that name no one.
_NOBODY = frozenset("everyone everybody nobody someone somebody anyone anybody everything nothing there".split())
# Words that select all of a kind.
_MANY = frozenset({"all", "any", "each", "every", "both"})
# Periods are read by the calendar, not as names.
_PERIOD = re.compile(
    r"\b(?:days?|weeks?|fortnights?|months?|years?|since|so far|to date|until now)\b|^(?:in|of|during|for|throughout) "
)
# Words that no record is searched for.
_SILENT = STOP | _FILLER | _ARTICLES | TRAITS.keys() | {"s"}


def clauses_in(text: Indexed, kind: frozenset[str], values: frozenset[str] = frozenset()) -> tuple[Clause, ...]:
    """Every clause of a text that selects things of this kind.

    `values` are words the things are sorted by: "leads" are the things whose status is Lead.
    """
    words = list(islice(words_in(text.folded.text), _MOST_WORDS))
    found: list[Clause] = []
    for head in islice(_heads(words, kind, values), _MOST_CLAUSES):
        clause = _Reader(text, words, head, valued=stem(words[head].text) in values).clause()
        if clause and clause.anaphoric and found:
            before = found.pop()
            clause = replace(clause, demands=before.demands + clause.demands, phrases=before.phrases + clause.phrases)
        found += [clause] if clause else []
    return tuple(found)


def _heads(words: list[Word], kind: frozenset[str], values: frozenset[str]) -> Iterator[int]:
    for n, word in enumerate(words):
        noun = stem(word.text)
        if not word.quote and (noun in kind or word.text in GENERIC or (noun in values and noun != word.text)):
            yield n


class _Reader:
    """Reads one clause around its head noun."""

    def __init__(self, text: Indexed, words: list[Word], head: int, *, valued: bool) -> None:
        self._text, self._words, self._head = text, words, head
        self._noun = (_phrase([words[head]]),) if valued else ()
        self._plural = words[head].text != stem(words[head].text)
        self._open = False
        self._masks = [(m.start, m.end) for m in islice(text.moments, _MOST_WORDS) if not self._has_hyphen(m.end)]

    def clause(self) -> Clause | None:
        """The clause, or None when it selects nothing: "a meeting", "the email"."""
        anchor = self._anchor()
        order, run = self._order(anchor)
        apart = None if order else self._order_apart()
        owner = self._owner(anchor, run)
        before, after = self._words[run : self._head], [] if apart else self._tail()
        soon = [Demand(order.start, order.end, Trait.FUTURE)] if order and order.by is By.NEXT else []
        demands = [*soon, *self._traits(before), *self._traits(after)]
        if order and self._plural and order.count == 1:
            order, self._open = None, True
        order = order or apart
        if not (order or self._plural or demands):
            return None
        start = min([self._words[run].start, *([order.start] if order else []), *(each.start for each in owner)])
        start = self._day_before(anchor) or start
        end = after[-1].end if after else self._words[self._head].end
        days = tuple(self._days(start, end))
        phrases = (*owner, *self._noun, *self._phrases(before, whole=True), *self._phrases(after, whole=False))
        if not (order or demands or days or phrases or self._open):
            return None
        anaphoric = self._words[self._head].text in GENERIC
        return Clause(self._text, start, end, order, (*demands, *days), phrases, self._open, anaphoric)

    def _anchor(self) -> int | None:
        """The last article, comparison or possessive before the noun; else where its traits begin."""
        low = self._head
        while low > 0 and self._head - low < _RUN and not self._words[low].breaks:
            before = self._words[low - 1]
            if before.quote or before.text in _ENDS_BEFORE:
                return None
            low -= 1
            if before.text in _ARTICLES | ORDER_WORDS or self._is_possessive(low):
                return low
        return None

    def _is_possessive(self, at: int) -> bool:
        word = self._words[at]
        return at > 0 and word.text == "s" and self._text.folded.text[word.start - 1] == "'"

    def _owner(self, anchor: int | None, run: int) -> tuple[Phrase, ...]:
        """Whose things they are: "kofi's last email", "kofi has a few overdue tasks"."""
        at = anchor if anchor is not None else run - 1
        while at > 0 and self._words[at].text in ORDER_WORDS | _QUANTITIES:
            at -= 1
        if at < 1 or not (self._is_possessive(at) or self._words[at].text in _HAVING):
            return ()
        name, before = self._words[at - 1], self._words[at - 2].text if at > 1 else ""
        if name.text in STOP | _NOBODY or self._is_masked(name):
            return ()
        bare = before not in _ARTICLES - _MANY | ORDER_WORDS
        return (Phrase(name.start, name.end, frozenset({stem(name.text)}), owner=bare),)

    def _day_before(self, anchor: int | None) -> int | None:
        """Where the day of "tomorrow's meetings" begins."""
        if not anchor or not self._is_possessive(anchor):
            return None
        day = self._words[anchor - 1]
        return next((start for start, end in self._masks if start <= day.start and day.end <= end), None)

    def _order(self, anchor: int | None) -> tuple[Order | None, int]:
        """The comparison asked for, and where the words between it and the noun begin."""
        if anchor is None:
            run = self._head
            while run and self._words[run - 1].text in TRAITS and not self._words[run].breaks:
                run -= 1
            return None, run
        word = self._words[anchor]
        if word.text not in ORDER_WORDS or self._is_masked(word):
            return None, anchor + 1
        # "The next year-end review" is no next year.
        read = [
            (each.start, each.end, f"{each.text}-" if n and self._has_hyphen(each.end) else each.text)
            for n, each in enumerate(self._words[anchor : self._head + 1])
        ]
        order, behind = order_at(read, 0) or (None, 1)
        several = number_at(self._words[anchor - 1].text) if anchor else 0
        if order and several and order.count == 1:
            order = replace(order, count=several)
        return order, min(anchor + behind, self._head)

    def _order_apart(self) -> Order | None:
        """The comparison of "the bed with the lowest moisture" and of "the cheapest of the three tents"."""
        words, at = self._words, self._head + 1
        if at + 1 < len(words) and words[at].text in _JOINING and not words[at].breaks:
            at += 2 if words[at + 1].text in _ARTICLES else 1
            read = [(each.start, each.end, each.text) for each in words[at : at + 4]]
        else:
            at = self._head - 1
            while at > 0 and (words[at].text in _ARTICLES or number_at(words[at].text)):
                at -= 1
            if at < 1 or words[at].text != "of":
                return None
            read = [(each.start, each.end, each.text) for each in words[at - 1 : at]]
        found = order_at(read, 0) if read and read[0][2] in ORDER_WORDS else None
        return found[0] if found else None

    def _tail(self) -> list[Word]:
        found: list[Word] = []
        for word in self._words[self._head + 1 : self._head + 1 + _TAIL]:
            before = found[-1].text if found else ""
            if word.breaks or self._ends_tail(word, before):
                break
            found.append(word)
        while found and found[-1].text in STOP:
            found.pop()
        return found

    def _ends_tail(self, word: Word, before: str) -> bool:
        if word.quote:
            # "with 'Thanks'" is what to write, "about 'Thanks'" is what the thing is about.
            return before in ("with", "saying", "says", "and", "to", "it")
        if word.text in _CHECKED_BY_NOBODY or (word.text in ORDER_WORDS and not self._is_masked(word)):
            self._open = True
            return True
        if word.text == "to":
            return before not in _BEFORE_TO
        return word.text in _ENDS_AFTER or (
            before in ("and", "by", "for") and (word.text in _DOING or word.text[0].isdigit())
        )

    def _traits(self, words: list[Word]) -> Iterator[Demand]:
        for word, following in zip_longest(words, words[1:]):
            trait = None if word.quote or self._is_masked(word) else TRAITS.get(word.text)
            if trait and not (trait is Trait.PAST and following):
                yield Demand(word.start, word.end, trait)

    def _has_hyphen(self, at: int) -> bool:
        return self._text.folded.text[at : at + 1] == "-"

    def _is_masked(self, word: Word) -> bool:
        return any(start <= word.start and word.end <= end for start, end in self._masks)

    def _days(self, start: int, end: int) -> Iterator[Demand]:
        """The days named; a period such as "last week" leaves the clause open."""
        named: dict[tuple[int, int], set[date]] = {}
        for moment in islice(self._text.moments, _MOST_WORDS):
            if moment.day and start <= moment.start and moment.end <= end:
                named.setdefault((moment.start, moment.end), set()).add(moment.day)
        for span, days in named.items():
            if _PERIOD.search(self._text.folded.text[slice(*span)]):
                self._open = True
            else:
                yield Demand(*span, days=frozenset(days))

    def _phrases(self, words: list[Word], *, whole: bool) -> Iterator[Phrase]:
        """Words that name: a quotation, the words before the noun, the words between two prepositions."""
        part: list[Word] = []
        for word in words:
            silent = not word.quote and (word.text in _SILENT or self._is_masked(word))
            turned = bool(part) and word.quote != part[-1].quote
            if part and (turned or (silent and not whole)):
                yield _phrase(part)
                part = []
            part += [] if silent else [word]
        if part:
            yield _phrase(part)


def _phrase(words: list[Word]) -> Phrase:
    return Phrase(words[0].start, words[-1].end, frozenset(stem(word.text) for word in words))
