"""The words of a text that can name a record: nouns, codes, numbers with their noun, days and times."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import MINYEAR, timedelta
from functools import cache, lru_cache
from itertools import chain

from reviews.provenance.core.context import Span
from reviews.provenance.language.base import language_verbs, languages, languages_of, phrases
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.negation import in_denial, is_denied
from reviews.provenance.text.stems import base_forms, stem
from reviews.provenance.values.identifier import is_identifier

STOP = frozenset(
    """
    a an the and or but if then else of to in on at by for from with without into onto over about as is are was were
    be been am do does did can could will would shall should may might must have has had having i me my mine we
    us our you your he him his she her it its they them their this that these those there here who whom whose which
    what when where why how not no yes please thanks thank hi hello hey ok okay so just also too only very now let
    make made get got give take put set use using want need needs like know see look find check help try go going
    back up down out off new send sent email mail message forward reply write create add update change move delete
    remove cancel schedule book reschedule assign reassign rename call called named titled title saying say says
    name com org net www http https
    """.split()
)
"""Words that name nothing."""
_WORD = re.compile(r"[^\W_]+")
# Characters of a message in which ordinals and periods are looked for.
_READ = 1000
# Words among them that tell places apart behind an article.
_PLACES = frozenset("back up down out off".split())
_ARTICLE = re.compile(r"\b(?:the|a|my|our|your|his|her|their)\s+$")
# "The help channel": behind an article and before a noun any word says which one is meant.
_ATTRIBUTE = re.compile(r"\w+ (?P<noun>[^\W\d_]{3,})")
# What a denied property is called in records: not paid is unpaid, not active is inactive.
_UN = ("un", "in")
# Small words between a denial and the property: "has not been paid", "is not yet open".
_DENIED = re.compile(r"\s+(?:(?:yet|been|be|being)\s+){0,2}(?P<property>[^\W\d_]{3,})")
# "Successful" is said of what a record calls a success.
_FULL = re.compile(r"(?P<noun>[^\W\d_]{4,})ful")
_SPAN_OF_TIME = re.compile(r"(?:the )?(?:last|past|previous|next|since|within)\b")
# Words that make a day the edge of a period.
_BOUNDING = re.compile(r"\b(?:since|after|before|until|till) (?:the )?$")
_BOUNDS = re.compile(r"\b(?:since|after|before|until|till|by|from|between)\b")
# Where a verb is a command, and so no part of a name.
_IMPERATIVE = re.compile(
    r"(?:^|[.!?\n]\s*|\b(?:please|to|you|and|then|let's|let us|i'll|could|can|would|will|kindly|now|just)\s+)$"
)
# Characters before a word by which it is a command.
_COMMAND = 12
# An identifier of several parts: "s-40" names one thing, whatever else an "s" or a "40" stands in.
_CODE = re.compile(r"(?<![\w-])[^\W_]+(?:[-_/][^\W_]+)+(?![\w-])")
# The whole name of a file names it, and not another one whose name ends with it.
_FILE = re.compile(r"(?<![\w./@-])\w[\w-]{0,80}(?:\.[\w-]{1,40}){0,3}\.[a-z]\w{1,4}(?![\w@-])")
_WHOLE_WORDS = re.compile(r"[^\W\d_]{3,}(?:[-_/][^\W\d_]{3,})+")
_CLOCK = re.compile(r"(?<![\w:.-])\d{1,2}:\d{2}(?![\w:])")
# Characters of a bare number, which may be an hour or anything else.
_BARE_HOUR = 2
# A noun with a number too short to name anything by itself; a time or an amount is none.
_NUMBERED = re.compile(
    r"(?<![^\W_])(?P<noun>[^\W\d_]{3,30}) #?(?P<number>\d{1,2}|[a-z])(?![\w:%/'-]|[.,]\d| ?[ap]\.?m\b)"
)
# Signs of languages that put no spaces between words.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
# Han signs, katakana, letters: a name is in one script; hiragana mostly joins and inflects.
_SCRIPTS = re.compile(r"[\u3400-\u9fff]+|[\u30a0-\u30ff]+|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Mention:
    """A content word or day in what the user wrote."""

    text: Indexed
    start: int
    """Offset in the folded text."""
    end: int

    @property
    def span(self) -> Span:
        """Where it stands in the raw text."""
        return self.text.span(self.start, self.end)


def words_naming(text: Indexed) -> tuple[str, ...]:
    """The words of a text that can name a record, as `References` has them."""
    folded = text.folded.text
    found = ((word, mention.start) for word, mention in named_in(text))
    said = chain(found, codes_in(text))
    return tuple(dict.fromkeys(word for word, start in said if not _left_out(folded, start)))


def codes_in(text: Indexed) -> Iterator[tuple[str, int]]:
    """Identifiers of several parts, as they are folded, and where they stand."""
    for hit in _CODE.finditer(text.folded.text):
        # "R-6" is short, and no count all the same; "vol-mail" is a name, and "v-neck" a property.
        mixed = any(map(str.isdigit, hit.group())) and any(map(str.isalpha, hit.group()))
        if mixed or is_identifier(hit.group()) or _WHOLE_WORDS.fullmatch(hit.group()):
            yield hit.group(), hit.start()
    yield from ((hit.group(), hit.start()) for hit in _FILE.finditer(text.folded.text))
    # A time of day as tables write it names what is at that time.
    yield from ((hit.group(), hit.start()) for hit in _CLOCK.finditer(text.folded.text))
    for moment in text.moments:
        # "Before noon" is said of many times, and of none.
        around = text.folded.text[max(0, moment.start - _COMMAND) : moment.end]
        if moment.clock and moment.end - moment.start > _BARE_HOUR and not _BOUNDS.search(around):
            yield f"{moment.clock:%H:%M}", moment.start


def _left_out(folded: str, start: int) -> bool:
    return is_denied(folded, start) or in_denial(folded, start) or _commands(folded, start)


def _commands(folded: str, start: int) -> bool:
    """Whether the word says what to do, such as the "pay" of "pay Ann": it names nothing."""
    if not _IMPERATIVE.search(folded[max(0, start - _COMMAND) : start]):
        return False
    word = _WORD.match(folded, start)
    return word is not None and not language_verbs().isdisjoint(base_forms(word.group()))


def named_in(text: Indexed) -> Iterator[tuple[str, Mention]]:
    """Each word that can name a record, as records are searched for it, with where it is said."""
    folded = text.folded.text
    for hit in _NUMBERED.finditer(folded):
        # A short number names something together with its noun alone: sector 7.
        # A letter counts in capitals: "house B".
        letter = hit["number"].isalpha() and not text.span(*hit.span("number")).quote.isupper()
        if hit["noun"] not in STOP and not letter:
            yield f"{stem(hit['noun'])} {hit['number']}", Mention(text, *hit.span())
    yield from _ordered(text)
    for hit in _WORD.finditer(folded):
        word = hit.group()
        if _UNSPACED.search(word):
            yield from (
                (name, Mention(text, hit.start() + at, hit.start() + at + len(name))) for at, name in names_in(word)
            )
            continue
        # "The back door" is another one than the front door; what is sent back goes nowhere else.
        if (word not in STOP or _tells_apart(word, folded, hit)) and len(word) > (2 if word.isdigit() else 1):
            yield stem(word), Mention(text, *hit.span())
        if full := _FULL.fullmatch(word):
            yield full["noun"], Mention(text, *hit.span())
    yield from _denied_properties(text)
    yield from _periods(text)
    for moment in text.moments:
        # "The last six days" is no day that names a thing.
        bounds = _SPAN_OF_TIME.match(folded, moment.start) or _BOUNDING.search(folded[: moment.start][-_COMMAND:])
        if moment.day and not moment.any_year and not bounds:
            yield moment.day.isoformat(), Mention(text, moment.start, moment.end)


def _tells_apart(word: str, folded: str, hit: re.Match[str]) -> bool:
    """Whether a word that names nothing by itself does behind an article: the back door, the help channel."""
    if not _ARTICLE.search(folded, max(0, hit.start() - _COMMAND), hit.start()):
        return False
    noun = _ATTRIBUTE.match(folded, hit.start())
    return word in _PLACES or (noun is not None and noun["noun"] not in STOP)


def _denied_properties(text: Indexed) -> Iterator[tuple[str, Mention]]:
    """What records may call a thing that is said to be not so: the one that is not paid is unpaid."""
    folded = text.folded.text[:_READ]
    for language in (each for each in languages_of(folded) if each.spaced):
        for hit in phrases(language.negations).finditer(folded):
            if denied := _DENIED.match(folded, hit.end()):
                yield from ((prefix + denied["property"], Mention(text, hit.start(), denied.end())) for prefix in _UN)


def _ordered(text: Indexed) -> Iterator[tuple[str, Mention]]:
    """The nouns that an ordinal numbers: "the third floor" is floor 3."""
    folded = text.folded.text[:_READ]
    for language in (each for each in languages_of(folded) if each.spaced):
        for place, words in language.ordinals.items():
            for hit in phrases(words).finditer(folded) if int(place) > 0 else ():
                noun = _WORD.match(folded, hit.end() + 1)
                if noun and noun.group() not in STOP:
                    yield f"{stem(noun.group())} {place}", Mention(text, hit.start(), noun.end())


def _periods(text: Indexed) -> Iterator[tuple[str, Mention]]:
    """The month and the year that "last month" and "last year" mean, as records write them."""
    if text.now is None or text.now.year == MINYEAR:
        return
    folded, first = text.folded.text[:_READ], text.now.date().replace(day=1)
    month = first - timedelta(days=1)
    names = (month.strftime("%Y-%m"), month.strftime("%m/%Y"), stem(month.strftime("%B").lower()))
    for language in languages_of(folded):
        for hit in phrases(language.last_month).finditer(folded):
            yield from ((name, Mention(text, *hit.span())) for name in names)
        for hit in phrases(language.last_year).finditer(folded):
            yield str(first.year - 1), Mention(text, *hit.span())


@lru_cache(maxsize=1024)
def names_in(run: str) -> tuple[tuple[int, str], ...]:
    """What a run of signs without spaces names, and where: its stretches of one script without words of the tables."""
    known = "|".join(sorted(map(re.escape, _unspaced_words()), key=len, reverse=True))
    found = []
    for script in _SCRIPTS.finditer(run):
        at = script.start()
        for piece in re.split(f"({known})", script.group()):
            if len(piece) > 1 and not re.fullmatch(known, piece):
                found.append((at, piece))
            at += len(piece)
    return tuple(found)


@cache
def _unspaced_words() -> frozenset[str]:
    return frozenset(word for each in languages() if not each.spaced for word in each.vocabulary)
