"""Options and set points that the tool's document words in its prose: "stoneware at 1240, porcelain at 1300"."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from reviews.provenance.core.context import Span, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.comparisons import daypart_words
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.naming import STOP
from reviews.provenance.request.parts import fits, part_of_mention, part_of_parameter
from reviews.provenance.text.boundaries import stands_alone
from reviews.provenance.text.fold import fold
from reviews.provenance.text.stems import stem

# Characters of a document that are read for options; what they are is said early.
_READ = 4_000
# What stands between two options of a list.
_BETWEEN = re.compile(r"[,;\n]|[.:]\s|\bor\b|\band\b")
# A code or a set point: it has a figure, or is all in capitals.
_OPTION = re.compile(
    r"(?<![\w.-])(?:[A-Z]{0,4}-?\d+(?:\.\d+)?[A-Za-z]?|[A-Z]{1,4}|[a-z]{2,}(?:-[a-z]+)*-\d+|[a-z](?= ?[=:] ))"
    r"(?![\w-]|\.\d)"
)
_WORD = re.compile(r"[^\W\d_]{3,}")
# "medium (128 kbps)": an option with what it stands for.
_EXPLAINED = re.compile(r"(?<![\w-])(?P<option>[A-Za-z][\w-]{1,30}) \((?P<words>[^()\n]{2,60})\)")
_QUANTITY = re.compile(r"(?<![\w.,])(?P<number>\d{1,9}(?:[.,]\d{1,3})?) ?(?P<unit>[^\W\d_]{1,12}|%)(?!\w)")
# Quantities of a message that may tell an option.
_MOST_QUANTITIES = 32
# Options of one kind, at least: a single figure in a document is a bound or an example.
_FEWEST = 2


@dataclass(frozen=True)
class _SetPoint:
    """One option of a document with the words that tell when it is meant."""

    value: str
    start: int
    """Offset in the document's description."""
    words: frozenset[str]


def set_point(leaf: Leaf, evidence: Evidence) -> tuple[Found | None, Found | None]:
    """What speaks for the value and what against it, where the user's words name one of the document's options."""
    tool = leaf.tool
    if tool is None or not leaf.text:
        return None, None
    # Options that are written like the value: figures for figures, a letter for a letter.
    listed, shape = (*_options(leaf.description), *_options(tool.description)), _shape(leaf.text)
    options = [each for each in listed if _shape(each.value) == shape]
    own = [each for each in options if fold(each.value) == leaf.folded]
    if not own or len({each.value for each in options}) < _FEWEST:
        return None, None
    spoken, parts = frozenset(evidence.words[0]), _parts_of_the_day(evidence)
    by_word = {**_quantities_said(evidence), **parts}
    telling = {each.value: each.words & (spoken | by_word.keys()) for each in options}
    named = {
        value: evidence.references.spans(words) or tuple(by_word[word] for word in words & by_word.keys())
        for value, words in telling.items()
        if words
    }
    option = _option_for(leaf, named, evidence)
    if option is None or not (where := named[option]):
        return None, None
    if fold(option) == leaf.folded:
        at = _span_of(tool, leaf, own[0])
        note = f"The tool's document gives it for “{where[0].quote[:40]}”."
        return Found(Grounding.RESOLVE, (*where, *((at,) if at else ())), note), None
    note = f"For “{where[0].quote[:40]}” the tool's document has {option}, not {shortened(leaf.text, 20)}."
    return None, Found(Grounding.UNGROUNDED, (), note, nearest=where[0], against=where)


def _parts_of_the_day(evidence: Evidence) -> Mapping[str, Span]:
    """By the stem of its English word, the parts of the day that the last message names in any language."""
    texts = evidence.spoken[:1]
    return {stem(part): text.span(start, end) for text in texts for start, end, part in daypart_words(text.folded.text)}


def _quantities_said(evidence: Evidence) -> Mapping[str, Span]:
    """The quantities of the last message, as options are told by them: "at 128 kbps"."""
    texts = evidence.spoken[:1]
    hits = ((text, hit) for text in texts for hit in islice(_QUANTITY.finditer(text.folded.text), _MOST_QUANTITIES))
    return {_quantity(hit): text.span(*hit.span()) for text, hit in hits}


def _quantity(hit: re.Match[str]) -> str:
    return f"{hit['number'].replace(',', '.')} {stem(fold(hit['unit']))}"


def _option_for(leaf: Leaf, named: Mapping[str, tuple[Span, ...]], evidence: Evidence) -> str | None:
    """Which of the named options is meant for this parameter: of several, the one that is said in its part."""
    part = part_of_parameter(leaf.name, leaf.description)
    if len(named) == 1 or part is None:
        return next(iter(named)) if len(named) == 1 else None
    texts = {text.source.id: text for text in evidence.spoken}
    parts = {
        value: part_of_mention(fold(texts[spans[0].source].source.text), spans[0].start, spans[0].end)
        for value, spans in named.items()
        if spans and spans[0].source in texts
    }
    fitting = [value for value, said_as in parts.items() if said_as and fits(said_as, part) > 0]
    remaining = [value for value, said_as in parts.items() if not said_as]
    candidates = fitting or remaining
    return candidates[0] if len(candidates) == 1 else None


@lru_cache(maxsize=512)  # a tool's document is the same in every call of a conversation
def _options(description: str) -> tuple[_SetPoint, ...]:
    """The options that a text lists, each with the words beside it that no other of them has."""
    found = list(_set_points_in(description[:_READ]))
    return tuple(
        _SetPoint(each.value, each.start, each.words.difference(*(other.words for other in found if other is not each)))
        for each in found
    )


def _set_points_in(text: str) -> Iterator[_SetPoint]:
    at = 0
    for piece in _BETWEEN.split(text):
        start = text.index(piece, at)
        at = start + len(piece)
        hits = [hit for hit in _OPTION.finditer(piece) if stands_alone(text, start + hit.start(), start + hit.end())]
        explained = _EXPLAINED.search(piece)
        if explained and all(hit.start() >= explained.start("words") for hit in hits):
            quantities = map(_quantity, _QUANTITY.finditer(explained["words"]))
            words = _words_of(explained["words"]).union(quantities)
            yield _SetPoint(explained["option"], start + explained.start("option"), words)
        # A piece with two figures says more than one thing.
        elif len(hits) == 1:
            words = _words_of(piece) - {stem(fold(hits[0].group()))}
            yield _SetPoint(hits[0].group(), start + hits[0].start(), words)


def _words_of(piece: str) -> frozenset[str]:
    return frozenset(stem(fold(word)) for word in _WORD.findall(piece) if fold(word) not in STOP)


def _shape(text: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+(?:\.\d+)?", "9", fold(text)))


def _span_of(tool: ToolDoc, leaf: Leaf, option: _SetPoint) -> Span | None:
    """Where the document says the option; None where its text writes it with escapes."""
    described = tool.description.startswith(option.value, option.start)
    at = len(tool.name) + 1 + option.start if described else tool.text.find(option.value, tool.text.find(leaf.name))
    return Span(f"tool/{tool.name}", at, at + len(option.value), option.value) if at >= 0 else None
