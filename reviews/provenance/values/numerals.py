"""Numbers in words: `text_to_num` reads them, and what it can read is known from the words that `num2words` writes."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache, lru_cache
from itertools import product
from typing import Final

from num2words import CONVERTER_CLASSES, num2words
from text_to_num import Token, find_numbers, text2num

from reviews.provenance.text.boundaries import Occurrence, Place
from reviews.provenance.text.fold import fold
from reviews.provenance.values.eastern_numerals import eastern_numerals_in
from reviews.provenance.values.locales import any_word_of, quoted_scales

# The languages that `text_to_num` reads, with the countries whose numerals differ; Danish has too many English words.
_LANGUAGES: Final = (
    ("en", "en"), ("de", "de"), ("fr", "fr"), ("fr", "fr_BE"), ("fr", "fr_CH"), ("es", "es"), ("it", "it"),
    ("pt", "pt"), ("pt", "pt_BR"), ("nl", "nl"),
)  # fmt: skip
_ENGLISH: Final = "en"
# Languages that write a number below a million as one word.
_COMPOUNDING: Final = ("de", "it", "nl")
_NAMED: Final = (*range(102), *range(200, 1001, 100), 2000, 10**6, 2 * 10**6)
# English words that elsewhere are numbers, and names: by themselves they are none.
_ENGLISH_TOO: Final = frozenset("cent dos due elf mil nul nove once otto sei seize sept set sette vent".split())
# Hardly an English sentence is made without one: where one stands nearby, or behind a "one", other languages are not
# read, and the "one" counts nothing.
_FUNCTION: Final = re.compile(r"\b(?:the|to|and|of|for|is|are|at|please|my|me|you|with|this|that|it|its|on|from|by)\b")
# Characters on either side in which they are looked for.
_NEARBY: Final = 120
# Characters of the longest number, so that a list of thousands is read piece by piece.
_MAX_NUMBER_LENGTH: Final = 160
# Letters of the longest word that is taken apart; "siebenhundertsiebenundsiebzigtausend…" has about seventy.
_LONGEST: Final = 80
# Characters between two words of one number: " and ", "-et-", " e ".
_GAP: Final = re.compile(r"[ -](?:[^\W\d_]{1,3}[ -])?|, ?")
_WORD: Final = re.compile(r"[^\W\d_]+")
_GLUED: Final = re.compile(r"[\w@]")
_ASCII_WORD: Final = re.compile(r"[a-z]+")
_SPACE: Final = re.compile(r"[ -]+")
# Words of one numeral of a language that only the writing library knows.
_MAX_WORDS: Final = 5
# Numbers in two parts of one text that are written back to be sure: a judge names a few words.
_MAX_SUMS: Final = 64
# Numbers whose ordinals tell whether a language ends them all in one word.
_COUNTED: Final = range(2, 100)
_HUNDRED: Final = 100
_NO_NUMERAL: Final[tuple[Decimal | None, frozenset[str]]] = (None, frozenset())


class _Word(Token):  # type: ignore[misc]  # it ships no types
    """A word as the library spells it."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.written, self.start, self.end = text, start, end

    def text(self) -> str:
        return self.written


def numerals_in(text: str) -> Iterator[Occurrence[Decimal]]:
    """Every cardinal number that a folded text writes in words."""
    for start, end in _numeral_stretches(text):
        numbers, all_languages = _read_stretch(text[start:end], start == 0 and end == len(text))
        if all_languages != numbers and not _FUNCTION.search(text, max(0, start - _NEARBY), end + _NEARBY):
            numbers = all_languages
        for number in numbers:
            # "The blue one" counts nothing, "one ticket" does.
            behind = _ASCII_WORD.match(text, start + number.end + 1) if number.value == 1 else None
            if number.value != 1 or number.end == len(text) or (behind and not _FUNCTION.fullmatch(behind.group())):
                yield Occurrence(start + number.start, start + number.end, number.value)


def lone_numerals_in(text: str) -> Iterator[Occurrence[Decimal]]:
    """Every word of a folded text that is a cardinal number in some language, whatever it may mean in another."""
    for start, end in _places_of_words(text):
        _, numbers = _read_stretch(text[start:end], True)
        yield from (Occurrence(start, end, number.value) for number in numbers if number[:2] == (0, end - start))
    yield from () if text.isascii() else eastern_numerals_in(text)


