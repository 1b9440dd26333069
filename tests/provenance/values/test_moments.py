from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import pytest
from babel.dates import format_date, format_time
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.text.fold import fold
from reviews.provenance.values.moments import Moment, literal_moments_in, moment_of, moments_in, zone_of
from reviews.provenance.values.zones import home_clock, zone_stated_in
from tests.provenance.values.writing import LOCALE, TEXT

# A Thursday; a trace's clock has the user's own zone.
NOW: Final = datetime(2026, 3, 5, 9, 0)  # noqa: DTZ001
DAYS: Final = st.dates(min_value=date(1950, 1, 1), max_value=date(2049, 12, 31))
# Languages that write a time of day with a colon; with a point it is a number as well.
WITH_COLON: Final = LOCALE.filter(lambda locale: locale not in ("da", "fi"))


def moments(text: str, now: datetime | None = NOW) -> list[Moment]:
    return list(moments_in(fold(text), now))


def days(text: str) -> set[date | None]:
    return {moment.day for moment in moments(text)}


@given(DAYS, LOCALE, st.sampled_from(["medium", "long", "full"]))
def test_a_day_is_read_as_each_language_writes_it(day: date, locale: str, length: str) -> None:
    assert day in {moment.day for moment in literal_moments_in(fold(f"({format_date(day, length, locale)})"))}


@given(st.dates(min_value=date(2000, 1, 1), max_value=date(2049, 12, 31)), LOCALE)
def test_a_day_in_figures_is_read_as_each_language_writes_it(day: date, locale: str) -> None:
    written = format_date(day, "short", locale)
    # 5.3.26 may be a version.
    if "." not in written or len(written) == len("05.03.26"):
        assert day in days(written)


@given(DAYS, st.sampled_from(["long", "full"]))
def test_a_korean_day_is_read_as_it_is_written(day: date, length: str) -> None:
    assert day in {moment.day for moment in literal_moments_in(fold(f"({format_date(day, length, 'ko')})"))}
    assert date(NOW.year, 7, 3) in days("회의는 7월 3일로 옮겨 주세요")


@given(st.times(), WITH_COLON, st.sampled_from(["short", "medium"]))
def test_a_time_of_day_is_read_as_each_language_writes_it(clock: time, locale: str, length: str) -> None:
    kept = clock.replace(microsecond=0, second=0 if length == "short" else clock.second)
    assert kept in {moment.clock for moment in moments(format_time(clock, length, locale=locale))}


@given(st.datetimes(min_value=datetime(1950, 1, 1), max_value=datetime(2049, 12, 31)))  # noqa: DTZ001
def test_what_databases_write_is_one_moment_and_reads_back(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    assert [(read.day, read.clock) for read in moments(whole.isoformat())] == [(whole.date(), whole.time())]
    assert moment_of(whole.isoformat()) == moment_of(whole.isoformat(" ")) == (whole.date(), whole.time())


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", "2026-03-05"), ("tomorrow", "2026-03-06"), ("the day after tomorrow", "2026-03-07"),
        ("yesterday", "2026-03-04"), ("this Friday", "2026-03-06"), ("in two weeks", "2026-03-19"),
        ("3 days ago", "2026-03-02"), ("two weeks from tomorrow", "2026-03-20"), ("in a month", "2026-04-05"),
        ("the end of next month", "2026-04-30"), ("beginning of this quarter", "2026-01-01"),
    ],
)  # fmt: skip
def test_a_relative_day_is_read_against_the_clock(text: str, day: str) -> None:
    assert days(text) == {date.fromisoformat(day)}


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("next Friday", {"2026-03-06", "2026-03-13"}),
        ("Freitag", {"2026-03-06", "2026-02-27"}),
        ("03/04/2026", {"2026-03-04", "2026-04-03"}),
        ("03/04/2026, not 23/04/2026", {"2026-04-03", "2026-04-23"}),
        ("03.04.2026", {"2026-04-03"}),
        ("2026.4.3", {"2026-04-03"}),
        ("2026. 04. 03.까지", {"2026-04-03"}),
        ("27년 4월 3일까지", {"2027-04-03"}),
        ("97年4月3日", {"1997-04-03"}),
        ("平成27年4月3日", {"2025-04-03", "2026-04-03"}),
        ("November 21", {"2025-11-21", "2026-11-21"}),
        ("May 13-17, 2024", {"2024-05-13", "2024-05-17"}),
        ("13th to the 17th of May 2026", {"2026-05-13", "2026-05-17"}),
        ("this weekend", {"2026-03-07", "2026-03-08"}),
        ("Friday, 6 March 2026", {"2026-03-06"}),
        ("midnight on 6 March 2026", {"2026-03-06", "2026-03-07"}),
        ("6 March 2026 at noon", {"2026-03-06"}),
    ],
)
def test_what_can_be_read_in_two_ways_has_both_readings(text: str, readings: set[str]) -> None:
    assert days(text) == {date.fromisoformat(day) for day in readings}


