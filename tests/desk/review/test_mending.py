from dataclasses import replace

import pytest

from reviews.desk.review.case.mending import read_meant_clock, read_meant_value
from reviews.desk.review.case.sources import fold_history
from reviews.provenance.core.context import JsonValue, Span, Step, ToolDoc
from reviews.provenance.core.findings import Grounding, Interpretation, Misalignment, StageResult
from reviews.provenance.doubts import other_field
from reviews.provenance.doubts.other_parameter import EXCHANGED
from tests.cast import CONTEXT, WRONG, Cast, Script
from tests.desk.desk import opened
from tests.desk.kinds import KINDS, waiting_item
from tests.desk.poisoned import span_of
from tests.desk.review.findings import AMOUNT_FAILS, stopped


@pytest.mark.parametrize(
    ("value", "quote", "meant"),
    [
        (300, "$30", 30),
        (2.5, "3,75 €", 3.75),
        ("2027-05-04", "3 May 2027", "2027-05-03"),
        ("daniel.kin@example.org", "daniel.kim@example.org", "daniel.kim@example.org"),
        (300, "between 30 and 40", None),
        (True, "30", None),
        (30_000, "5万円", 50_000),
        (30_000, "3個", None),
        ("DE89370400440532013009", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
        ("lunch", "something else altogether", None),
        ("IFOYYZ", "NQNU5R", "NQNU5R"),
        ("IFOYYZ", "a later one", None),
        ("73", "77", "77"),
        ("73", "177", None),
    ],
)
def test_a_quote_means_a_value_of_the_same_type(value: JsonValue, quote: str, meant: JsonValue) -> None:
    assert read_meant_value(value, quote, CONTEXT.now) == meant


@pytest.mark.parametrize(
    ("value", "asked", "quote", "meant"),
    [
        ("08:00", "at 8:00 in the evening", "8:00", "20:00"),
        ("08:00:00", "at 7:15 pm", "7:15 pm", "19:15:00"),
        ("08:00", "at 7:15", "7:15", None),
        ("eight", "at 7:15 pm", "7:15 pm", None),
    ],
)
def test_a_time_is_mended_by_the_one_that_is_said(value: str, asked: str, quote: str, meant: str | None) -> None:
    start = asked.index(quote)
    assert read_meant_clock(value, Span("query", start, start + len(quote), quote), asked) == meant


def test_the_amount_that_the_request_names_is_the_first_choice(cast: Cast) -> None:
    file = opened(waiting_item(cast, "other amount"))
    assert [reading.sentence for reading in file.readings] == ["Send $30 instead"]
    assert file.question
    assert "“300” or “30”" in file.question.message


def test_the_headline_is_about_the_selected_row(cast: Cast) -> None:
    for name in KINDS:
        file = opened(waiting_item(cast, name))
        selected = file.arguments.selected
        assert (selected.pointer if selected else "") == file.main_reason.pointer


def test_a_long_conversation_shows_what_asks_and_folds_the_rest(cast: Cast) -> None:
    file = opened(waiting_item(cast, "long conversation"))
    assert file.request.place == "message 47"
    assert [run.is_folded for run in file.history_runs] == [True, False, True, False]


def test_a_short_history_is_not_folded(cast: Cast) -> None:
    history = opened(waiting_item(cast, "mistyped")).history
    assert [run.is_folded for run in fold_history(history)] == [False]


def test_twenty_arguments_open_with_what_fails_and_fold_the_rest(cast: Cast) -> None:
    arguments = opened(waiting_item(cast, "twenty arguments")).arguments
    assert [row.path for row in arguments.open][:2] == ["passenger_email", "departure_date"]
    assert len(arguments.open) + len(arguments.unproven) + len(arguments.traced) == 20


def test_what_the_request_says_once_puts_one_value_right(cast: Cast, script: Script) -> None:
    also = replace(AMOUNT_FAILS, subject="/limit")
    action = replace(WRONG, arguments={**WRONG.arguments, "limit": 192.3})
    stage = StageResult("parameter", (AMOUNT_FAILS, also), misalignment=Misalignment.PARAMETER)
    file = stopped(cast, script, stage, action=action)
    assert [reading.mends for reading in file.readings] == ["/amount"]


@pytest.mark.parametrize(
    ("query", "near", "name", "mends"),
    [
        ("Order 2 kg of flour", "2", "grams", []),
        ("Wait 5 minutes", "5", "seconds", []),
        ("Wait 5 minutes", "5", "minutes", ["/minutes"]),
        ("Order 2 bags of flour", "2", "grams", ["/grams"]),
    ],
)
def test_a_figure_in_another_unit_puts_nothing_right(
    cast: Cast, script: Script, query: str, *, near: str, name: str, mends: list[str]
) -> None:
    context = replace(CONTEXT, query=query)
    wrong = replace(AMOUNT_FAILS, subject=f"/{name}", nearest=span_of("query", near, context))
    stage = StageResult("parameter", (wrong,), misalignment=Misalignment.PARAMETER)
    file = stopped(cast, script, stage, action=replace(WRONG, arguments={name: 200}), context=context)
    assert [reading.mends for reading in file.readings] == mends


def test_an_option_that_the_request_names_is_the_first_choice(cast: Cast, script: Script) -> None:
    roles = {"type": "string", "enum": ["member", "Moderator", "admin"]}
    parameters = {"type": "object", "properties": {"to": {"type": "string"}, "role": roles}}
    context = replace(CONTEXT, query="Make Tom moderator", tools=(ToolDoc(WRONG.tool, "Sets a role.", parameters),))
    wrong = replace(AMOUNT_FAILS, subject="/role", nearest=span_of("query", "moderator", context))
    stage = StageResult("parameter", (wrong,), misalignment=Misalignment.PARAMETER)
    action = replace(WRONG, arguments={"to": "u7", "role": "admin"})
    [reading] = stopped(cast, script, stage, action=action, context=context).readings
    assert reading.arguments == {"to": "u7", "role": "Moderator"}


def test_nobody_is_asked_whether_what_an_order_in_data_says_is_right(cast: Cast, script: Script) -> None:
    injected = replace(AMOUNT_FAILS, subject="/to", nearest=None, untrusted_only=True)
    stage = StageResult("parameter", (injected,), misalignment=Misalignment.INJECTION)
    question = stopped(cast, script, stage).question
    assert question
    assert question.message == "Ask the user what “to” should be."


def test_what_is_suspect_stands_above_what_is_only_not_proven(cast: Cast, script: Script) -> None:
    action = replace(WRONG, arguments={"a": 1, "b": 2, "c": 3})
    said = replace(AMOUNT_FAILS, holds=None, grounding=Grounding.COPY, nearest=None)
    told = (replace(AMOUNT_FAILS, subject="/a"), replace(said, subject="/b"))
    suspect = replace(said, subject="/c", nearest=AMOUNT_FAILS.nearest)
    file = stopped(cast, script, StageResult("p", (*told, suspect), misalignment=Misalignment.PARAMETER), action=action)
    assert [row.path for row in file.arguments.open] == ["a", "c", "b"]


def test_two_exchanged_values_are_put_right_by_one_key(cast: Cast, script: Script) -> None:
    request = replace(CONTEXT, query="Move 30 from savings to checking")
    backwards = replace(WRONG, arguments={"source": "checking", "target": "savings", "amount": 30})
    told = [
        replace(AMOUNT_FAILS, subject=at, holds=None, rule=EXCHANGED, nearest=None) for at in ("/source", "/target")
    ]
    stage = StageResult("parameter", tuple(told), misalignment=Misalignment.PARAMETER)
    [reading] = stopped(cast, script, stage, action=backwards, context=request).readings
    assert reading.sentence == "Exchange “source” and “target”"
    assert reading.arguments == {"source": "savings", "target": "checking", "amount": 30}
    also = replace(told[0], subject="/amount")
    stage = replace(stage, findings=(*told, also))
    assert not stopped(cast, script, stage, action=backwards, context=request, trace_id="third").readings


def test_two_values_that_a_record_has_for_each_other_are_put_right_together(cast: Cast, script: Script) -> None:
    order = '{"order_id": "#W6908222", "paid": [{"payment_id": "paypal_4518393"}]}'
    context = replace(CONTEXT, history=(Step("get_order", {}, order),))
    swapped = replace(WRONG, arguments={"order_id": "paypal_4518393", "payment_id": "#W6908222"})
    told = [
        replace(
            AMOUNT_FAILS,
            subject=at,
            holds=None,
            rule=other_field.RULE,
            nearest=span_of("history/1/outcome", own, context),
        )
        for at, own in (("/order_id", "#W6908222"), ("/payment_id", "paypal_4518393"))
    ]
    stage = StageResult("parameter", tuple(told), misalignment=Misalignment.PARAMETER)
    first, *_ = stopped(cast, script, stage, action=swapped, context=context).readings
    assert first.sentence == "Exchange “order_id” and “payment_id”"
    assert first.arguments == {"order_id": "#W6908222", "payment_id": "paypal_4518393"}


@pytest.mark.parametrize(
    ("listed", "path"),
    [
        ("/reports/report_2026_draft.docx /reports/report_2026_final.docx", "/reports/report_2026_draft.docx"),
        ("/reports/report_2026_draft.docx /archive/report_2026_draft.docx", None),
        ("/reports/report_2026_draft.docx.bak", None),
    ],
)
def test_a_file_is_put_right_by_the_path_that_a_result_has(
    cast: Cast, script: Script, listed: str, path: str | None
) -> None:
    context = replace(CONTEXT, query="Delete report_2026_draft.docx", history=(Step("list_files", {}, listed),))
    wrong = replace(AMOUNT_FAILS, subject="/path", nearest=span_of("query", "report_2026_draft.docx", context))
    stage = StageResult("parameter", (wrong,), misalignment=Misalignment.PARAMETER)
    action = replace(WRONG, arguments={"path": "/reports/report_2026_final.docx"})
    readings = stopped(cast, script, stage, action=action, context=context).readings
    assert [reading.arguments["path"] for reading in readings] == ([path] if path else [])


def test_a_part_of_what_another_record_is_called_puts_nothing_right(cast: Cast, script: Script) -> None:
    context = replace(CONTEXT, query="Refund the order of Customer 12")
    wrong = replace(AMOUNT_FAILS, nearest=span_of("query", "12", context))
    name = span_of("query", "Customer 12", context)
    other = Interpretation("Customer 12", WRONG.tool, {**WRONG.arguments, "to": "o-12"}, evidence=(name,))
    stage = StageResult("parameter", (wrong,), (other,), misalignment=Misalignment.PARAMETER)
    file = stopped(cast, script, stage, context=context)
    assert [reading.mends for reading in file.readings] == [""]
