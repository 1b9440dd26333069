"""What CLDR says of how each language writes: names of months and weekdays, scales of numbers, units of measure.

Everything is folded as the texts are that it is looked for in.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, product
from typing import Any, Final, Generic, Literal, TypeVar

from babel import Locale
from babel.dates import get_date_format, get_day_names, get_month_names
from babel.units import format_unit

from reviews.provenance.text.boundaries import UNPARTED, UNSPACED, Occurrence
from reviews.provenance.text.fold import fold

LOCALES: Final = (
    "en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "nb", "fi", "cs", "ro", "tr", "ja", "zh",
)  # fmt: skip
"""The languages whose months, weekdays and currencies are read. English is first: what it says of a word holds."""
SPOKEN: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "ja", "zh")
"""Those whose short words count as well: with every language more of them are words of another (`time`, `bin`)."""
# English as it is written elsewhere has scales of its own: lakh and crore, bn.
_ENGLISHES: Final = ("en", "en_GB", "en_IN")
# Of these the scales are read and nothing else: right behind figures they would be taken for what is counted.
_SCALES_ALONE: Final = ("zh_Hant", "ko")
# Of these the names of units are known, and nothing is read by itself.
_QUOTED: Final = (
    "ru", "uk", "bg", "sr", "hr", "sk", "hu", "el", "ar", "he", "hi", "ko", "th", "vi", "id",
    "fa", "ur", "bn", "mr", "gu", "pa", "ta", "te", "kn", "ml", "ka", "hy",
)  # fmt: skip
# Letters of a name that is hardly a part of another word.
_LONG: Final = 5
Name = TypeVar("Name")
Meaning = TypeVar("Meaning")
# From this length a name of a month or weekday is hardly another word; CLDR's shorter ones are `mar`, `set`, `ago`.
_TELLING: Final = 3
# What newspapers and Indian English write, and CLDR does not.
_UNLISTED_SCALES: Final = {"bn": 9, "mn": 6, "lakh": 5, "lakhs": 5, "crore": 7, "crores": 7}
_LETTERS: Final = re.compile(r"[^\W\d_]+")
# Hours by which people stretch a part of the day beyond where CLDR ends it, on the same side of noon.
_STRETCH: Final = 3
_HALVES: Final = (frozenset(range(12)), frozenset(range(12, 24)))
_SECONDS_AN_HOUR: Final = 3600
# Two letters are enough for `kg`; one is as often a name's initial.
_MIN_UNIT_LENGTH: Final = 2
_LENGTHS: Final[tuple[Literal["long", "short", "narrow"], ...]] = ("long", "short", "narrow")


class QuotedNames(Generic[Meaning]):
    """Names of many languages as judges quote them: with a case, ending a word, or where spaces part no words."""

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        joined = {name for name in meanings if UNSPACED.search(name)}
        joined |= {name for name in meanings if UNPARTED.search(name) and len(name) >= _LONG}
        spaced = {name: meaning for name, meaning in meanings.items() if name not in joined}
        # With another last letter than the names have: hodinu, тонну. A short one would be another word.
        cut = ((name[:-1], meaning) for name, meaning in spaced.items() if len(name) > _LONG)
        stems = {stem: meaning for stem, meaning in cut if meanings.get(stem, meaning) == meaning}
        self._meanings = {**stems, **meanings}
        self._pattern = re.compile(
            rf"(?:(?<![^\W\d_])(?:(?P<whole>{any_word_of(spaced)})|(?P<stem>{any_word_of(stems)})[^\W\d_])"
            # A long name ends a longer word: Viertelstunde.
            rf"|(?P<end>{any_word_of(name for name in spaced if len(name) >= _LONG)}))(?![^\W\d_])"
            rf"|(?P<joined>{any_word_of(joined)})"
        )

    def found_in(self, text: str) -> Iterator[Occurrence[Meaning]]:
        """Each name in a folded text, and what it means."""
        for hit in self._pattern.finditer(text):
            yield Occurrence(*hit.span(), self._meanings[hit[hit.lastgroup or 0]])


def any_word_of(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longest first; of none it matches nothing."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)) or r"(?!)"


def all_meanings(names: Iterable[tuple[Name, Meaning]]) -> Mapping[Name, set[Meaning]]:
    """Each name with everything that it means."""
    meanings: defaultdict[Name, set[Meaning]] = defaultdict(set)
    for name, meaning in names:
        meanings[name].add(meaning)
    return meanings


def sole_meanings(names: Iterable[tuple[str, Meaning]]) -> dict[str, Meaning]:
    """What each name means that means one thing alone."""
    return {name: next(iter(meant)) for name, meant in all_meanings(names).items() if len(meant) == 1}


@cache
def month_names() -> Mapping[str, int]:
    """Every full name of a month, and English abbreviations; one that means two months means none."""
    english = _calendar_names(get_month_names, "abbreviated", _ENGLISHES)
    return _keep_unambiguous(chain(english, _calendar_names(get_month_names, "wide")))


@cache
def month_abbreviations() -> Mapping[str, int]:
    """The abbreviations of other languages: other words have their letters, so they need a year beside them."""
    return {**_keep_unambiguous(_calendar_names(get_month_names, "abbreviated")), **month_names()}


@cache
def weekday_names() -> Mapping[str, int]:
    """Every full name of a weekday, and its number from Monday."""
    return _keep_unambiguous(_calendar_names(get_day_names, "wide"))


@cache
def quoted_month_names() -> Mapping[str, int]:
    """Every full name of a month that judges may quote, of more languages than code reads."""
    return _keep_unambiguous(_calendar_names(get_month_names, "wide", (*LOCALES, *_QUOTED)))


@cache
def quoted_weekday_names() -> Mapping[str, int]:
    """Every name of a weekday that judges may quote, and its number from Monday.

    Where spaces part no words also a shorter one of two signs or more: 周三, 水曜.
    """
    names = list(_calendar_names(get_day_names, "wide", (*LOCALES, *_QUOTED, "zh_Hant")))
    shorter = _calendar_names(get_day_names, "abbreviated", ("zh", "zh_Hant"))
    begun = (
        (locale, name[:-1], number) for locale, name, number in names if len(name) >= _TELLING and UNSPACED.match(name)
    )
    return _keep_unambiguous(chain(names, shorter, begun))


@cache
def weekday_abbreviations(*, quoted: bool = False) -> Mapping[str, set[int]]:
    """Every short name of a weekday, and the numbers that it may mean: they count only beside a day.

    `quoted`: also those that judges may quote, of more languages than code reads.
    """
    names = _calendar_names(get_day_names, "abbreviated", (*LOCALES, *_QUOTED) if quoted else LOCALES)
    return all_meanings((name, number) for _, name, number in names)


@cache
def hours_of_day_periods(*, before: bool) -> Mapping[str, frozenset[int]]:
    """The hours of the day that each name of a part of it may mean, of those that stand before a time, or behind it."""
    hours: dict[str, frozenset[int]] = {}
    for locale in map(Locale.parse, (*LOCALES, *_SCALES_ALONE, *_QUOTED)):
        pattern = str(locale.datetime_skeletons.get("Bhm", "")).lower()
        rules = locale.day_period_rules.get(None, {})
        for period, name in _period_names(locale) if pattern.startswith("b") == before else ():
            hours[name] = hours.get(name, frozenset()) | _hours_of_period(period, rules.get(period, ()))
    return {name: meant for name, meant in hours.items() if meant}


@cache
def date_links() -> frozenset[str]:
    """Words that stand between day, month and year: 5 de marzo de 2026, the 5th of March."""
    patterns = (get_date_format("long", locale).pattern for locale in LOCALES)
    return frozenset(fold(word) for pattern in patterns for word in re.findall(r"'([^\W\d_]+)'", pattern)) | {"of"}


@cache
def powers_of_scales() -> Mapping[str, int]:
    """The power of ten of each word behind a number: k, million, Mio, crore."""
    scale_words = _scale_words((*_ENGLISHES, *SPOKEN[1:], *_SCALES_ALONE))
    return {**_keep_unambiguous(scale_words), **_UNLISTED_SCALES}


@cache
def percent_signs() -> tuple[str, ...]:
    """The sign, and what it is read as, the longest first."""
    names = {name for locale in SPOKEN for name in _unit_names("concentr-percent", locale) if "%" not in name}
    return ("%", *sorted(names | {"pct"}, key=len, reverse=True), "per cent")


@cache
def unit_abbreviations() -> frozenset[str]:
    """What may stand against a number and leaves it one: 5kg, 30min, 10km, and 150lbs, as people write several."""
    units: Iterable[str] = map(str, Locale("en").unit_display_names)
    names = (name for unit in units for name in _unit_names(unit, "en", ("short", "narrow")))
    short_names = {name for name in names if _LETTERS.fullmatch(name) and len(name) >= _MIN_UNIT_LENGTH}
    return frozenset(short_names.union(f"{name}s" for name in short_names))


def names_of_units(locale: str) -> frozenset[str]:
    """How one language writes every unit of measure behind a number."""
    units: Iterable[str] = map(str, Locale.parse(locale).unit_display_names)
    return frozenset(name for unit in units for name in _unit_names(unit, locale) if _LETTERS.fullmatch(name))


@cache
def unit_words(unit: str) -> frozenset[str]:
    """How the languages write a unit behind a number: `duration-hour` as hour, hours, hr, h, Stunde, Std."""
    return frozenset(
        name
        for locale in SPOKEN
        for name in _unit_names(unit, locale)
        if locale == LOCALES[0] or len(name) >= _MIN_UNIT_LENGTH or not name.isascii()
    )


@cache
def quoted_unit_words(unit: str) -> frozenset[str]:
    """How many languages write a unit: what judges quote is written in more of them than code reads.

    Short words are left out, unless they are of a script in which most are short.
    """
    names = {name for locale in (*LOCALES, *_QUOTED) for name in _unit_names(unit, locale)}
    return frozenset(name for name in names if len(name) >= _TELLING - (not name.isascii()) or UNSPACED.search(name))


def _unit_names(
    unit: str, locale: str, lengths: tuple[Literal["long", "short", "narrow"], ...] = _LENGTHS
) -> Iterator[str]:
    for length, count in product(lengths, (1, 2, 5)):
        formatted = fold(format_unit(count, unit, length, locale=locale)).strip()
        # Where CLDR has no name of that length, Babel writes the unit's key; some languages have no figure before one.
        is_plain = not any(map(str.isdigit, formatted))
        if (is_plain or formatted.startswith(str(count))) and unit not in formatted:
            yield formatted.removeprefix(str(count)).strip(" .")


def _calendar_names(
    read: Callable[[Any, Any, str], Mapping[int, str]], width: str, locales: tuple[str, ...] = LOCALES
) -> Iterator[tuple[str, str, int]]:
    """Locale, name and number of each month or weekday."""
    for locale, context in product(locales, ("format", "stand-alone")):
        for number, name in read(width, context, locale).items():
            yield locale, fold(name).strip("."), number


def _period_names(locale: Locale) -> Iterator[tuple[str, str]]:
    """Each part of the day and how it is written beside a time."""
    # By itself a name is also that of another thing: `morgen` and `mañana` are tomorrow.
    for names in map(locale.day_periods["format"].get, ("wide", "abbreviated")):
        for period, spelling in names.items() if names else ():
            name = fold(spelling)
            if _LETTERS.search(name) and (len(name.strip(".")) >= _TELLING or not name.isascii()):
                yield period, name


def _hours_of_period(period: str, rules: Iterable[Mapping[str, int]]) -> frozenset[int]:
    if period in ("am", "pm"):
        return _HALVES[period == "pm"]
    hours: set[int] = set()
    for rule in rules:
        if "from" in rule:
            first, behind = rule["from"] // _SECONDS_AN_HOUR, rule["before"] // _SECONDS_AN_HOUR
            hours.update(hour % 24 for hour in range(first, behind if first < behind else behind + 24))
    stretched = range(min(hours, default=0) - _STRETCH, max(hours, default=0) + _STRETCH + 1)
    half = next((half for half in _HALVES if hours and hours <= half), frozenset[int]())
    return frozenset(hours | half.intersection(stretched))


@cache
def quoted_scales() -> Mapping[str, int]:
    """The power of ten of each word behind a number that judges may quote: тысяч, tys., bin, ألف."""
    words = _keep_unambiguous(_scale_words((*LOCALES, *_QUOTED)))
    # A single letter is a unit as often, and a word of two another word.
    return {word: power for word, power in words.items() if len(word) >= _TELLING or not word.isascii()}


@cache
def scales_in_full() -> Mapping[str, int]:
    """Those of `powers_of_scales`, and every full word of a language that is not read which is hardly another one."""
    words = _keep_unambiguous(_scale_words((*LOCALES, *_QUOTED), ("long",)))
    telling = {word: power for word, power in words.items() if len(word) >= (_LONG if word.isascii() else _TELLING)}
    return {**telling, **powers_of_scales()}


def _scale_words(
    locales: Iterable[str], lengths: tuple[str, ...] = ("long", "short")
) -> Iterator[tuple[str, str, int]]:
    """Locale, word and power of ten of each scale."""
    for locale in locales:
        for by_count in filter(None, map(Locale.parse(locale).compact_decimal_formats.get, lengths)):
            for power, pattern in chain.from_iterable(patterns.items() for patterns in by_count.values()):
                if word := _scale_word(pattern.pattern):
                    yield locale, word, len(power) - pattern.pattern.count("0")


def _scale_word(pattern: str) -> str:
    """The word of `00 Mio`; two in a row, as in `0 mil millones`, are one."""
    return " ".join(fold(re.sub(r"[0'.;¤-]", "", pattern)).split())


def _keep_unambiguous(names: Iterable[tuple[str, str, int]]) -> dict[str, int]:
    """What means one thing only; a word that English has means what it means there."""
    english, foreign = {}, []
    for locale, name, meaning in names:
        if locale.startswith(LOCALES[0]):
            english[name] = meaning
        elif len(name) >= _TELLING or not name.isascii():
            foreign.append((name, meaning))
    return {**sole_meanings(foreign), **english}
