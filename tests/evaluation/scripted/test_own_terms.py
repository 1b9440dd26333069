"""The scripted reader writes what a judge may write, and nothing that code would not verify."""

import json
from collections.abc import Sequence

import pytest

from reviews.evaluation.scripted import own_terms
from reviews.evaluation.scripted.own_terms import find_own_term
from reviews.provenance.core.context import Case, Context, JsonValue, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.judges.questions.call_support import OwnTerm
from reviews.provenance.terms.argument_leaf import leaf_at

TEXT: JsonValue = {"type": "string"}
CLOCK = NamedText(SourceKind.SYSTEM_PROMPT, "system", "Today is 2026-03-10.")


def found(request: str, value: JsonValue, *records: dict[str, JsonValue]) -> OwnTerm | None:
    """The term for this value of a call that the request asks for, with these records looked up."""
    kind = "string" if isinstance(value, str) else "number"
    tool = ToolDoc("change", "Changes it.", {"type": "object", "properties": {"to": {"type": kind}}})
    history = (Step("look_up", {}, json.dumps(records)),) if records else ()
    context = Context(request, (tool, ToolDoc("look_up")), history=history, extra=(CLOCK,))
    return find_own_term(leaf_at(value, "/to", tool), Case(context, ProposedAction("change", {"to": value})))


def quoted(term: OwnTerm | None) -> tuple[str, Sequence[str]]:
    assert term is not None
    return term.operation or term.kind, [quote.quote for quote in term.quotes]


def test_it_quotes_the_fewest_words_that_say_the_value() -> None:
    assert quoted(found("Play chapter twenty one again.", 21)) == ("quote", ["twenty one"])


def test_of_a_moment_whose_parts_stand_apart_it_quotes_both() -> None:
    term = found("Me lembra amanhã do condomínio, às 14h.", "2026-03-11T14:00:00")
    assert quoted(term)[0] == "quote"
    assert len(quoted(term)[1]) == 2
    assert "14h" in quoted(term)[1][1]


def test_it_finds_words_that_no_space_parts() -> None:
    assert "明日" in "".join(quoted(found("明日の14時に予約して", "2026-03-11T14:00:00"))[1])


@pytest.mark.parametrize(
    ("request_", "value", "operation", "inputs"),
    [
        ("Add 50 to its limit.", 250, "q1 + q2", {"50", "200"}),
        ("Set it to 3 boxes of 24 and 7 loose ones.", 79, "q1 + q2 * q3", {"3", "24", "7"}),
        ("Pay back 18.40 and 23.60, in cents.", 4200, "(q1 + q2) * 100", {"18.40", "23.60"}),
        ("Verkaufe die Hälfte meiner 60 Aktien.", 30, "q1 * q2", {"Verkaufe", "60"}),
        ("Take 15% of it.", 30, "(q1 * q2) / 100", {"15%", "200"}),
        ("Take 15% off.", 170, "q2 * (1 - q1 / 100)", {"15%", "200"}),
        ("Push it back by 45 minutes.", "10:15", "time_after", {"09:30", "45 minutes"}),
        ("Make it valid for 30 days.", "2026-04-09", "time_after", {"30 days"}),
        ("Move it 30 days on.", "2026-06-09", "time_after", {"30 days", "2026-05-10"}),
    ],
)
def test_it_computes_with_a_figure_of_the_user(
    request_: str, value: JsonValue, operation: str, inputs: set[str]
) -> None:
    record: dict[str, JsonValue] = {"limit": 200, "at": "09:30", "day": "2026-05-10"}
    found_operation, quotes = quoted(found(request_, value, record))
    assert (found_operation, set(quotes)) == (operation, inputs)


def test_it_computes_with_what_the_tools_document_says() -> None:
    fan = ToolDoc("set_fan", "Sets the fan, 0 to 100.", {"type": "object", "properties": {"speed": {"type": "number"}}})
    context = Context("Fan at half.", (fan,))
    half, other = (
        find_own_term(leaf_at(speed, "/speed", fan), Case(context, ProposedAction("set_fan", {"speed": speed})))
        for speed in (50, 60)
    )
    assert quoted(half) == ("q1 * q2", ["Fan", "100"])
    assert other is None