def written_numerals_in(text: str) -> Iterator[Occurrence[Decimal]]:
    """Every number of a folded text in words of languages that are written and not read: yirmi beş.

    Many of them are other words elsewhere.
    """
    words, done, sums = [hit.span() for hit in _WORD.finditer(text)], 0, 0
    for at, (start, _) in enumerate(words):
        for _, end in reversed(words[at : at + _MAX_WORDS]) if start >= done else ():
            parts = _SPACE.split(text[start:end])
            number, languages = _read_written(parts)
            if number is not None and "".join(parts) not in _written_numerals():
                sums += 1
                writings = (_writings_of(int(number), language) for language in languages)
                if sums > _MAX_SUMS or not any("".join(parts) in spellings for spellings in writings):
                    number = None
            if number is not None:
                yield Occurrence(start, end, number)
                done = end
                break


def _read_written(words: Sequence[str]) -> tuple[Decimal | None, frozenset[str]]:
    """The number of a few words, and the languages of all: one of the table, so many thousands, or a sum of both."""
    table = _written_numerals()
    if numeral := table.get("".join(words)):
        return numeral
    if scale := quoted_scales().get(words[-1]) if words[1:] else None:
        count, languages = _read_written(words[:-1])
        return (count.scaleb(scale), languages) if count else _NO_NUMERAL
    for cut in range(1, len(words)):
        is_scaled = cut > 1 and words[cut - 1] in quoted_scales()
        great, languages = _read_written(words[:cut]) if is_scaled else table.get("".join(words[:cut]), _NO_NUMERAL)
        rest, rest_languages = _read_written(words[cut:]) if great and not great % _HUNDRED else _NO_NUMERAL
        if great and rest and rest < great:
            return great + rest, languages & rest_languages
    return _NO_NUMERAL


@lru_cache(maxsize=1024)
def _writings_of(number: int, language: str) -> frozenset[str]:
    """How a language writes a number, without its gaps."""
    return frozenset(_SPACE.sub("", words) for words in write_number(number, language))


def write_number(number: int, language: str, *, ordinal: bool = False) -> Iterator[str]:
    """The number in the folded words of a language, if it has such: some write no numbers as great, or no ordinals."""
    with suppress(NotImplementedError, OverflowError, LookupError, TypeError):
        yield fold(num2words(number, ordinal=ordinal, lang=language))


@cache
def _written_numerals() -> Mapping[str, tuple[Decimal, frozenset[str]]]:
    """The number of each folded numeral, without its gaps, and the languages that write it so.

    None that is another number in another language.
    """
    meanings: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
    for language in sorted(CONVERTER_CLASSES):
        for number in _NAMED:
            for words in write_number(number, language):
                meanings[_SPACE.sub("", words)].add((number, language))
        ordinals = ((number, words) for number in _COUNTED for words in write_number(number, language, ordinal=True))
        parted = [(number, *words.rpartition(" ")) for number, words in ordinals]
        # Where one word makes each of them an ordinal, things are counted by what stands before it: 다섯 번째.
        if len({gap + last for *_, gap, last in parted}) == 1:
            for number, words, *_ in parted:
                meanings[_SPACE.sub("", words)].add((number, language))
    numbers = {words: {number for number, _ in meant} for words, meant in meanings.items() if words}
    return {
        words: (Decimal(min(numbers[words])), frozenset(language for _, language in meant))
        for words, meant in meanings.items()
        if len(numbers.get(words, ())) == 1
    }


@lru_cache(maxsize=4096)
def _read_stretch(stretch: str, is_whole: bool) -> tuple[list[Occurrence[Decimal]], list[Occurrence[Decimal]]]:
    """What a stretch of numerals means in English, and in any language; `is_whole`: nothing else is in the text."""
    english = list(_read_in(stretch, _ENGLISH, is_whole=is_whole))
    numbers = {number for language in _words_by_language() for number in _read_in(stretch, language, is_whole=is_whole)}
    longest: list[Occurrence[Decimal]] = []
    for number in sorted(numbers, key=lambda number: (number.start, -number.end)):
        # "Cinco" is a part of "vinte e cinco", which Spanish does not have.
        if not longest or number.end > longest[-1].end or number[:2] == longest[-1][:2]:
            longest.append(number)
    return english, longest


