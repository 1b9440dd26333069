"""The noun that a description turns on, and where the description begins."""

from typing import NamedTuple

from reviews.provenance.request.comparisons import NAMED, Comparison, Ordinal
from reviews.provenance.request.listing import Listing
from reviews.provenance.request.naming import STOP
from reviews.provenance.request.ordering import Ordering
from reviews.provenance.request.sentences import ARTICLES, GENERIC, Sentences
from reviews.provenance.request.superlatives import number_at
from reviews.provenance.text.stems import stem

# What joins a word that qualifies to what it qualifies, and what denies it there.
WITH = frozenset(
    "with having has have had in at from of on that which who near by mit im am aus von en con del de di da com met "
    "van avec du dans".split()
)
WITHOUT = frozenset("without no not never isn hasn wasn doesn lacks lacking ohne sans sin senza sem zonder".split())
# What begins a part of the clause that says what is to be done with the record.
PURPOSE = frozenset(
    "to for into onto until till as so because if when please fur zu para por pour per voor om zodat".split()
)
# How people say the signs that end a short code: O neg, B plus.
SIGNS = {"neg": "-", "negative": "-", "minus": "-", "pos": "+", "positive": "+", "plus": "+"}
# What joins a comparison to what it is chosen from: "the older of our plots".
_OF = frozenset("of among von unter de d di da do dos das van parmi entre tra fra".split())
# Words before a noun in which its article stands.
_REACH = 6


class Head(NamedTuple):
    """The word that a description turns on."""

    at: int
    generic: bool


class Heads:
    """Finds the heads of one text."""

    def __init__(self, said: Sentences, listing: Listing, ordering: Ordering) -> None:
        self._said, self._listing, self._ordering = said, listing, ordering
        self._words = said.words

    def find(self, low: int, high: int, order: Comparison | Ordinal | None) -> Head | None:
        """What the clause speaks of; None for a thing that this list does not hold."""
        if order is None:
            named = sorted((n for n in range(low, high) if self.is_noun(n)), key=lambda n: not self._is_kind(n))
            generic = [n for n in range(low, high) if self._words[n].text in GENERIC]
            at = next(iter((*generic, *named)), None)
            return None if at is None else Head(at, generic=at in generic)
        first = next((n for n in range(low, high) if self._words[n].end >= order.end), high - 1)
        run = self._run(first + 1, high)
        for n in run:
            if self._words[n].text in GENERIC:
                return Head(n, generic=True)
        if run:
            if self._names_column(run[0], order) and not any(map(self._is_kind, run)):
                # "The bed with the lowest moisture": the thing stands before what is compared.
                if not any(map(self._listing.records.has_order, self._listing.fields_named(self._words[run[0]].text))):
                    return None
                before = [n for n in range(low, first) if self._is_kind(n) or self._words[n].text in GENERIC]
                return Head(before[0] if before else run[0], generic=not before or not self._is_kind(before[0]))
            named = [n for n in run if self.is_noun(n)]
            # "The latest meetings" are several, and nobody says how many.
            several = bool(named) and self._is_plural(named[-1]) and self._ordering.count(order) == 1
            return Head(named[-1], generic=False) if named and not several else None
        return self._apart(low, high, order, first)

    def _apart(self, low: int, high: int, order: Comparison | Ordinal, first: int) -> Head | None:
        """The head of "the older of our plots", "the hive that is lightest", "la colmena mas ligera"."""
        behind = [n for n in range(first + 1, high) if self.is_noun(n)]
        if behind and self._words[first + 1].text in _OF:
            return Head(behind[-1] if self._words[behind[-1]].text in SIGNS else behind[0], generic=False)
        at = next(n for n in range(low, high) if self._words[n].end > order.start)
        for n in range(at - 1, low - 1, -1):
            if self._words[n].text in GENERIC:
                return Head(n, generic=True)
            if self.is_noun(n) and not self._words[n].quote:
                return Head(n, generic=False)
        before = self._words[at - 1].text if at > low else ""
        # "First, look": alone, a place in a list needs its article.
        alone = ARTICLES if isinstance(order, Ordinal) else self._said.small | {""}
        stands_alone, verb = before in alone, self._ordering.key(order) is not None
        return Head(first, generic=True) if stands_alone or verb else None

    def _run(self, low: int, high: int) -> list[int]:
        """The content words that stand together from here on."""
        found: list[int] = []
        for n in range(low, high):
            text = self._words[n].text
            if text in self._said.small or text in PURPOSE or text in WITH or text in WITHOUT:
                break
            if text in GENERIC or not number_at(text):
                found.append(n)
        return found

    def is_noun(self, n: int) -> bool:
        """Whether a word is what the records of the list go by, or stands in some of them as a kind does."""
        text = self._words[n].text
        if text in STOP or self._said.is_explained(n) or text.isdigit():
            return False
        return stem(text) in self._listing.nouns or (
            stem(text) in self._listing.records.held and stem(text) in self._said.naming
        )

    def _is_plural(self, n: int) -> bool:
        return self._words[n].text.endswith("s") and stem(self._words[n].text) != self._words[n].text

    def _is_kind(self, n: int) -> bool:
        """Whether a word is what the records of the list go by."""
        return stem(self._words[n].text) in self._listing.nouns

    def _names_column(self, n: int, order: Comparison | Ordinal) -> bool:
        """Whether a word names the field that a comparison is about: "the lowest price"."""
        named = isinstance(order, Comparison) and NAMED in dict(order.senses)
        return named and bool(self._listing.fields_named(self._words[n].text))

    def begin(self, low: int, head: int, order: Comparison | Ordinal | None) -> int:
        """The article, or the owner, that the description begins with."""
        at = next((n for n in range(low, head + 1) if order and self._words[n].end > order.start), head)
        at = min(at, head)
        for n in range(at - 1, max(low - 1, at - _REACH), -1):
            if self._words[n].text in ARTICLES:
                return n
            if self._words[n].text == "s" and n > low:
                return n - 1
        return at
