"""Days, times and numbers as languages other than English word them; the words are data, names of weekdays CLDR's.

Only texts of a message's length are read so: what tools return writes its values in figures.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache

from babel.dates import get_day_names

from reviews.provenance.language.base import Language, either, languages, languages_of
from reviews.provenance.text.fold import fold
from reviews.provenance.values.date import Moment, years_near
from reviews.provenance.values.date_relative import weekdays

# Characters of the longest text that is read.
_READ = 4_000
# English is read by patterns of its own, in `date.py`.
_ENGLISH = "en"
# Chinese numerals; two is written in two ways.
_FIGURES = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
# Their tens: numbers of days and hours need no more.
_UNITS = {"十": 10, "百": 100, "千": 1000}
# What is counted with: figures before another character belong to words (星期一).
_COUNTED = "个個張张枚人名件本台杯天日年份次盒支位箱元円冊册匹頭头条週周时時点"
# Only before what is counted: the signs are parts of many words.
_HAN = re.compile(rf"[{''.join(_FIGURES)}{''.join(_UNITS)}]+(?=[{_COUNTED}])")
_FIGURES_BEFORE_HAN = re.compile(r"(?<![\d.,])\d{1,9}(?:\.\d{1,4})?(?=[\u3040-\u9fff])")
# Year, month and day are marked each by a sign of its own.
_HAN_DAY = re.compile(
    r"(?:(?P<year>(?:19|20)\d\d)年)?(?<!\d)(?P<month>1[0-2]|0?[1-9])月(?P<day>3[01]|[12]\d|0?[1-9])[日号]"
)
_HAN_CLOCK = re.compile(
    rf"(?P<part>上午|早上|午前|朝|下午|晚上|午後|夜)?(?<!\d)"
    rf"(?:(?P<h>2[0-3]|1\d|0?\d)|(?P<han>[{''.join(_FIGURES)}十]{{1,3}}))[時时点](?:(?P<m>[0-5]?\d)分|(?P<half>半))?"
)
# A day of the month before the last day of a range, in any of the languages.
_RANGE_START = re.compile(
    r"(?<![\w.:])(?P<day>3[01]|[12]\d|0?[1-9])(?:\.|er|st|nd|rd|th)? ?"
    r"(?:bis(?: zum)?|au|al|a|ao|tot(?: en met)?|t/m|to|till|until|through|-) ?(?:(?:den|le|el|o|il|de|the) )?$"
)
# Characters before a day in which the first of its range stands.
_RANGE_REACH = 24
# Hours of half a day.
_NOON = 12
# Numbers between the tens and a hundred are made of two words.
_TEN, _HUNDRED = 10, 100


def moments_abroad(text: str, now: datetime | None) -> Iterator[Moment]:
    """The days and times that a folded message names in its own language; an hour up to twelve in both halves."""
    if len(text) > _READ or not _telling().search(text):
        return
    for language in languages_of(text):
        if language.code != _ENGLISH:
            yield from _clocks(text, language)
            yield from _relative(text, language, now) if now else ()
    # Whatever else the text is in, this is a day.
    if "月" in text:
        yield from _han_days(text, now)


def numbers_abroad(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """Start, end and value of the numbers that a folded message writes in words of its own language."""
    spoken = languages_of(text) if len(text) <= _READ and _telling().search(text) else ()
    # "Due" and "once" are numbers in Italian and Spanish: in doubt a text is English.
    if any(language.code == _ENGLISH for language in spoken):
        return
    for language in spoken:
        words = _number_words(language)
        for hit in _any_of(tuple(words), spaced=True).finditer(text) if words else ():
            yield *hit.span(), Decimal(words[hit.group()])
        if not language.spaced:
            yield from ((*hit.span(), Decimal(hit.group())) for hit in _FIGURES_BEFORE_HAN.finditer(text))
            yield from ((*hit.span(), Decimal(_han(hit.group()))) for hit in _HAN.finditer(text))


def range_starts(text: str, moments: Iterable[Moment]) -> Iterator[Moment]:
    """The first day of each range whose month is said once: the 3rd of "vom 3. bis 14. August"."""
    for moment in moments:
        hit = _RANGE_START.search(text[max(0, moment.start - _RANGE_REACH) : moment.start]) if moment.day else None
        if hit and moment.day and not moment.any_year and 0 < int(hit["day"]) < moment.day.day:
            offset = max(0, moment.start - _RANGE_REACH)
            yield Moment(offset + hit.start("day"), moment.end, day=moment.day.replace(day=int(hit["day"])))


def _relative(text: str, language: Language, now: datetime) -> Iterator[Moment]:
    days = _relative_words(language)
    for hit in _any_of(tuple(days), spaced=language.spaced).finditer(text) if days else ():
        yield from _days_from(now, days[hit.group()], hit)
    for pattern, unit in _ahead(language):
        for hit in pattern.finditer(text):
            number = hit["n"]
            count = int(number) if number.isdecimal() else _number_words(language).get(number) or _han(number)
            yield from _days_from(now, count * unit, hit)
    named = _weekdays(language.code)
    for hit in _any_of(tuple(named), spaced=language.spaced).finditer(text):
        for day in weekdays(now.date(), named[hit.group()], None):
            yield Moment(*hit.span(), day=day)


def _days_from(now: datetime, days: int, hit: re.Match[str]) -> Iterator[Moment]:
    """So many days from now; none beyond the calendar."""
    if 0 < now.toordinal() + days <= date.max.toordinal():
        yield Moment(*hit.span(), day=date.fromordinal(now.toordinal() + days))


def _clocks(text: str, language: Language) -> Iterator[Moment]:
    pattern = _clock(language) if language.spaced else _HAN_CLOCK
    for hit in pattern.finditer(text) if pattern else ():
        found = {name: figures for name, figures in hit.groupdict().items() if figures}
        # A number by itself is no hour.
        if language.spaced and not found.keys() & {"m", "before", "behind", "half", "quarter", "till"}:
            continue
        if "h" in found:
            hour = int(found["h"])
        else:
            hour = _han(found["han"]) % 24 if "han" in found else _hours(language)[found["named"]]
        minute = int(found.get("m", found.get("past", 0))) or 15 * ("quarter" in found)
        if "half" in found or "till" in found:
            # "Halb acht" is half an hour before eight.
            hour, minute = hour - ("till" in found), 30
        part = found.get("part", "")
        if part not in language.late or hour >= _NOON:
            yield Moment(*hit.span(), clock=time(hour % 24, minute))
        if hour < _NOON and part not in language.early:
            yield Moment(*hit.span(), clock=time(hour % 24 + _NOON, minute))


@lru_cache(maxsize=16)
def _hours(language: Language) -> dict[str, int]:
    """Hours in words; one o'clock has forms of its own in many languages, and is left to figures."""
    return {word: number for word, number in _number_words(language).items() if 1 < number <= _NOON}