@pytest.mark.parametrize(
    ("text", "clocks"),
    [
        ("3pm", {"15:00"}), ("3 p.m.", {"15:00"}), ("12 am", {"00:00"}), ("noon", {"12:00"}), ("midnight", {"00:00"}),
        ("15h30", {"15:30"}), ("15 Uhr", {"15:00"}), ("15時30分", {"15:30"}), ("3:30", {"03:30", "15:30"}),
        ("03:30", {"03:30"}), ("13:00-14:30", {"13:00", "14:30"}), ("1030Z", {"10:30"}), ("0515 zulu", {"05:15"}),
        ("0540 hrs", {"05:40"}), ("0540 hours local", {"05:40"}),
        ("13-14:30", {"13:00", "14:30"}), ("room 2, 30-2-14:30, 1-2-14:30, 13-14:30:15", {"14:30", "14:30:15"}),
    ],
)  # fmt: skip
def test_a_time_of_day_is_read_in_each_half_of_the_day_it_may_be_in(text: str, clocks: set[str]) -> None:
    assert {moment.clock for moment in moments(text)} == {time.fromisoformat(clock) for clock in clocks}


@pytest.mark.parametrize(
    ("text", "clocks"),
    [
        ("8:00 in the evening", {"20:00"}), ("10:30 in the evening", {"22:30"}), ("8:00 in the morning", {"08:00"}),
        ("um 8 Uhr abends", {"20:00"}), ("à 8h30 du soir", {"20:30"}), ("a las 8:00 de la mañana", {"08:00"}),
        ("в 3:00 ночи", {"03:00"}), ("\u0668:\u0660\u0660 مساءً", {"20:00"}),
        ("晚上8:00", {"20:00"}), ("明天8:00", {"08:00", "20:00"}), ("오후 3:30", {"15:30"}),
        ("akşam 8:00", {"20:00"}), ("明天晚上8:00", {"20:00"}),
    ],
)  # fmt: skip
def test_the_part_of_the_day_beside_a_time_tells_its_half(text: str, clocks: set[str]) -> None:
    assert {moment.clock for moment in moments(text)} == {time.fromisoformat(clock) for clock in clocks}


@pytest.mark.parametrize("text", [
    "8:00 mañana", "8:00 morgen", "8:00, in the evening we dine", "8:00 at nightfall", "evening 8:00",
    "este a las 8:00", "1:00 de la noche", "11:00 mittags",
])  # fmt: skip
def test_what_may_be_no_part_of_the_day_or_is_in_neither_half_leaves_both(text: str) -> None:
    assert len({moment.clock for moment in moments(text) if moment.clock}) == 2


@pytest.mark.parametrize("text", ["2 in the evening", "table for 8 at night", "12:00 at night", "20 Uhr abends"])
def test_a_part_of_the_day_makes_no_time_of_a_number_and_moves_none_that_is_told(text: str) -> None:
    read = {moment.clock for moment in moments(text) if moment.clock}
    assert read == {moment.clock for moment in moments(text.rpartition(" ")[0]) if moment.clock}


@pytest.mark.parametrize(
    "text",
    [
        "tomorrow at 15:00", "15:00 tomorrow", "3pm on 2026-03-06", "el 6 de marzo de 2026 a las 15:00",
        "March 6, 2026, 3:00 pm", "20260306T150000", "06.03.2026 um 15 Uhr",
    ],
)  # fmt: skip
def test_a_day_and_a_time_that_stand_together_are_one_moment(text: str) -> None:
    assert {(moment.day, moment.clock) for moment in moments(text)} == {(date(2026, 3, 6), time(15))}


def test_a_day_and_a_time_that_are_alternatives_are_two() -> None:
    assert all(moment.day is None or moment.clock is None for moment in moments("tomorrow or 15:00"))


@pytest.mark.parametrize("text", [
    "5 out of 10", "2 set", "1.9.2", "2026.4.3.1", "v2026.4.3",
    "version 1.2.26", "INV-2026-11-30-7", "30/02/2026", "1410 zebras", "room 1410",
    "2015 UTC", "11410Z", "141000Z", "1500 hours", "0575 hrs", "10540 hrs",
])  # fmt: skip
def test_what_only_looks_like_a_day_is_none(text: str) -> None:
    assert moments(text) == []


def test_without_a_clock_a_day_may_be_of_any_year_and_nothing_is_relative() -> None:
    (moment,) = moments("November 21, not tomorrow", None)
    assert moment.any_year
    assert moment.on(date(2025, 11, 21))
    assert not moment.on(date(2025, 11, 22))
    assert list(literal_moments_in("november 21, not tomorrow")) == []


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-03-06T15:00:00Z", "15:00"), ("2026-03-06T15:00:00+02:00", "13:00"), ("2026-03-06 3pm ET", "20:00"),
        ("2026-03-06 3pm Berlin time", "14:00"), ("2026-03-06T10:00:00-05:30", "15:30"),
        ("2026-03-06, 1725 UTC", "17:25"),
    ],
)  # fmt: skip
def test_a_zone_beside_a_time_is_its_zone(text: str, utc: str) -> None:
    instants = {
        datetime.combine(moment.day, moment.clock, moment.zone).astimezone(UTC).time()
        for moment in moments(text)
        if moment.day and moment.clock and moment.zone
    }
    assert time.fromisoformat(utc) in instants


