"""What a request says of the record that it takes: which of them in time, the noun, and the words that describe it.

Nothing is read here but words of order, known words, and where quotations, names and periods stand.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from itertools import takewhile
from typing import Final

from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.words import ARTICLES, PREPOSITIONS
from reviews.provenance.terms.search import cells_with
from reviews.provenance.text.boundaries import blank_places
from reviews.provenance.text.names import root_of, stem_of
from reviews.provenance.text.quotations import QUOTATION
from reviews.provenance.text.replies import courtesies_in
from reviews.provenance.values.relative_days import past_periods_in


class Take(StrEnum):
    """Which of the records that are described."""

    LATEST = "latest"
    EARLIEST = "earliest"
    ALL = "all"


ALL_WORDS: Final = frozenset({"all"})
"""Words that take each record: to what governs one alone they are turns."""
_TAKES: Final = {
    **dict.fromkeys(("last", "latest", "newest", "most recent"), Take.LATEST),
    **dict.fromkeys(("first", "earliest", "oldest"), Take.EARLIEST),
    **dict.fromkeys(ALL_WORDS, Take.ALL),
}
# What leads from the noun to what describes it; "to" leads to somewhere else.
_DESCRIBING: Final = frozenset({"about", "from", "by", "with", "of"})
# And what leads to when it is from: an email "about last week" was sent at any time. (A period has no word of its own.)
_DATING: Final = frozenset({"", "from", "of"})
_WORD: Final = re.compile(r"most recent(?!\w)|[^\W_]+(?:'[^\W_]+)*")
# Words of one description: of more nobody is sure.
_MAX_KEYS: Final = 4
# Characters of a sentence that may describe a record: a longer one says more than that.
_MAX_SENTENCE: Final = 2_000


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a quotation or a period of the request."""

    start: int
    end: int
    word: str
    is_quoted: bool = False
    period: tuple[date, date] | None = None
    leading: str = ""
    """The word that leads to it, of what describes a record."""

    @property
    def is_owner(self) -> bool:
        """Whether it says that something is somebody's."""
        return self.word.endswith("'s")

    @property
    def bare_word(self) -> str:
        """It without what says that something is somebody's."""
        return self.word if self.is_quoted else self.word.removesuffix("'s")


@dataclass(frozen=True, slots=True)
class Description:
    """What the request says of the record that it takes."""

    text: SourceText
    take: Take
    noun: frozenset[str]
    keys: tuple[Token, ...]
    """Words and quotations that stand in its fields."""
    periods: tuple[tuple[date, date], ...]
    places: tuple[tuple[int, int], ...]
    """Of the words that take the record."""
    rest: tuple[Token, ...]
    """What else the request says."""


def read_description(call: ProposedCall, request: Request) -> Description | None:
    """A word of order, the noun, and what describes it; None where more stands there."""
    if request.sentence.end - request.end > _MAX_SENTENCE:
        return None
    tokens = _tokens_behind(request, call.evidence.now)
    call.evidence.budget.spend(1 + len(tokens))
    orders = [n for n, token in enumerate(tokens) if not token.is_quoted and token.word in _TAKES]
    if len(orders) != 1:
        return None
    order = orders[0]
    opening = tuple(takewhile(lambda token: token.is_owner or token.word in ARTICLES | {"of"}, tokens[order + 1 :]))
    keys = [token for token in (*tokens[:order], *opening) if token.is_owner]
    if not all(token.is_owner or _says_nothing(token, call) for token in tokens[:order]):
        return None
    behind = tokens[order + 1 + len(opening) :]
    nouns = tuple(takewhile(lambda token: not token.is_quoted and root_of(token.word) in call.known_words, behind))
    noun, end = frozenset(stem_of(token.word) for token in nouns), order + 1 + len(opening) + len(nouns)
    while len(keys) <= _MAX_KEYS and (described := _next_key(tokens, end, call)):
        keys.append(described)
        end = next(n for n, token in enumerate(tokens, start=1) if token.start == described.start)
    if not noun or len(keys) > _MAX_KEYS:
        return None
    places = tuple((token.start, token.end) for token in (*keys, *tokens[order:end]))
    periods = tuple(token.period for token in keys if token.period)
    words = tuple(token for token in keys if token.period is None)
    return Description(request.text, _TAKES[tokens[order].word], noun, words, periods, places, tokens[end:])


def _next_key(tokens: tuple[Token, ...], end: int, call: ProposedCall) -> Token | None:
    """What describes the record next: a period, or what stands behind a describing word."""
    rest = tokens[end:]
    leading = rest[0].word if rest else ""
    if rest and not rest[0].period:
        rest = rest[1:] if leading in _DESCRIBING else ()
    key = rest[0] if rest else None
    if key and key.period and leading not in _DATING:
        return None
    is_free = key is not None and key.word not in ARTICLES and not call.is_used(key.start, key.end)
    return replace(key, leading=leading) if key and is_free else None


def _tokens_behind(request: Request, now: datetime | None) -> tuple[Token, ...]:
    """The words, the quotations and the periods behind the verb, in order."""
    text, at = request.text.folded, request.end
    quotations = [hit for hit in QUOTATION.finditer(text, at) if hit.start() < request.sentence.end]
    tokens = [Token(*hit.span(), hit[0][1:-1], is_quoted=True) for hit in quotations]
    periods = past_periods_in(text, now.date()) if now else iter(())
    tokens += [Token(start, end, "", period=period) for start, end, period in periods if start >= at]
    rest = blank_places(text, ((token.start, token.end) for token in tokens))
    tokens += [Token(*hit.span(), hit[0]) for hit in _WORD.finditer(rest, at, request.sentence.end)]
    return tuple(sorted(tokens, key=lambda token: token.start))


def _says_nothing(token: Token, call: ProposedCall) -> bool:
    """Whether a word is known, or only joins others."""
    if token.is_quoted or token.period:
        return False
    return token.word in ARTICLES | PREPOSITIONS | {"and"} or root_of(token.word) in call.known_words


def is_rest_used(description: Description, request: Request, call: ProposedCall) -> bool:
    """Whether values of the call, or what other values were looked up with, take up what else the request says."""
    data, leaves = call.evidence.data, call.decisive
    # Names that nothing of the call was looked up with are left out of it.
    tools = {text.step.tool for text in data if text.step and any(any(cells_with(leaf, text)) for leaf in leaves)}
    looked_up = call.looked_up_names([text for text in data if text.step and text.step.tool in tools])
    places = {name.place for name in looked_up}
    polite = list(courtesies_in(request.text.folded))
    return all(
        _says_nothing(token, call)
        or any(start <= token.start and token.end <= end for start, end in polite)
        or call.is_used(token.start, token.end)
        or (token.start, token.end) in places
        for token in description.rest
    )
