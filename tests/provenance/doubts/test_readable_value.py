"""Words that may say a value to whoever reads them are shown as a question."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reviews.provenance.doubts import readable_value
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import BANK, COUNT, TEXT, tool
from tests.provenance.doubts.asking import doubt_of
from tests.provenance.proofs.checking import check_unknown


@pytest.mark.parametrize(("words", "code"), [("900 yen", "JPY"), ("900 €", "EUR")])
def test_words_that_may_say_a_value_are_shown_as_a_question(words: str, code: str) -> None:
    asked = context(f"Pay Ann {words}.", offered=BANK)
    doubt = doubt_of(readable_value, asked, call("pay", to="Ann", amount=900, currency=code), "/currency")
    assert doubt is not None
    assert doubt.note == f"The request says “{words}”, which may mean “{code}”. Does it?"
    assert doubt_of(readable_value, asked, call("pay", to="Ann", amount=900, currency="CHF"), "/currency") is None


def test_a_number_in_words_is_quoted_without_the_words_before_it() -> None:
    order = tool("order", "Order a drink.", drink=TEXT, quantity=COUNT)
    asked = context("Two cortados; I'd like one of them with oat.", offered=(order,))
    doubt = doubt_of(readable_value, asked, call("order", drink="cortado", quantity=1), "/quantity")
    assert doubt is not None
    assert doubt.note == "The request says “one”, which may mean “1”. Does it?"


@pytest.mark.parametrize(
    ("said", "end", "told"),
    [
        (
            "on 3 October at 14:00 for 90 minutes",
            "2026-10-03T15:30",
            "3 October at 14:00” and “90 minutes”, which together",
        ),
        ("on 3 October at 14:00 for 90 minutes", "2026-10-03T15:00", None),
        ("tomorrow at 2 pm, for two hours", "2026-10-01T16:00:00", "tomorrow at 2 pm” and “two hours”, which together"),
        ("in 30 minutes", "2026-09-30T10:30", "30 minutes”, which from now on"),
        (
            "on 3 October and again at 14:00 for 90 minutes",
            "2026-10-03T15:30",
            "3 October” and “14:00” and “90 minutes”",
        ),
    ],
)
def test_where_a_length_of_time_leads_to_is_told_with_what_it_counts_from(
    said: str, end: str, told: str | None
) -> None:
    offered = (tool("book_room", "Books a room.", start=TEXT, end=TEXT),)
    asked = replace(context(f"Book a room {said}.", offered=offered), now=datetime(2026, 9, 30, 10, tzinfo=UTC))
    doubt = doubt_of(readable_value, asked, call("book_room", start="", end=end), "/end")
    assert (told is None) if doubt is None else (told or "-") in doubt.note


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("tomorrow at half past seven in the evening", "“tomorrow” and “half past seven”"),
        ("tomorrow at seven", "“tomorrow” and “seven”"),
    ],
)
def test_an_hour_in_words_is_quoted_with_what_leads_to_it(said: str, told: str) -> None:
    offered = (tool("book_table", "Books a table.", time=TEXT),)
    asked = replace(context(f"Book a table {said}.", offered=offered), now=datetime(2026, 9, 30, 10, tzinfo=UTC))
    doubt = doubt_of(readable_value, asked, call("book_table", time="2026-10-01T19:00"), "/time")
    assert doubt is not None
    assert doubt.note == f"The request says {told}, which may mean “2026-10-01T19:00”. Does it?"


@pytest.mark.parametrize("words", ["3万円", "約3億", "3만원을"])
def test_figures_with_a_scale_never_say_the_figures(words: str) -> None:
    asked = context(f"Pay Ann {words}", offered=BANK)
    assert doubt_of(readable_value, asked, call("pay", to="Ann", amount=3), "/amount") is None
    check_unknown(asked, call("pay", to="Ann", amount=3), "/amount")


@pytest.mark.parametrize(
    ("said", "start", "length"),
    [
        ("Postpone the visit by a week", "2026-12-09T09:30", "a week"),
        ("Move the visit up by an hour", "2026-12-02T08:30:00", "an hour"),
        ("Move the visit", "2026-12-09", ""),
        ("Postpone the visit by a week", "2026-12-10T09:30", ""),
    ],
)
def test_a_moment_of_the_data_is_moved_by_a_length_that_the_user_says(said: str, start: str, length: str) -> None:
    visit = {"id": "v-1", "start": "2026-12-02T09:30"}
    asked = context(f"{said}.", result("get_visit", visit), offered=(tool("move", "Moves a visit.", start=TEXT),))
    doubt = doubt_of(readable_value, asked, call("move", start=start), "/start")
    told = f"History 1 says “2026-12-02T09:30” and the request says “{length}”, which together give “{start}”."
    assert (doubt.note.startswith(told) if doubt else not length) is True
