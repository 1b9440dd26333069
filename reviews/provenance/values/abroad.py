"""Days, times and numbers as languages other than English word them; the words are data, names of weekdays CLDR's.

Only texts of a message's length are read so: what tools return writes its values in figures.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache

from babel.dates import get_day_names

from reviews.provenance.language.base import Language, either, languages, languages_of, phrases
from reviews.provenance.text.fold import fold
from reviews.provenance.values.date import Moment, years_near
from reviews.provenance.values.date_relative import weekdays
from reviews.provenance.values.numerals import number_words, numerals_in

# Characters of the longest text that is read.
_READ = 4_000
# Letters from which a number's word in another language is no English one.
_NO_ENGLISH = 8
# English is read by patterns of its own, in `date.py`.
_ENGLISH = "en"
# Chinese numerals; two is written in two ways.
_FIGURES = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
# Their tens: numbers of days and hours need no more.
_UNITS = {"十": 10, "百": 100, "千": 1000}
# Above them numbers are told by ten thousands; what is not counted is told by a sign of its own.
_MYRIAD, _NOUGHT = "万", "零〇"
# What is counted with: figures before another character belong to words (星期一).
_COUNTED = (
    "个個張张枚人名件本台杯天日年份次盒支位箱元円冊册匹頭头条週周时時点泊晩晚夜回部席つ皿缶袋瓶通棟軒足着組羽輪滴行片"
    "间間双套家桌碗斤克米棵包桶块塊分秒度号號番瓶只隻架辆輛座股粒根把串卷层層階岁歳才级級页頁首集员員歩步袋束筒壺壶门門"
    "キグリセパケペロ公小吨噸毫千升株餐顿頓趟遍场場班节節堂"
)
# Only before what is counted: the signs are parts of many words.
# A place in a row is no number of things (第二本).
_HAN = re.compile(rf"(?<!第)[{''.join(_FIGURES)}{''.join(_UNITS)}{_MYRIAD}{_NOUGHT}]+(?=[{_COUNTED}])")
_FIGURES_BEFORE_HAN = re.compile(r"(?<![\d.,])\d{1,9}(?:\.\d{1,4})?(?=[\u3040-\u9fff])")
# Year, month and day are marked each by a sign of its own.
_HAN_DAY = re.compile(
    r"(?:(?P<year>(?:19|20)\d\d)年)?(?<!\d)(?P<month>1[0-2]|0?[1-9])月(?P<day>3[01]|[12]\d|0?[1-9])[日号]"
)
_HAN_CLOCK = re.compile(
    rf"(?:(?P<part>上午|早上|早晨|凌晨|午前|朝|下午|晚上|傍晚|午後|夕方|晩|夜|晚)の?)?(?<!\d)"
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
# Minutes of an hour.
_AN_HOUR = 60
# Characters beside a weekday in which its clause names a week, and those in which "next" stands.
_WEEK_REACH, _BESIDE = 48, 14
# What a week or a part of the day is said of ends here.
_CLAUSE = re.compile(r"[.;:!?,]\s|\n")
# What makes a number an hour.
_TELLS_HOUR = frozenset({"m", "before", "behind", "half", "quarter", "till", "past_hour", "to_hour", "less"})


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
    # "Due" and "once" are numbers in Italian and Spanish: in doubt a text is English, and only long words are none.
    doubtful = any(language.code == _ENGLISH for language in spoken)
    for language in (each for each in spoken if each.code != _ENGLISH):
        found = numerals_in(text, language)
        yield from (each for each in found if not doubtful or each[1] - each[0] >= _NO_ENGLISH)
        if doubtful:
            continue
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
            count = int(number) if number.isdecimal() else _counts(language).get(number) or _han(number)
            yield from _days_from(now, count * unit, hit)
    named = _weekdays(language.code)
    for hit in _any_of(tuple(named), spaced=language.spaced).finditer(text):
        turn = _week_of(text, hit, language)
        if turn is not None:
            # Of a week that is named, a weekday is one day.
            yield from _days_from(now, 7 * turn + named[hit.group()] - now.weekday(), hit)
            continue
        coming = language.spaced and _coming(language).search(text[max(0, hit.start() - _BESIDE) : hit.end() + _BESIDE])
        for day in weekdays(now.date(), named[hit.group()], "next" if coming else None):
            yield Moment(*hit.span(), day=day)


def _week_of(text: str, hit: re.Match[str], language: Language) -> int | None:
    """By how many weeks the weekday's week is off, where its clause names the week; None where it does not."""
    weeks = ((1, language.next_week), (0, language.this_week), (-1, language.last_week))
    before, behind = text[max(0, hit.start() - _WEEK_REACH) : hit.start()], text[hit.end() : hit.end() + _WEEK_REACH]
    for turn, words in weeks:
        if not language.spaced and before.endswith(tuple(words)):
            return turn
        clause = f"{_CLAUSE.split(before)[-1]} {_CLAUSE.split(behind)[0]}"
        if language.spaced and phrases(words).search(clause):
            return turn
    return None