def test_the_zone_of_the_reader_moves_the_clock() -> None:
    zone = zone_stated_in("The user's time zone is Europe/Berlin.")
    clock = home_clock(datetime(2026, 3, 5, 23, 30, tzinfo=UTC), zone)
    assert clock is not None
    assert clock.replace(tzinfo=None) == datetime(2026, 3, 6, 0, 30)  # noqa: DTZ001
    assert zone_stated_in("Berlin is nice") is None
    assert home_clock(NOW, None) is NOW


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("15:00", (None, time(15))), ("3pm", (None, time(15))), ("2026-03-05", (date(2026, 3, 5), None)),
        ("March 5, 2026", (date(2026, 3, 5), None)), ("12.5", None), ("March 5", None), ("2026-13-45", None), (5, None),
        ("5 apples at 15:00", None), ("Fri, 6 Mar 2026 10:00:00 GMT", (date(2026, 3, 6), time(10))),
        ("vendredi 06.03.2026", (date(2026, 3, 6), None)), ("Mon, 6 Mar 2026", None), ("before 2026-03-06", None),
        ("before 15:00", None), ("Friday 15:00", None), ("tomorrow 15:00", None), ("3월 5일 오후 3시", None),
        ("2026년 3월 5일 오후 3시", (date(2026, 3, 5), time(15))), ("5 août 2026", (date(2026, 8, 5), None)),
    ],
)  # fmt: skip
def test_a_value_means_a_moment_only_as_a_whole(value: object, meant: tuple[date | None, time | None] | None) -> None:
    assert moment_of(value) == meant


@pytest.mark.parametrize(
    ("value", "hours"),
    [
        ("2026-03-06T10:00+02:00", 2), ("10:00+02:00", 2), ("10:00Z", 0), ("10:00 UTC", 0), ("10:00 PST", -8),
        ("10:00", None), ("2026-03-06", None), ("at ten", None),
    ],
)  # fmt: skip
def test_a_value_names_its_zone_in_iso_or_by_letters(value: str, hours: int | None) -> None:
    assert zone_of(value) == (None if hours is None else timedelta(hours=hours))


@given(TEXT, st.datetimes() | st.none())
def test_every_moment_lies_in_its_text_on_any_day(text: str, now: datetime | None) -> None:
    folded = fold(text)
    for moment in moments_in(folded, now):
        assert 0 <= moment.start < moment.end <= len(folded)
        assert moment.day is not None or moment.clock is not None


@given(st.sampled_from(["tomorrow", "in 999 years", "next week", "Friday", "end of next year", "yesterday"]))
def test_at_the_ends_of_the_calendar_nothing_is_an_exception(text: str) -> None:
    for now in (datetime.min, datetime.max):  # noqa: DTZ901
        for moment in moments(text, now):
            assert moment.day is None or abs(moment.day - now.date()) < timedelta(days=366 * 1000)


@given(st.text(max_size=80))
def test_no_value_is_an_exception(value: str) -> None:
    meant = moment_of(value)
    assert meant is None or meant != (None, None)


@pytest.mark.parametrize(
    ("text", "clocks"),
    [
        ("明天下午三点和Ada", {time(15)}),
        ("下午 3点", {time(15)}),
        ("下午3點半", {time(15, 30)}),
        ("午前0時", {time(0)}),
        ("下午十二点二十五分", {time(12, 25)}),
        ("오후 3시 30분에", {time(15, 30)}),
        ("오후 3시 반에", {time(15, 30)}),
        ("上午3点", {time(3)}),
        ("上午12点", {time(0)}),
        ("明天晚上八点", {time(20)}),
        ("今夜8時", {time(20)}),
        # Midnight to most, and no hour of CLDR's.
        ("晚上12点", set()),
        # What is behind the hour is not understood, and three points are no time.
        ("下午3点一刻", set()),
        ("午後3時間", set()),
        ("三点建议", set()),
    ],
)
def test_the_half_of_the_day_tells_a_time_in_scripts_without_spaces(text: str, clocks: set[time]) -> None:
    assert {moment.clock for moment in moments(text, None)} == clocks


@pytest.mark.parametrize("text", ["3-4pm Paris time", "from 3pm to 4pm Paris time", "15:00 - 16:00 Europe/Paris"])
def test_a_zone_behind_a_range_is_that_of_its_beginning(text: str) -> None:
    zones = {moment.clock: str(moment.zone) for moment in moments(text)}
    assert (zones[time(15)], zones[time(16)]) == ("Europe/Paris", "Europe/Paris")


def test_a_zone_behind_another_time_is_its_own() -> None:
    assert next(moment.zone for moment in moments("Leave at 15:00, not at 16:00 Paris time")) is None


@pytest.mark.parametrize("text", ["on the 6th day of October in 2026", "6 October in 2026", "the 6th of October, 2026"])
def test_a_day_is_read_with_the_year_that_stands_behind_a_preposition(text: str) -> None:
    assert days(text) == {date(2026, 10, 6)}