def _read_in(stretch: str, language: str, *, is_whole: bool) -> Iterator[Occurrence[Decimal]]:
    words = [_Word(_spell_accented(hit.group(), language), *hit.span()) for hit in _WORD.finditer(stretch)]
    for number in find_numbers(words, language, 0):
        start, end = words[number.start].start, words[number.end - 1].end
        # "Une" is an article by itself, and "due" is English.
        article = language != _ENGLISH and number.end - number.start == 1 and not is_whole
        if not number.is_ordinal and not (article and (number.value == 1 or stretch[start:end] in _ENGLISH_TOO)):
            yield Occurrence(start, end, Decimal(int(number.value)))


def _numeral_stretches(text: str) -> list[Place]:
    """From the first to the last word of what may be one number, or several in a row."""
    stretches: list[Place] = []
    for start, end in _places_of_words(text):
        begin, stop = stretches[-1] if stretches else (0, -1)
        if stop >= 0 and end - begin <= _MAX_NUMBER_LENGTH and _GAP.fullmatch(text, stop, start):
            stretches[-1] = begin, end
        else:
            stretches.append((start, end))
    return stretches


def _places_of_words(text: str) -> list[Place]:
    """Where the words stand that may be numbers, in order."""
    words = _numeral_words(text)
    spans = [hit.span() for hit in _WORD.finditer(text) if hit[0] in words] if words else []
    beside = ((start, end, text[max(start - 1, 0) : start] + text[end : end + 1]) for start, end in spans)
    return [(start, end) for start, end, signs in beside if not _GLUED.search(signs)]


def _numeral_words(text: str) -> set[str]:
    """The words of a text that the library may read as numbers; it is asked about nothing else."""
    distinct = set((_ASCII_WORD if text.isascii() else _WORD).findall(text))
    listed_words = {word for words in _words_by_language().values() for word in distinct & words.keys()}
    return listed_words | {word for word in distinct - listed_words if _is_compound(word)}


@cache
def _words_by_language() -> Mapping[str, Mapping[str, str]]:
    """For each language its words of numbers, folded, and how they are spelled."""
    words: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for language, country in _LANGUAGES:
        number_words = set(_WORD.findall(" ".join(num2words(number, lang=country) for number in _NAMED)))
        # Spanish and Portuguese hundreds have a gender, and so has the Portuguese two; only one is written.
        number_words |= {f"{word[:-2]}as" for word in number_words if word.endswith("os")} | {"duas"}
        words[language].update((fold(word), word) for word in number_words if _is_number(word, language))
    return words


def _is_number(word: str, language: str) -> bool:
    """Whether the library takes the word for a number by itself: "and" is none."""
    try:
        return len(word) > 1 and text2num(word, language) >= 0
    except ValueError:
        return False


@cache
def _compound_multiples() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """What stands in every number of several hundreds or thousands that is one word, and its language."""
    languages: dict[str, str] = {}
    for language, (times, number) in product(_COMPOUNDING, ((2, 200), (3, 3000))):
        first, compound = (fold(num2words(n, lang=language)) for n in (times, number))
        # "Centottanta": before a vowel the hundred loses its own.
        languages[compound.removeprefix(first).rstrip("aeiou")] = language
    return re.compile(any_word_of(languages)), languages


def _is_compound(word: str) -> bool:
    """Whether a folded word is a number that is put together of others."""
    pattern, languages = _compound_multiples()
    hit = pattern.search(word) if len(word) <= _LONGEST else None
    return hit is not None and _is_number(_spell_accented(word, languages[hit[0]]), languages[hit[0]])


def _spell_accented(word: str, language: str) -> str:
    """A folded word with its accents: funf is fünf, also within a longer word."""
    spellings = _words_by_language()[language]
    if word in spellings or language not in _COMPOUNDING:
        return spellings.get(word, word)
    return _piece_pattern(language).sub(lambda hit: spellings[hit[0]], word)


@cache
def _piece_pattern(language: str) -> re.Pattern[str]:
    return re.compile(any_word_of(_words_by_language()[language]))
