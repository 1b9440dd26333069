"""A text that the agent words tells nothing that nobody said; what may be told in words is left to whoever reads."""

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.doubts import unknown_fact
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool

MAIL = tool("send_email", "Sends an e-mail.", to=TEXT, body=TEXT)
SAID = "Tell Ann that the API fails since 14:20, that we ship on 9 September, and send her https://docs.example/m/4471."
ANN = result("find", [{"name": "Ann", "email": "ann@firm.example", "code": "K7Q2XM"}])


def is_doubted(body: str, query: str = SAID) -> bool:
    traced = Grounder(context(query, ANN, offered=(MAIL,))).trace_call(call("send_email", to="Ann", body=body))
    return traced.leaves[1].rule == unknown_fact.RULE


@pytest.mark.parametrize(
    "body",
    [
        "Hi Ann, the API fails since 15:20.",
        "Hi Ann, the API fails since 14:02.",
        "Hi Ann, we will ship on 19 September.",
        "Hi Ann, here it is: https://docs.example/m/4417",
        "Hi Ann, please write to bob@firm.example.",
        "Hi Ann, your code is K7Q2XN.",
    ],
)
def test_a_fact_that_nothing_says_leaves_a_text_open(body: str) -> None:
    assert is_doubted(body)


@pytest.mark.parametrize(
    "body",
    [
        "Hi Ann, the API fails since 2:20 pm.",
        "Hi Ann, we will ship on 2026-09-09.",
        "Hi Ann, here it is: https://docs.example/m/4471.",
        "Hi Ann, your code is K7Q2XM, and your address ann@firm.example.",
        # The clock says 4 March 2026.
        "Hi Ann, let us meet tomorrow, on 5 March, at 12:00 or at half past, 12:30.",
        "Hi Ann, it is 3 times as slow as in 2025.",
    ],
)
def test_what_is_said_in_any_spelling_or_needs_no_figures_does_not(body: str) -> None:
    assert not is_doubted(body)


def test_what_follows_from_a_length_of_time_may_be_told() -> None:
    query = "Write to Ann that we meet at 14:20 for 50 minutes, and pay within 30 days of 9 September."
    assert not is_doubted("Hi Ann, we meet from 14:20 to 15:10, and payment is due by 9 October 2026.", query)
    assert is_doubted("Hi Ann, we meet from 14:20 to 15:20.", query)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # The clock says 4 March 2026.
        ("Ask Ann for her form.", True),
        ("Ask Ann for her form by Monday.", True),
        ("Ask Ann for her form by Friday next week.", False),
        ("Frag Ann, ob sie bis Freitag in einer Woche antwortet.", False),
        ("Ask Ann for her form, she has nine days.", False),
        ("Ask Ann for her form, fri week at the latest.", False),
        ("Напомни в следующую пятницу.", False),
    ],
)
def test_a_day_of_next_week_may_be_told_where_words_name_its_weekday_or_a_length(query: str, *, expected: bool) -> None:
    assert is_doubted("Hi Ann, please send us your form by Friday, 13 March.", query) is expected


@pytest.mark.parametrize(
    ("body", "expected"), [("会議は5月20日15時からです。", False), ("会議は5月20日16時からです。", True)]
)
def test_a_text_without_spaces_is_read_as_well(body: str, *, expected: bool) -> None:
    assert is_doubted(body, "会議は5月20日15時からだとメールしてください。") is expected


COUNTED = "Tell Ann that 37 of the 1,265 crates are in bay 5.18 from 10:30 on, and 20 of the 37 go to Bo."


@pytest.mark.parametrize(
    "body",
    [
        "Hi Ann, 73 of the 1,265 crates are in bay 5.18 from 10:30 on.",
        "Hi Ann, 37 of the 1.256 crates are in bay 5.18 from 10:30 on.",
        "Hi Ann, 37 crates are in bay 5.81 from 10:30 on.",
        "Hi Ann, 37 crates are in bay 5.18 from 11:30 on.",
    ],
)
def test_a_slip_of_a_figure_that_is_left_out_leaves_a_text_open(body: str) -> None:
    assert is_doubted(body, COUNTED)


@pytest.mark.parametrize(
    "body",
    [
        "Hi Ann, 37 of 1265 crates are in bay 5.18 from 10.30 on.",
        # What is left of 37 when 20 go, and a list of our own.
        "Hi Ann, of the crates in bay 5.18 17 stay. 1. Count them. 2. Call me at extension 88.",
    ],
)
def test_another_spelling_a_result_and_any_other_figure_does_not(body: str) -> None:
    assert not is_doubted(body, COUNTED)


def test_a_time_that_is_said_in_words_is_no_slip() -> None:
    assert not is_doubted("Hi Ann, we now meet at 11:30.", "Tell Ann it moves from 10:30 to half past eleven.")
    assert not is_doubted("Hi Ann, we now meet at 11:30.", "Tell Ann our 10:30 call is an hour later.")


@pytest.mark.parametrize(("body", "expected"), [("the tray R-20913-B", True), ("the next one, R-20932-B", False)])
def test_a_code_with_two_figures_exchanged_leaves_a_text_open(body: str, *, expected: bool) -> None:
    returned = result("find", [{"name": "Ann", "part": "R-20931-B"}])
    traced = Grounder(context(SAID, returned, offered=(MAIL,))).trace_call(call("send_email", to="Ann", body=body))
    assert (traced.leaves[1].rule == unknown_fact.RULE) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("worker.log has 48312 bytes", True),
        ("worker.log has 48,312 bytes", True),
        ("worker.log has 48,213 bytes", False),
        # Another number, one that follows, and one that is too short to tell.
        ("it is 48214, below 50000", False),
        ("web.log and worker.log have 58134 bytes", False),
        ("room 192 of 9921", False),
    ],
)
def test_a_long_figure_of_a_result_with_two_exchanged_leaves_a_text_open(body: str, *, expected: bool) -> None:
    returned = result("du", [{"name": "worker.log", "bytes": 48213, "room": 129}, {"name": "web.log", "bytes": 9921}])
    traced = Grounder(context("Write it to Ann.", returned, offered=(MAIL,))).trace_call(
        call("send_email", to="Ann", body=body)
    )
    assert (traced.leaves[1].rule == unknown_fact.RULE) is expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Tell Ann that it comes on 12 March, and ramp 13 stays free.", True),
        ("Tell Ann that it comes on 12 March, no, on 13 March.", False),
        ("Tell Ann that what was meant for 12 March comes on Friday next week.", False),
        ("Tell Ann that what was meant for 12 March comes one day later.", False),
    ],
)
def test_a_day_in_place_of_one_that_the_user_writes_leaves_a_text_open(query: str, *, expected: bool) -> None:
    assert is_doubted("Hi Ann, it comes on 13 March.", query) is expected


def test_a_code_that_stands_somewhere_as_it_is_told_may_be_told() -> None:
    returned = result("find", [{"name": "Ann", "part": "R-20931-B"}, {"name": "Bob", "part": "R-20913-B"}])
    traced = Grounder(context("Tell Ann.", returned, offered=(MAIL,))).trace_call(
        call("send_email", to="Ann", body="Bob has the tray R-20913-B.")
    )
    assert traced.leaves[1].rule != unknown_fact.RULE


def test_a_text_is_quoted_in_its_own_words() -> None:
    body = "Hi Ann, we will ship on 19 September."
    traced = Grounder(context(SAID, ANN, offered=(MAIL,))).trace_call(call("send_email", to="Ann", body=body))
    assert traced.leaves[1].note.startswith("The text says “19 September” (20")
