"""Moments that the database gives: the same as Django's own reader makes of them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import connection
from django.db.backends.postgresql.psycopg_any import BaseTzLoader
from hypothesis import given
from hypothesis import strategies as st

from guardapp.database.base import MomentLoader

pytestmark = pytest.mark.django_db


def read_back(moment: datetime) -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [moment])
        found: datetime = cursor.fetchone()[0]
    return found


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 3, 29, 1, 30, 0, 1, tzinfo=UTC),
        datetime(2026, 3, 29, 1, 30, 0, 500_000, tzinfo=UTC),
        datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ],
)
def test_a_moment_comes_back_to_the_microsecond_and_in_utc(moment: datetime) -> None:
    assert read_back(moment) == moment
    assert read_back(moment).tzinfo is UTC


# As far from both ends of what Python has as an offset may move them.
MOMENTS = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001


@given(moment=MOMENTS, minutes=st.integers(-900, 900))
def test_a_moment_is_the_same_whichever_offset_the_server_writes_it_with(moment: datetime, minutes: int) -> None:
    there = moment.astimezone(timezone(timedelta(minutes=minutes)))
    assert MomentLoader(0).load(there.isoformat(" ").encode()) == moment


def test_a_connection_with_another_time_zone_reads_as_django_does() -> None:
    with connection.cursor() as cursor:
        loader = cursor.adapters.get_loader(1184, 0)
    assert loader is MomentLoader
    connection.timezone, before = timezone(timedelta(hours=2)), connection.timezone
    try:
        with connection.cursor() as cursor:
            other = cursor.adapters.get_loader(1184, 0)
    finally:
        connection.timezone = before
    assert issubclass(other, BaseTzLoader)