def test_the_end_of_what_begins_on_a_day_that_only_people_read_is_computed() -> None:
    term = found("jutro o 14:30 na dwie godziny", "2026-03-11T16:30:00")
    assert quoted(term)[0] == "time_after"
    assert quoted(term)[1][1:] == ["14:30", "godziny"]
    assert found("jutro o 14:30 na dwie godziny", "2026-03-11T16:50:00") is None
    assert found("jutro o 14:30 na dwie godziny", "2026-03-19T16:30:00") is None


def test_the_end_of_what_another_argument_begins_is_computed() -> None:
    tool = ToolDoc("book_room", "Books a room.", {"type": "object", "properties": {"start": TEXT, "end": TEXT}})
    starts, wrong = "2026-05-21T09:00:00", "2026-05-21T09:40:00"
    for end, operation in (("2026-05-21T09:30:00", "time_after"), (wrong, None)):
        action = ProposedAction("book_room", {"start": starts, "end": end})
        asked = Case(Context("It is 2026-05-21 at 9:00, for half an hour.", (tool,)), action)
        term = find_own_term(leaf_at(end, "/end", tool), asked)
        assert (term and term.operation) == operation


def test_of_what_the_user_did_not_say_it_computes_what_is_left_alone() -> None:
    total_and_paid: dict[str, JsonValue] = {"total": 400, "paid": 250}
    assert quoted(found("Settle it.", 150, total_and_paid)) == ("q1 - q2", ["400", "250"])
    assert found("Settle it.", 650, total_and_paid) is None
    assert found("Settle it.", 100_000, total_and_paid) is None


def test_a_share_is_taken_of_what_the_user_did_not_say() -> None:
    formula, quotes = quoted(found("Settle it.", 320, {"total": 400, "share": "80 %"}))
    assert (formula, sorted(quotes)) == ("(q1 * q2) / 100", ["400", "80 %"])


def test_small_numbers_are_computed_from_nothing() -> None:
    assert found("Of the 5 boxes 3 went out.", 2) is None


def test_it_joins_whole_words_and_no_pieces_of_words() -> None:
    term = found("A bugfix branch for ticket 88, login crash.", "bugfix/88-login-crash")
    assert quoted(term) == ("concatenate", ["bugfix", "88", "login", "crash"])
    assert found("A bugfix branch for ticket 88, login crash.", "bug/88-login-crash") is None


def test_what_nothing_gives_it_leaves() -> None:
    assert found("Book the usual.", "table 14") is None


def test_it_computes_with_another_argument_that_only_people_read() -> None:
    tool = ToolDoc("leave", "Books leave.", {"properties": {"first": {"type": "string"}, "days": {"type": "integer"}}})
    call = ProposedAction("leave", {"first": "2026-03-09", "last": "2026-03-14", "days": 6})
    asked = Context("Seit gestern bis 14. März 2026.", (tool,), extra=(CLOCK,))
    term = find_own_term(leaf_at(6, "/days", tool), Case(asked, call))
    assert quoted(term) == ("q1 - q2 + 1", ["/last", "/first"])


def test_a_small_share_is_one_of_what_the_field_of_that_name_holds() -> None:
    assert quoted(found("Drop it by a third.", 6, {"to": 9}))[1][1] == "9"
    assert found("Drop it by a third.", 6, {"of": 9}) is None


def test_a_message_of_many_figures_is_tried_for_a_second_and_not_for_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    monkeypatch.setattr(own_terms, "_verified_term", lambda own_term, *_: tried.append(own_term))
    said = " ".join(f"Take {n} boxes on 2026-03-{n} at {n}:15 for {n} minutes." for n in range(10, 24))
    tool = ToolDoc("move", "Moves a visit.", {"type": "object", "properties": {"start": {"type": "string"}}})
    start = "2026-05-17T06:40:00"
    asked = Case(Context(said, (tool,), extra=(CLOCK,)), ProposedAction("move", {"start": start}))
    assert find_own_term(leaf_at(start, "/start", tool), asked) is None
    # Of these the words for a day, and those for a time of day, are tried within.
    assert 5_000 < len(tried) <= 6_500