@lru_cache(maxsize=16)
def _coming(language: Language) -> re.Pattern[str]:
    """A weekday with "next" beside it."""
    names, words = either(_weekdays(language.code)), either(language.next_day)
    return re.compile(rf"(?<!\w)(?:(?:{words}) (?:{names})|(?:{names}) (?:{words}))(?!\w)")


def _days_from(now: datetime, days: int, hit: re.Match[str]) -> Iterator[Moment]:
    """So many days from now; none beyond the calendar."""
    if 0 < now.toordinal() + days <= date.max.toordinal():
        yield Moment(*hit.span(), day=date.fromordinal(now.toordinal() + days))


def _clocks(text: str, language: Language) -> Iterator[Moment]:
    pattern = _clock(language) if language.spaced else _HAN_CLOCK
    for hit in pattern.finditer(text) if pattern else ():
        found = {name: told for name, told in hit.groupdict().items() if told}
        # A number by itself is no hour.
        if language.spaced and not found.keys() & _TELLS_HOUR:
            continue
        minute = _minutes_told(found.get("m", found.get("past", "0")), language) or 15 * ("quarter" in found)
        hour = _hour_of(found, language)
        if "half" in found or "till" in found:
            # "Halb acht" is half an hour before eight.
            hour, minute = hour - ("till" in found), 30
        minute += 15 * ("past_hour" in found)
        if found.keys() & {"to_hour", "less"}:
            hour, minute = hour - 1, 45
        if "lacking" in found:
            # "Alle cinque meno dieci" is ten minutes before five.
            hour, minute = hour - 1, _AN_HOUR - _minutes_told(found["lacking"], language)
        # Before midnight it is the day before: "halb 0" is 23:30.
        hour %= 2 * _NOON
        late, early = _half_of_day(text, hit.start(), found.get("part", ""), language)
        if not late or hour >= _NOON:
            yield Moment(*hit.span(), clock=time(hour, minute))
        if hour < _NOON and not early:
            yield Moment(*hit.span(), clock=time(hour + _NOON, minute))
    for words, hour in ((language.noon, _NOON), (language.midnight, 0)):
        for hit in _noons(words, language).finditer(text):
            minute = 30 * (hit["half"] is not None) + 15 * (hit["quarter"] is not None)
            yield Moment(*hit.span(), clock=time(hour, minute))