def _han_days(text: str, now: datetime | None) -> Iterator[Moment]:
    for hit in _HAN_DAY.finditer(text):
        month, day = int(hit["month"]), int(hit["day"])
        near = years_near(month, day, now.date()) if now else ()
        for year in (int(hit["year"]),) if hit["year"] else near:
            try:
                yield Moment(*hit.span(), day=datetime(year, month, day).date())  # noqa: DTZ001 - a day has no zone
            except ValueError:
                continue


@lru_cache(maxsize=1)
def _telling() -> re.Pattern[str]:
    """Any word of any table: most texts hold none, and what language they are in need not be told."""
    words: set[str] = set()
    for language in languages():
        if language.code != _ENGLISH and language.spaced:
            words.update(_relative_words(language), _number_words(language), _weekdays(language.code))
            words.update(phrase.split()[-1] for phrase in language.days_ahead | language.weeks_ahead)
    hours = either({word for each in languages() for word in each.clock_before | each.clock_behind})
    return re.compile(rf"(?<!\w)(?:{either(words)})(?!\w)|[\u3040-\u9fff]|(?<!\w)(?:{hours}) \d|\d ?(?:{hours})(?!\w)")


@lru_cache(maxsize=16)
def _ahead(language: Language) -> tuple[tuple[re.Pattern[str], int], ...]:
    """Patterns of a number of days or weeks from now, each with the days of its unit."""
    figures = "".join((*_FIGURES, *_UNITS))
    number = rf"(?P<n>\d{{1,3}}|{either(_number_words(language)) if language.spaced else f'[{figures}]{{1,4}}'})"
    edges = (r"(?<!\w)", r"(?!\w)") if language.spaced else ("", "")
    units = (
        (phrase, days) for words, days in ((language.days_ahead, 1), (language.weeks_ahead, 7)) for phrase in words
    )
    return tuple(
        (re.compile(f"{edges[0]}{re.escape(phrase).replace(re.escape('{n}'), number)}{edges[1]}"), days)
        for phrase, days in units
    )


