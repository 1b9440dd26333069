"""What a request says of the record that it takes: which of them in time, the noun, and the words that describe it.

Nothing is read here but words of order, known words, and where quotations, names and periods stand.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.named_record import scalars_with
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.words import ARTICLES, PREPOSITIONS, known_words
from reviews.provenance.text.names import stem_of
from reviews.provenance.text.quotations import QUOTATION
from reviews.provenance.text.replies import courtesies_in
from reviews.provenance.values.relative_days import Period, past_periods_in


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
_WORD: Final = re.compile(r"most recent(?!\w)|[^\W_]+(?:'[^\W_]+)*")
# Words of one description: of more nobody is sure.
_MAX_KEYS: Final = 4


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a quotation or a period of the request."""

    start: int
    end: int
    word: str
    is_quoted: bool = False
    period: Period | None = None

    @property
    def said(self) -> str:
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
    periods: tuple[Period, ...]
    places: tuple[tuple[int, int], ...]
    """Of the words that take the record."""
    rest: tuple[Token, ...]
    """What else the request says."""


def read_description(call: ProposedCall, request: Request) -> Description | None:
    """What takes a record behind the verb: a word of order, the noun, and what describes it; None where more does.

    Raises `OutOfBudgetError`.
    """
    tokens = tuple(_tokens_behind(request, call.evidence.now))
    call.evidence.budget.spend(1 + len(tokens))
    orders = [n for n, token in enumerate(tokens) if not token.is_quoted and token.word in _TAKES]
    if len(orders) != 1:
        return None
    order, known_stems = orders[0], known_words(call)
    keys = [token for token in tokens[:order] if token.word.endswith("'s")]
    if not all(_says_nothing(token, known_stems) for token in tokens[:order] if token not in keys):
        return None
    begin = order + 1
    while begin < len(tokens) and (tokens[begin].word in ARTICLES | {"of"} or tokens[begin].word.endswith("'s")):
        keys += [tokens[begin]] if tokens[begin].word.endswith("'s") else []
        begin += 1
    end = begin
    while end < len(tokens) and not tokens[end].is_quoted and stem_of(tokens[end].word) in known_stems:
        end += 1
    noun = frozenset(stem_of(token.word) for token in tokens[begin:end])
    while len(keys) <= _MAX_KEYS and (described := _next_key(tokens, end, request, call)):
        keys.append(described)
        end = tokens.index(described) + 1
    if not noun or len(keys) > _MAX_KEYS:
        return None
    places = tuple((token.start, token.end) for token in (*keys, *tokens[order:end]))
    periods = tuple(token.period for token in keys if token.period)
    words = tuple(token for token in keys if token.period is None)
    return Description(request.text, _TAKES[tokens[order].word], noun, words, periods, places, tokens[end:])


def _next_key(tokens: tuple[Token, ...], end: int, request: Request, call: ProposedCall) -> Token | None:
    """What describes the record next: a period, or what stands behind a describing word."""
    key = next((token for token in tokens[end : end + 1] if token.period), None)
    if key is None and tokens[end : end + 1] and tokens[end].word in _DESCRIBING:
        key = next(iter(tokens[end + 1 : end + 2]), None)
    if key is None or key.word in ARTICLES or call.is_used(request.text, key.start, key.end):
        return None
    return key


def _tokens_behind(request: Request, now: datetime | None) -> Iterator[Token]:
    """The words, the quotations and the periods behind the verb, in order."""
    text, at = request.text.folded, request.end
    quotations = [hit for hit in QUOTATION.finditer(text, at) if hit.start() < request.sentence.end]
    tokens = [Token(*hit.span(), hit[0][1:-1], is_quoted=True) for hit in quotations]
    periods = past_periods_in(text, now.date()) if now else iter(())
    tokens += [Token(period.start, period.end, "", period=period) for period in periods if period.start >= at]
    characters = list(text)
    for token in tokens:
        characters[token.start : token.end] = " " * (token.end - token.start)
    words = _WORD.finditer("".join(characters), at, request.sentence.end)
    tokens += [Token(*hit.span(), hit[0]) for hit in words]
    return iter(sorted(tokens, key=lambda token: token.start))


def _says_nothing(token: Token, known_stems: frozenset[str]) -> bool:
    """Whether a word is known, or only joins others."""
    if token.is_quoted or token.period:
        return False
    return token.word in ARTICLES | PREPOSITIONS | {"and"} or stem_of(token.word) in known_stems


def is_rest_used(description: Description, request: Request, call: ProposedCall) -> bool:
    """Whether values of the call, or what other values were looked up with, take up what else the request says."""
    known_stems = known_words(call)
    # Names that nothing of the call was looked up with are left out of it.
    tools = {text.step.tool for text in call.evidence.data if text.step and _gives_value(text, call)}
    looked_up = call.looked_up_names([text for text in call.evidence.data if text.step and text.step.tool in tools])
    places = {(name.start, name.end) for name in looked_up if name.said_in is request.text}
    polite = list(courtesies_in(request.text.folded))
    return all(
        _says_nothing(token, known_stems)
        or any(start <= token.start and token.end <= end for start, end in polite)
        or call.is_used(request.text, token.start, token.end)
        or (token.start, token.end) in places
        for token in description.rest
    )


def _gives_value(text: SourceText, call: ProposedCall) -> bool:
    return any(next(scalars_with(leaf, text), None) is not None for leaf in call.decisive)