def _half_of_day(text: str, start: int, part: str, language: Language) -> tuple[bool, bool]:
    """Whether an hour is of the later or of the earlier half of the day, by what stands behind it, else before it."""
    if part or not language.spaced:
        return part in language.late, part in language.early
    before = _CLAUSE.split(text[max(0, start - _WEEK_REACH // 2) : start])[-1]
    found = [
        (hit.end(), late)
        for words, late in ((language.late_before, True), (language.early_before, False))
        for hit in phrases(words).finditer(before)
        # Another hour may stand between them.
        if not re.search(r"\d", before[hit.end() :])
    ]
    return (max(found)[1], not max(found)[1]) if found else (False, False)


@lru_cache(maxsize=32)
def _noons(words: frozenset[str], language: Language) -> re.Pattern[str]:
    """Twelve o'clock by its name, perhaps with a half or a quarter; "après-midi" is the afternoon."""
    half, quarter = either(language.half_behind), either(language.quarter_behind)
    edges = (r"(?<!\w)(?<!apres[ -])", r"(?!\w)") if language.spaced else ("", "")
    return re.compile(
        rf"{edges[0]}(?:{either(words)}){edges[1]}(?: (?:(?P<half>{half})|(?P<quarter>{quarter}))(?!\w))?"
    )


def _hour_of(found: Mapping[str, str], language: Language) -> int:
    if "h" in found:
        return int(found["h"])
    return _han(found["han"]) % 24 if "han" in found else _hours(language)[found["named"]]


@lru_cache(maxsize=16)
def _hours(language: Language) -> dict[str, int]:
    """Hours in words; one o'clock has forms of its own in many languages, and is left to figures."""
    return {word: number for word, number in number_words(language).items() if 1 < number < 2 * _NOON}


@lru_cache(maxsize=16)
def _minutes(language: Language) -> dict[str, int]:
    """Minutes in words, as they are taken from an hour or follow it."""
    return {word: number for word, number in number_words(language).items() if 1 < number < _AN_HOUR}


def _minutes_told(minutes: str, language: Language) -> int:
    return int(minutes) if minutes.isdecimal() else _minutes(language)[minutes]


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
            words.update(_relative_words(language), number_words(language), _weekdays(language.code))
            ahead = language.days_ahead | language.weeks_ahead | language.days_ago | language.weeks_ago
            words.update(max(told.split(), key=len) for told in ahead)
            words.update(language.noon, language.midnight)
    hours = either({word for each in languages() for word in each.clock_before | each.clock_behind})
    # Numbers above a hundred are written as one word in some languages.
    compounds = [each for each in languages() if "" in each.number_gaps]
    joined = either({word for each in compounds for word in each.hundred | each.thousand | each.half_added})
    return re.compile(
        rf"(?<!\w)(?:{either(words)})(?!\w)|{joined}|[\u3040-\u9fff]|(?<!\w)(?:{hours}) \d|\d ?(?:{hours})(?!\w)"
    )


@lru_cache(maxsize=16)
def _ahead(language: Language) -> tuple[tuple[re.Pattern[str], int], ...]:
    """Patterns of a number of days or weeks from now, each with the days of its unit."""
    figures = "".join((*_FIGURES, *_UNITS))
    number = rf"(?P<n>\d{{1,3}}|{either(_counts(language)) if language.spaced else f'[{figures}]{{1,4}}'})"
    edges = (r"(?<!\w)", r"(?!\w)") if language.spaced else ("", "")
    ways = (
        (language.days_ahead, 1), (language.weeks_ahead, 7), (language.days_ago, -1), (language.weeks_ago, -7),
    )  # fmt: skip
    units = ((told, days) for words, days in ways for told in words)
    return tuple(
        (re.compile(f"{edges[0]}{re.escape(told).replace(re.escape('{n}'), number)}{edges[1]}"), days)
        for told, days in units
    )


@lru_cache(maxsize=16)
def _weekdays(code: str) -> dict[str, int]:
    """Each weekday's name and number from Monday; Portuguese says its shorter forms, too."""
    names = {fold(name): number for number, name in get_day_names("wide", locale=code).items()}
    short = {name.removesuffix("-feira").removesuffix("日"): number for name, number in names.items()}
    spoken = {name.replace("星期", week): n for name, n in names.items() for week in ("周", "礼拜", "週")}
    return names | short | spoken if code in ("ja", "zh") else names | short


@lru_cache(maxsize=16)
def _counts(language: Language) -> dict[str, int]:
    """Number words, one among them: behind "in" it is no article."""
    return {**dict.fromkeys(language.ones, 1), **number_words(language)}


@lru_cache(maxsize=16)
def _relative_words(language: Language) -> dict[str, int]:
    return {word: int(offset) for offset, words in language.days.items() for word in words}


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
    past, to, less = map(either, (language.past_before, language.to_before, language.quarter_less))
    minus, minutes = either({words.split()[0] for words in language.quarter_less}), either(_minutes(language))
    return re.compile(
        rf"(?:(?<!\w)(?P<before>{before}) )?"
        rf"(?:(?<!\w)(?:(?P<till>{till})|(?P<past_hour>{past})|(?P<to_hour>{to})) )?(?<![\w:.,])"
        rf"(?:(?P<h>2[0-3]|1\d|0?\d)(?:[:.](?P<m>[0-5]\d)(?!\d))?|(?P<named>{either(_hours(language))})(?!\w))"
        rf"(?: ?(?P<behind>{behind})(?!\w)(?: (?P<past>[0-5]\d|{minutes})(?![\w:.,]))?)?(?![\w:]|[.,]\d)"
        rf"(?: (?:(?P<half>{half})|(?P<quarter>{quarter})|(?P<less>{less})"
        rf"|(?:{minus}) (?P<lacking>[1-9]|[12]\d|{minutes}))(?!\w))?(?: (?P<part>{part})(?!\w))?"
    )


def _han(figures: str) -> int:
    """The value of Chinese figures below a hundred million."""
    if _MYRIAD in figures:
        above, _, below = figures.partition(_MYRIAD)
        return 10_000 * (_han(above) or 1) + _han(below.replace(_MYRIAD, ""))
    total = part = 0
    for figure in figures:
        if unit := _UNITS.get(figure):
            total, part = total + (part or 1) * unit, 0
        else:
            part = part * 10 + _FIGURES.get(figure, 0)
    return total + part
