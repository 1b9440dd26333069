"""Every kind of term: what verifies, and what does not."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core.context import Context, JsonValue, Message, Span, Step
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.sources import Evidence
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.terms import (
    Composed,
    Computed,
    Condition,
    Confirmed,
    Documented,
    Field,
    Input,
    Key,
    OtherArgument,
    Selected,
    Stated,
)
from reviews.provenance.terms.verify import Refused, Verified, verify_term
from tests.provenance.argument_grounding.made import agent, context, user
from tests.provenance.terms.checking import CONTEXT, RESULT, at, check_refused, check_verified

THIRTY = Stated(at("query", "$30.00"))
BO = Key(at(RESULT, "Bo Ray"), Stated(at("query", "Bo Ray")))
BOS_ADDRESS = Field(at(RESULT, "bo@firm.example"), (BO,))
ANNS_ADDRESS = Field(at(RESULT, "ann@firm.example"), (BO,))
OFFER, ANSWER = at("history/2/message", "45"), at("history/3/message", "Yes.")
OLDEST = Selected(RESULT, "/*", "email", order="age", descending=True)
IS_BO = Condition("name", "equals", "Bo Ray", Stated(at("query", "Bo Ray")))


def test_a_stated_value_is_read_as_it_is_written() -> None:
    assert check_verified(THIRTY, 30, Grounding.NORMALIZE).spans[0].source == "query"
    check_verified(Stated(at("query", "Bo Ray")), "Bo Ray", Grounding.COPY)
    check_verified(Stated(at("source/system", "2")), 2)


def test_a_quote_is_narrowed_to_the_value() -> None:
    quotes = [span.quote for span in check_verified(Stated(at("query", "$30.00 to Bo Ray")), "Bo Ray").spans]
    assert quotes == ["Bo Ray"]


def test_a_quote_that_says_another_value_is_refused() -> None:
    check_refused(THIRTY, 31, "does not say")
    check_refused(THIRTY, 3, "does not say")
    check_refused(Stated(at("query", "Bo Ray")), "Bo Rax", "does not say")


@pytest.mark.parametrize(("value", "holds"), [("max", True), ("Max", False), ("MAX", False)])
def test_where_the_data_tell_spellings_apart_the_words_name_their_own(value: str, *, holds: bool) -> None:
    found = Step("find_user", {"q": "max"}, '[{"id": "Max", "role": "head"}, {"id": "max"}, {"id": "MAX"}]')
    evidence = Evidence(Context("The intern max can be disabled.", (), (found,)))
    outcome = verify_term(Stated(Span("query", 11, 14, "max")), Leaf(value, "/id"), evidence)
    assert isinstance(outcome, Verified) is holds


def test_a_spelling_that_is_nobodys_own_is_no_other_value() -> None:
    found = Step("find_user", {"q": "ann"}, '[{"id": "Ann"}]')
    evidence = Evidence(Context("Disable ann.", (), (found,)))
    assert isinstance(verify_term(Stated(Span("query", 8, 11, "ann")), Leaf("Ann", "/id"), evidence), Verified)


def test_a_quote_that_is_not_there_is_refused() -> None:
    check_refused(Stated(replace(THIRTY.span, quote="$31.00")), 31, "does not stand there")
    check_refused(Stated(replace(THIRTY.span, source="history/9/message")), 30, "does not stand there")
    check_refused(Stated(Span("query", 4, 4, "")), "", "does not stand there")


@pytest.mark.parametrize(
    "span", [at("history/2/message", "45"), at(RESULT, "41"), at("history/1/call", "Sales"), at("tool/pay", "15")]
)
def test_only_users_and_operators_state(span: Span) -> None:
    check_refused(Stated(span), span.quote, "proves nothing of this kind")


def test_a_document_documents_and_a_result_does_not() -> None:
    check_verified(Documented(at("tool/pay", "15")), 15)
    check_verified(Documented(at("source/system", "2")), 2)
    check_refused(Documented(at(RESULT, "41")), 41, "proves nothing of this kind")
    check_refused(Documented(at("tool/pay", "15")), 16, "does not say")


def test_an_offer_that_is_answered_is_confirmed() -> None:
    assert [span.quote for span in check_verified(Confirmed(OFFER, ANSWER), 45).spans] == ["45", "Yes."]


def test_an_offer_that_is_not_answered_is_not_confirmed() -> None:
    check_refused(Confirmed(at("history/4/message", "46"), ANSWER), 46, "not the answer")
    check_refused(Confirmed(at("history/6/message", "47"), ANSWER), 47, "not the answer")
    check_refused(Confirmed(OFFER, ANSWER), 46, "does not say")
    check_refused(Confirmed(OFFER, at("query", "Bo Ray")), 45, "not the answer")
    check_refused(Confirmed(THIRTY.span, ANSWER), 30, "proves nothing of this kind")


@pytest.mark.parametrize(
    ("answer", "holds"),
    [("Yes.", True), ("Fine, but hurry", True), ("No.", False), ("no thanks", False), ("Nein, danke!", False)],
)
def test_who_only_denies_an_offer_confirms_nothing(answer: str, holds: bool) -> None:
    asked = context("Pay Bo.", agent("Shall I pay 45?"), user(answer), offered=())
    offer, answered = Span("history/1/message", 12, 14, "45"), Span("history/2/message", 0, len(answer), answer)
    outcome = verify_term(Confirmed(offer, answered), Leaf(45), Evidence(asked))
    assert isinstance(outcome, Verified) is holds


def test_a_field_whose_record_a_key_names_is_resolved() -> None:
    assert [span.quote for span in check_verified(BOS_ADDRESS, "bo@firm.example", Grounding.RESOLVE).spans] == [
        "bo@firm.example", "Bo Ray", "Bo Ray",
    ]  # fmt: skip


def test_one_word_of_a_key_names_its_record() -> None:
    check_verified(
        Field(at(RESULT, "bo@firm.example"), (replace(BO, by=Stated(at("query", "Ray"))),)), "bo@firm.example"
    )


def test_a_field_without_keys_is_a_fact_about_characters() -> None:
    check_verified(Field(at(RESULT, "41")), 41)
    check_verified(Field(at("source/old", "90")), 90)


def test_a_field_of_another_record_than_the_key_is_refused() -> None:
    check_refused(ANNS_ADDRESS, "ann@firm.example", "a field of another record")


def test_a_key_that_nobody_says_is_refused() -> None:
    said_otherwise = Key(at(RESULT, "Ann Lee"), Stated(at("query", "Bo Ray")))
    check_refused(Field(at(RESULT, "ann@firm.example"), (said_otherwise,)), "ann@firm.example")
    check_refused(Field(at(RESULT, "bo@firm.example"), (replace(BO, span=at("source/old", "90")),)), "bo@firm.example")


def test_a_look_up_names_only_what_it_returned() -> None:
    looked_up = Key(at("history/5/call", "Support"), Stated(at("query", "Bo Ray")))
    check_refused(Field(at(RESULT, "41"), (looked_up,)), 41, "returned something else")


def test_what_the_user_or_the_agent_wrote_is_no_field() -> None:
    check_refused(Field(THIRTY.span), 30, "proves nothing of this kind")
    check_refused(Field(at("history/1/call", "Sales")), "Sales", "proves nothing of this kind")


def test_a_query_takes_the_record_that_it_describes() -> None:
    check_verified(OLDEST, "ann@firm.example", Grounding.RESOLVE)
    check_verified(replace(OLDEST, descending=False), "cy@firm.example")
    check_verified(replace(OLDEST, order="", where=(IS_BO,)), "bo@firm.example")


def test_a_query_that_takes_another_value_is_refused() -> None:
    check_refused(OLDEST, "bo@firm.example", "gives “ann@firm.example”")
    check_refused(replace(OLDEST, where=(replace(IS_BO, stated=None),)), "bo@firm.example", "Nobody states")
    check_refused(replace(OLDEST, where=(replace(IS_BO, value="Ann Lee"),)), "ann@firm.example", "does not say")
    check_refused(replace(OLDEST, where=(IS_BO,) * 65), "bo@firm.example", "too many conditions")
    check_refused(replace(OLDEST, source="query"), "bo@firm.example", "no result")


def test_a_computation_is_carried_out() -> None:
    percent, of = Stated(at("query", "12.5")), Stated(at("query", "80"))
    check_verified(Computed("q1 * q2 / 100", (percent, of)), 10, Grounding.DERIVE)
    check_verified(Computed("q1 + q2", (THIRTY, Stated(at("source/system", "2")))), 32)
    check_verified(Computed("q1 - q2", (Field(at(RESULT, "41")), Field(at(RESULT, "35")))), 6)
    joined = (Field(at(RESULT, "2026-01-05")), Field(at(RESULT, "2026-02-07")))
    check_verified(Computed("q2 - q1", joined), 33)


def test_another_argument_that_has_a_term_is_an_input() -> None:
    fee, amount = Stated(at("source/system", "2")), OtherArgument(Leaf(30, "/amount"), THIRTY)
    verified = check_verified(Computed("q1 * q2", (amount, fee)), 60, Grounding.DERIVE, pointer="/total")
    assert [span.quote for span in verified.spans] == ["$30.00", "2"]


@pytest.mark.parametrize(
    ("inputs", "because"),
    [
        ((OtherArgument(Leaf(31, "/amount"), THIRTY), Stated(at("source/system", "2"))), "does not say"),
        ((OtherArgument(Leaf(30, "/total"), THIRTY), Stated(at("source/system", "2"))), "of its own"),
        ((OtherArgument(Leaf(30, "/amount"), THIRTY), OtherArgument(Leaf(30, "/amount"), THIRTY)), "its own"),
    ],
)
def test_an_argument_without_such_a_term_is_none(inputs: tuple[Input, Input], because: str) -> None:
    value = 62 if "say" in because else 60 if len({str(part) for part in inputs}) > 1 else 900
    check_refused(Computed("q1 * q2", inputs), value, because, pointer="/total")


def test_a_moment_is_moved_by_a_length_that_somebody_says() -> None:
    said = "The hearing is at 2.15 pm, time estimate 1.5 hours. Put it into the calendar."
    parts = [Stated(Span("query", said.index(words), said.index(words) + len(words), words))
             for words in ("2.15 pm", "1.5 hours", "calendar")]  # fmt: skip
    evidence = Evidence(Context(said, ()))
    outcome = verify_term(Computed("time_after", tuple(parts[:2])), Leaf("15:45", "/end"), evidence)
    assert isinstance(outcome, Verified)
    assert [span.quote for span in outcome.spans] == ["2.15 pm", "1.5 hours"]
    for inputs, value, reason in ((parts[:2], "15:15", "gives"), (parts[::2], "15:45", "does not take")):
        refused = verify_term(Computed("time_after", tuple(inputs)), Leaf(value, "/end"), evidence)
        assert isinstance(refused, Refused)
        assert reason in refused.reason


def computed(said: str, operation: str, inputs: Sequence[str], value: JsonValue, now: datetime | None = None) -> bool:
    """Whether the operation over these words of the request gives the value."""
    spans = [Span("query", at := said.index(words), at + len(words), words) for words in inputs]
    term = Computed(operation, tuple(map(Stated, spans)))
    return isinstance(verify_term(term, Leaf(value, "/value"), Evidence(Context(said, (), now=now))), Verified)


CLOCK = datetime(2026, 3, 30, 11, 5, 20, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("said", "operation", "inputs", "value"),
    [
        ("Une chambre pour trois nuits à partir du 12 mai.", "q1 + q2", ("12 mai", "trois"), "2026-05-15"),
        ("12 May tarihinden itibaren üç gece kal.", "q1 + q2", ("12 May", "üç"), "2026-05-15"),
        ("Move it 3 days behind 12 May.", "q1 + q2", ("12 May", "3"), "2026-05-15"),
        ("Lunch next Tuesday 12:30, an hour.", "time_after", ("next Tuesday 12:30", "an hour"), "2026-04-07 13:30"),
        ("Lunch tomorrow, at 12:30, for an hour.", "time_after", ("tomorrow", "12:30", "an hour"), "2026-03-31 13:30"),
        ("A quote that is valid for 30 days.", "time_after", ("30 days",), "2026-04-29"),
        ("Over anderhalf uur bellen.", "time_after", ("anderhalf uur",), "2026-03-30T12:35:00+02:00"),
        ("Erinnere mich in zwei Stunden.", "time_after", ("zwei Stunden",), "2026-03-30T13:05:00+02:00"),
    ],
)
def test_a_day_is_read_by_the_clock_before_it_is_computed_with(
    said: str, operation: str, inputs: Sequence[str], value: str
) -> None:
    assert computed(said, operation, inputs, value, now=CLOCK)
    assert not computed(said, operation, inputs, value.replace("2026", "2028"), now=CLOCK)
    assert not computed(said, operation, inputs, value.replace("+02", "+03").replace("-0", "-1"), now=CLOCK)
    assert not computed(said, operation, inputs, value)


@pytest.mark.parametrize(
    "inputs", [("tomorrow or on Friday", "2 days"), ("12:30", "an hour", "2 days"), ("an hour", "2 days")]
)
def test_what_tells_no_one_moment_is_moved_nowhere(inputs: Sequence[str]) -> None:
    said = "Lunch tomorrow or on Friday, 12:30, an hour, 2 days."
    days = [f"2026-{month:02}-{day:02}" for month in (3, 4) for day in range(1, 31)]
    assert not any(computed(said, "time_after", inputs, day, now=CLOCK) for day in days)


def test_a_moment_keeps_its_offset() -> None:
    said = "It begins at 2025-10-21T14:15:00+02:00 and takes 2 hours."
    inputs = ("2025-10-21T14:15:00+02:00", "2 hours")
    assert computed(said, "time_after", inputs, "2025-10-21T16:15:00+02:00")
    assert not computed(said, "time_after", inputs, "2025-10-21T16:15:00Z")
    assert not computed(said, "time_after", inputs, "2025-10-21T16:15:00")


@pytest.mark.parametrize(
    ("operation", "inputs", "value"),
    [
        ("time_after", ("4:15", "12 hours"), "16:15"),
        ("time_after", ("14:15", "2 hours"), "16:15"),
        ("q1 + q2", ("5", "12"), 17),
        ("q1 + q2", ("7.5", "2"), 9.5),
    ],
)
def test_a_piece_of_a_figure_is_no_input(operation: str, inputs: Sequence[str], value: JsonValue) -> None:
    said = "It begins at 14:15, lasts 12 hours and costs 1,250 and 7.50."
    assert not computed(said, operation, inputs, value)


@pytest.mark.parametrize(
    ("operation", "inputs", "value"),
    [
        ("q2 - q1", ("8:40", "noon"), 3.33),
        ("q2 - q1", ("22:30", "6"), 7.5),
        ("(q2 - q1) * 60", ("8:40", "10:10"), 90),
        ("q2 - q1 + (q4 - q3)", ("8:40", "10:10", "1:15", "4"), 4.25),
        ("(q2 - q1) * q3", ("8:40", "10:10", "30"), 45),
    ],
)
def test_between_two_times_of_day_there_are_hours(operation: str, inputs: Sequence[str], value: float) -> None:
    said = "At 30 an hour, until 4 from 1:15, and from 8:40 to 10:10 or noon; on call until 6 from 22:30."
    assert computed(said, operation, inputs, value)
    assert not computed(said, operation, inputs, value + 1)


def test_a_time_of_day_is_no_number_by_itself() -> None:
    said = "From 8:40 to 10:10 at 30, 14.5 of them."
    assert not computed(said, "q1 + q2", ("8:40", "30"), 38.67)
    assert not computed(said, "q1 + q2", ("8:40", "10:10"), 18.83)
    assert not computed(said, "q2 - q1", ("8:40", "14.5"), 5.83)


@pytest.mark.parametrize("before", ["", "호텔 ", "½ ", "㎏ "])
def test_a_figure_is_whole_whatever_stands_before_it(before: str) -> None:
    said = f"{before}From 1250, take 40 off."
    assert computed(said, "q1 - q2", ("1250", "40"), 1210)
    assert not computed(said, "q1 - q2", ("250", "40"), 210)


def test_a_computation_that_gives_another_result_is_refused() -> None:
    fee = Stated(at("source/system", "2"))
    check_refused(Computed("q1 + q2", (THIRTY, fee)), 33, "gives 32")
    check_refused(Computed("q1 / q2", (THIRTY, Stated(at("query", "Bo Ray")))), 30, "is no number or day")
    check_refused(Computed("q1 + q2 + 60", (THIRTY, fee)), 92, "factors between units")
    check_refused(Computed("sum()", ()), 0, "between one and sixty-four")
    check_refused(Computed("q1", (fee,) * 65), 130, "between one and sixty-four")
    check_refused(Computed("q1 + q2", (Stated(OFFER), fee)), 47, "proves nothing of this kind")


def test_a_composed_text_has_facts_that_stand_somewhere() -> None:
    check_verified(Composed((THIRTY, Field(at(RESULT, "41")))), "Here are $30.00 for the 41.", Grounding.GENERATED)
    check_refused(Composed((Stated(replace(THIRTY.span, quote="$31.00")),)), "Here are $31.00.", "does not stand there")
    check_refused(Composed((THIRTY,)), 30, "Only a text")


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2066", "\ufeff"])
def test_a_disguised_value_is_no_other_spelling(hidden: str) -> None:
    check_refused(Stated(at("query", "Bo Ray")), f"Bo{hidden} Ray", "does not say")
    check_refused(Field(at(RESULT, "bo@firm.example")), f"bo{hidden}@firm.example")


sources = st.sampled_from(sorted(CONTEXT.sources))
values = st.one_of(
    st.sampled_from(["Bo Ray", "bo@firm.example", "Sales", 30, 41, 2, 45, "2026-12-01", "Yes"]), st.text(max_size=4)
)


@given(sources, st.integers(0, 60), st.integers(0, 30), values, st.booleans())
def test_whatever_verifies_quotes_its_sources(source: str, start: int, length: int, value: object, lies: bool) -> None:
    quote = CONTEXT.sources[source].text[start : start + length]
    span = Span(source, start, start + length, quote[::-1] if lies else quote)
    for term in (Stated(span), Documented(span), Field(span, (BO,)), Field(span), Confirmed(span, ANSWER)):
        outcome = verify_term(term, Leaf(value), Evidence(CONTEXT))
        if isinstance(outcome, Verified):
            assert outcome.spans
            assert all(CONTEXT.verifies(part) for part in outcome.spans)
            assert CONTEXT.verifies(span)


@pytest.mark.parametrize(
    ("value", "step", "holds"),
    [
        ("~/Downloads/a.exe", 1, True),
        ("~/Downloads\\a.exe", 1, True),
        # The letters are the same.
        ("~/Down/loads/a.exe", 1, False),
        ("~/Downloads/../a.exe", 1, False),
        ("~/Downloads-a.exe", 1, False),
        # Another look-up's folder is the agent's own word.
        ("~/Music/a.exe", 2, False),
    ],
)
def test_what_a_folder_lists_is_a_path_in_that_folder_alone(value: str, step: int, *, holds: bool) -> None:
    steps = (Step("list_files", {"path": "~/Downloads"}, '["a.exe"]'), Step("list_files", {"path": "~/Music"}, "[]"))
    evidence = Evidence(Context("Delete the installer.", (), steps))
    call, folder = evidence.texts[f"history/{step}/call"], "~/Downloads" if step == 1 else "~/Music"
    start = call.source.text.index(folder)
    listed = Field(Span("history/1/outcome", 2, 7, "a.exe"))
    term = Computed("concatenate", (Field(Span(call.source.id, start, start + len(folder), folder)), listed))
    assert isinstance(verify_term(term, Leaf(value, "/path"), evidence), Verified) is holds
    for other in (Computed("concatenate", term.inputs[::-1]), Computed("concatenate", term.inputs[:1])):
        assert isinstance(verify_term(other, Leaf(value, "/path"), evidence), Refused)


@pytest.mark.parametrize(
    ("said", "operation", "inputs", "value"),
    [
        ("Verkaufe die Hälfte meiner 60 Aktien.", "q1 * q2", ("Hälfte", "60"), 30),
        ("Envía un tercio de 1500 euros.", "q1 * q2", ("tercio", "1500"), 500),
        ("Double the 4 workers.", "q1 * q2", ("Double", "4"), 8),
    ],
)
def test_words_tell_a_simple_share_or_multiple(said: str, operation: str, inputs: Sequence[str], value: int) -> None:
    assert computed(said, operation, inputs, value)
    assert not any(computed(said, operation, inputs, other) for other in (value + 1, value * 10, 0, "many"))
    assert not computed(said, "q1 + q2", inputs, value)
    assert not computed(said, "q1 * 100 + q2", inputs, value)


@pytest.mark.parametrize(("cell", "holds"), [("#419", True), ("419", True), ("#4190", False), ("##419", False)])
def test_a_field_may_mark_a_number_as_one(cell: str, *, holds: bool) -> None:
    listed = f"{cell}  Retry  omar\n#12  Fix  lena\n#15  Bump  bo"
    evidence = Evidence(Context("Merge Omar's.", (), (Step("list", {}, listed),)))
    outcome = verify_term(Field(Span("history/1/outcome", 0, len(cell), cell)), Leaf(419, "/number"), evidence)
    assert isinstance(outcome, Verified) is holds


def test_one_place_is_one_input() -> None:
    said = "Add 20 % to 23.60, twice."
    assert computed(said, "q2 * (1 + q1)", ("20 %", "23.60"), 28.32)
    assert computed(said, "q1 + q1", ("23.60",), 47.2)
    assert not computed(said, "q1 + q2", ("23.60", "23.60"), 47.2)
    # By its two readings a percentage would be a factor of a hundred.
    assert not computed(said, "q1 * q2 / q3", ("23.60", "20 %", "20 %"), 2360)


@pytest.mark.parametrize(("said", "value"), [("one", 76), ("1", 76), ("due", 75), ("zwei", 75)])
def test_a_lone_word_for_a_number_is_that_number(said: str, value: int) -> None:
    assert computed(f"Go from 77 back by {said}", "q1 - q2", ("77", said), value)
    assert not computed(f"Go from 77 back by {said}", "q1 - q2", ("77", said), value - 1)


def test_a_day_is_no_moment_of_it() -> None:
    said = "For 3 nights from 2026-05-04."
    assert computed(said, "q1 + q2", ("2026-05-04", "3"), "2026-05-07")
    assert not computed(said, "q1 + q2", ("2026-05-04", "3"), "2026-05-07T06:00")


def test_how_many_records_are_such_and_their_sum_are_counted_by_the_query() -> None:
    total = replace(OLDEST, field="age", order="", total="sum")
    check_refused(total, 30, "The query gives")
    count = replace(total, total="count", where=(IS_BO,))
    check_verified(count, 1, Grounding.DERIVE)
    check_refused(count, 2, "The query gives 1")
    check_refused(replace(count, where=(replace(IS_BO, stated=None),)), 1, "Nobody states")
    check_refused(replace(total, field="email"), 3, "is not one number in each record")


def test_things_are_counted_once_each() -> None:
    said = "Register Amina with her husband and 4 children."
    assert computed(said, "count(q1, q2) + q3", ("Amina", "her husband", "4"), 6)
    assert not computed(said, "count(q1, q2) + q3", ("Amina", "Amina", "4"), 6)
    assert not computed(said, "count(q1, q2) + q3", ("her husband", "husband", "4"), 6)


def test_a_share_that_is_told_in_figures_is_that_one() -> None:
    assert not computed("Sell 30 percent of 60 shares, half.", "q1 * q2", ("30 percent", "60"), 30)
    assert not computed("Sell three percent of 60 shares.", "q1 * q2", ("three percent", "60"), 30)


@pytest.mark.parametrize(
    ("pieces", "value", "holds"),
    [
        (("15",), 1.5, False),
        (("1.5",), 15, False),
        (("10-30",), 1030, False),
        (("-5",), 5, False),
        (("5",), -5, False),
        (("5",), "-5", False),
        (("3", "4"), "3.4", False),
        (("11/2/2026",), "1/12/2026", False),
        (("12.3.4.5",), "1.23.4.5", False),
        (("annlee@x.org",), "ann.lee@x.org", False),
        (("ann.lee@x.org",), "annlee@x.org", False),
        (("+49", "170 123-4567"), "+491701234567", True),
        (("Ann Lee", "firm.example"), "ann.lee@firm.example", True),
        (("data", "a-b.txt"), "/data/a-b.txt", True),
        (("20", "26"), 2026, True),
    ],
)
def test_the_signs_within_a_piece_are_its_own(pieces: tuple[str, ...], value: JsonValue, holds: bool) -> None:
    assert computed(" and ".join(pieces), "concatenate", pieces, value) is holds


@pytest.mark.parametrize(
    ("formula", "quotes", "value", "holds"),
    [
        ("q1 + q2", ("$10", "$80"), 90, True),
        ("q1 + q2", ("$10", "€80"), 90, False),
        ("max(q1, q2)", ("$10", "€80"), 80, False),
        ("q1 + q2", ("5 kg", "3 kg"), 8, True),
        ("q1 + q2", ("5 kg", "300 g"), 305, False),
        ("q1 * 1000 + q2", ("5 kg", "300 g"), 5300, True),
        ("q1 + q2", ("2 hours", "30 minutes"), 32, False),
        ("q1 * 60 + q2", ("2 hours", "30 minutes"), 150, True),
    ],
)
def test_what_is_in_several_units_has_no_sum(formula: str, quotes: tuple[str, ...], value: int, holds: bool) -> None:
    assert computed(" and ".join(quotes), formula, quotes, value) is holds


@pytest.mark.parametrize(
    ("formula", "quotes", "value", "holds"),
    [
        ("q1 * q2", ("10 %", "$80"), 8, True),
        ("q1 * q2", ("10 %", "$80"), 800, False),
        ("q1 * q2 / 100", ("10 %", "$80"), 8, True),
        ("q1 * q2 / 100", ("10 %", "$80"), 0.08, False),
        # In cents.
        ("q1 * q2 * 100", ("10 %", "$80"), 800, True),
        ("q1 + q2", ("10 %", "5 %"), 15, True),
        ("q1 - q2", ("$400", "80 %"), 320, False),
    ],
)
def test_a_percentage_of_something_is_its_share(
    formula: str, quotes: tuple[str, ...], value: float, holds: bool
) -> None:
    assert computed(" and ".join(quotes), formula, quotes, value) is holds


def test_a_half_is_rounded_as_people_round() -> None:
    assert computed("5 and 2", "round(q1 / q2)", ("5", "2"), 3)
    assert not computed("5 and 2", "round(q1 / q2)", ("5", "2"), 2)


@pytest.mark.parametrize(("told", "holds"), [("Bo (bo@x.org) it is?", True), ("Is it Bo?", False)])
def test_a_look_up_gives_what_the_user_was_told_of_it(told: str, holds: bool) -> None:
    outcome = '{"email": "bo@x.org", "team": "A"}'
    looked_up = Step("get_user", {"email": "bo@x.org"}, outcome)
    asked = context("Invite Bo.", looked_up, Message("assistant", told), Message("user", "As a guest."), offered=())
    start = outcome.index("bo@x.org")
    term = Field(Span("history/1/outcome", start, start + 8, "bo@x.org"))
    assert isinstance(verify_term(term, Leaf("bo@x.org"), Evidence(asked)), Verified) is holds


def test_one_piece_of_a_name_is_taken_out_whole() -> None:
    said = "Close issue 4 in acme/portal, it is fixed."
    for value in ("acme", "portal"):
        assert computed(said, "concatenate", (value,), value)
    assert not computed(said, "concatenate", ("acm",), "acm")
    assert not computed(said, "concatenate", ("acme",), "portal")


@pytest.mark.parametrize(
    ("tool", "outcome", "more", "holds"),
    [
        ("search_users", '{"query": "bo@x.org", "hits": 0}', "", False),
        ("search_users", "No user bo@x.org is known.", "", False),
        ("search_users", '{"query": "bo@x.org", "hits": 0}', "bo@x.org it is.", True),
        ("create_user", '{"email": "bo@x.org", "id": 7}', "", True),
    ],
)
def test_a_look_up_that_repeats_what_it_was_made_with_gives_nothing(
    tool: str, outcome: str, more: str, holds: bool
) -> None:
    asked = context(f"Invite Bo. {more}", Step(tool, {"email": "bo@x.org"}, outcome), offered=())
    start = outcome.index("bo@x.org")
    term = Field(Span("history/1/outcome", start, start + 8, "bo@x.org"))
    assert isinstance(verify_term(term, Leaf("bo@x.org"), Evidence(asked)), Verified) is holds
