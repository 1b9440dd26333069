"""Periods whose end the request leaves open. The clock of these tests stands at 5 March 2026."""

from datetime import datetime

import pytest

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.links.open_period import open_ended
from reviews.provenance.request.leaf import Leaf
from tests.provenance.grounding.checks import NOW, check_against, check_grounded

MIDNIGHT = datetime(2026, 3, 5)  # noqa: DTZ001 - a trace's clock has the user's own zone
TO_YESTERDAY = '{"2026-03-02": 4, "2026-03-03": 6, "2026-03-04": 5}'
TO_TODAY = '{"2026-03-03": 6, "2026-03-04": 5, "2026-03-05": 1}'


def check_end(value: str, text: str, *, start: str = "2026-03-02", name: str = "time_max", **setting: object) -> None:
    """No other end competes with this one."""
    found = check_against(value, None, in_text=text, name=name, siblings={"time_min": start}, **setting)
    assert found.how is not Grounding.COMPETING


def check_other_end(
    value: str,
    other: str,
    text: str,
    quotes: tuple[str, ...] | None = None,
    *,
    start: str = "2026-03-02",
    name: str = "time_max",
    outputs: tuple[str, ...] = (),
    now: datetime = NOW,
) -> None:
    """Another end competes."""
    check_grounded(
        value, in_text=text, name=name, siblings={"time_min": start}, outputs=outputs, now=now,
        how=Grounding.COMPETING, competing=(other,), quotes=quotes,
    )  # fmt: skip


def test_of_many_ends_each_costs_the_same() -> None:
    call = Call(tuple(Leaf(f"2026-03-{1 + n % 28:02}", f"/to/{n}") for n in range(20_000)))
    # Each against every other would take minutes.
    assert not any(open_ended(leaf, call) for leaf in call.leaves)


def test_a_day_that_has_not_begun_competes_with_the_day_before() -> None:
    check_other_end("2026-03-05", "2026-03-04", "plot visits since March 2", ("since March 2",), now=MIDNIGHT)


def test_data_that_end_earlier_compete() -> None:
    check_other_end("2026-03-05", "2026-03-04", "plot visits since March 2", outputs=(TO_YESTERDAY,))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("plot visits over the last 3 days", "2026-03-02"),
        ("plot visits from March 2 onwards", "2026-03-02"),
        ("starting Monday, plot the visits", "2026-03-02"),
        ("were visits higher than on March 2? Then plot them since then", "2026-03-02"),
    ],
)
def test_ways_to_leave_an_end_open(text: str, start: str) -> None:
    check_other_end("2026-03-05", "2026-03-04", text, start=start, now=MIDNIGHT)


@pytest.mark.parametrize("name", ["end_date", "to", "until", "before"])
def test_names_of_ends(name: str) -> None:
    check_other_end("2026-03-05", "2026-03-04", "visits since March 2", name=name, now=MIDNIGHT)


@pytest.mark.parametrize(
    "text",
    [
        "plot visits since March 2 until today",
        "plot visits since March 2 until March 5",
        "plot visits between March 2 and March 5",
        "plot visits from March 2 to March 5",
        "plot visits on March 2",
    ],
)
def test_an_end_that_is_named_or_no_open_period(text: str) -> None:
    check_end("2026-03-05", text, now=MIDNIGHT)


def test_a_day_well_begun_is_as_good_as_any() -> None:
    check_end("2026-03-05", "plot visits since March 2")


def test_the_last_day_of_the_data_is_the_end() -> None:
    check_end("2026-03-05", "plot visits since March 2", outputs=(TO_TODAY,), now=MIDNIGHT)
    check_end("2026-03-04", "plot visits since March 2", outputs=(TO_YESTERDAY,), now=MIDNIGHT)


def test_a_series_that_the_lookup_cut_off_shows_no_end() -> None:
    check_end("2026-03-05", "visits since March 2", outputs=(TO_YESTERDAY,), called_with={"end": "2026-03-04"})


def test_an_end_long_past_goes_against_the_request() -> None:
    check_against(
        "2026-02-20", "since February 2", in_text="plot visits since February 2", name="time_max",
        siblings={"time_min": "2026-02-02"},
    )  # fmt: skip


def test_an_end_without_its_start_is_no_period() -> None:
    found = check_against("2026-03-05", None, in_text="plot visits since March 2", name="time_max", now=MIDNIGHT)
    assert found.how is not Grounding.COMPETING


def test_the_present_moment_is_a_plain_end() -> None:
    check_end("2026-03-05 00:00:00", "plot visits since March 2", now=MIDNIGHT)