@lru_cache(maxsize=16)
def _weekdays(code: str) -> dict[str, int]:
    """Each weekday's name and number from Monday; Portuguese says its shorter forms, too."""
    names = {fold(name): number for number, name in get_day_names("wide", locale=code).items()}
    return names | {name.removesuffix("-feira"): number for name, number in names.items()}


@lru_cache(maxsize=16)
def _relative_words(language: Language) -> dict[str, int]:
    return {word: int(offset) for offset, words in language.days.items() for word in words}


@lru_cache(maxsize=16)
def _number_words(language: Language) -> dict[str, int]:
    """Those of the table, and those made of a ten and a one: zweiundzwanzig, treinta y dos."""
    named = {word: int(number) for number, words in language.numbers.items() for word in words}
    tens = {word: number for word, number in named.items() if _TEN < number < _HUNDRED and not number % _TEN}
    ones = {word: number for word, number in named.items() if 1 < number < _TEN}
    made = {
        join.format(ten=ten, one=one): tens[ten] + ones[one]
        for join in language.number_joins
        for ten in tens
        for one in ones
    }
    return made | named


@lru_cache(maxsize=64)
def _any_of(words: tuple[str, ...], *, spaced: bool) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{either(words)})(?!\w)" if spaced else either(words))


@lru_cache(maxsize=16)
def _clock(language: Language) -> re.Pattern[str] | None:
    """An hour behind "a las" or before "uur"; without either it is any number."""
    if not language.clock_before and not language.clock_behind:
        return None
    before, behind, till = map(either, (language.clock_before, language.clock_behind, language.half_before))
    half, quarter, part = map(either, (language.half_behind, language.quarter_behind, language.late | language.early))
    return re.compile(
        rf"(?:(?<!\w)(?P<before>{before}) )?(?:(?<!\w)(?P<till>{till}) )?(?<![\w:.,])"
        rf"(?:(?P<h>2[0-3]|1\d|0?\d)(?:[:.](?P<m>[0-5]\d)(?!\d))?|(?P<named>{either(_hours(language))})(?!\w))"
        rf"(?: ?(?P<behind>{behind})(?!\w)(?: (?P<past>[0-5]\d)(?![\w:.,]))?)?(?![\w:])"
        rf"(?: (?:(?P<half>{half})|(?P<quarter>{quarter}))(?!\w))?(?: (?P<part>{part})(?!\w))?"
    )


def _han(figures: str) -> int:
    """The value of Chinese figures below ten thousand."""
    total = part = 0
    for figure in figures:
        if unit := _UNITS.get(figure):
            total, part = total + (part or 1) * unit, 0
        else:
            part = part * 10 + _FIGURES[figure]
    return total + part
