import pytest

from reviews.provenance.core.context import SourceKind
from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded

ENUM = {"type": "string", "enum": ["visits_direct", "visits_referral", "in_progress", "completed"]}


@pytest.mark.parametrize(
    ("value", "text", "quote"),
    [
        ("in_progress", "set it to In Progress", "In Progress"),
        ("visits_direct", "plot the direct traffic", "direct"),
        ("completed", "mark it as done", "done"),
    ],
)
def test_an_option_that_the_user_names(value: str, text: str, quote: str) -> None:
    check_grounded(value, in_text=text, schema=ENUM, how=Grounding.NORMALIZE, quotes=(quote,))


@pytest.mark.parametrize("text", ["plot the visits", "plot it"])
def test_an_option_nobody_names_is_without_source(text: str) -> None:
    check_grounded("visits_direct", in_text=text, schema=ENUM, how=Grounding.UNGROUNDED)


def test_a_value_outside_the_options_is_without_source() -> None:
    check_grounded("archived", in_text="make it archived", schema=ENUM, how=Grounding.UNGROUNDED)


def test_options_listed_in_the_description_count() -> None:
    schema = {"type": "string", "description": 'One of "bar", "line".'}
    check_grounded("pie", in_text="a pie chart", schema=schema, how=Grounding.UNGROUNDED)
    check_grounded("bar", in_text="a bar chart", schema=schema, how=Grounding.COPY)


def test_examples_in_the_description_are_no_options() -> None:
    schema = {"type": "string", "description": 'Can be anything, for example "bar" or "line".'}
    check_grounded("pie", in_text="a pie chart", schema=schema, how=Grounding.COPY)


@pytest.mark.parametrize("value", ["metric", 10, False, None, ""])
def test_the_default_is_copied_from_the_document(value: object) -> None:
    found = check_grounded(value, schema={"default": value}, required=True, how=Grounding.COPY)
    assert found.kinds <= {SourceKind.TOOL_DOC}


def test_true_is_not_the_default_one() -> None:
    check_grounded(True, schema={"default": 1}, how=Grounding.UNGROUNDED)


@pytest.mark.parametrize("value", [False, None, [], {}])
def test_what_is_left_out_needs_no_source_unless_required(value: object) -> None:
    check_grounded(value, how=Grounding.DERIVE)
    check_grounded(value, required=True, how=Grounding.UNGROUNDED)


def test_a_switch_the_user_asks_for() -> None:
    check_grounded(True, name="notify_guests", in_text="notify them", how=Grounding.NORMALIZE, quotes=("notify",))


def test_a_switch_nobody_asks_for() -> None:
    check_grounded(True, name="force", in_text="Delete it", how=Grounding.UNGROUNDED)


def test_a_switch_the_user_denies() -> None:
    text = "Delete it but do not notify them"
    check_grounded(False, name="notify", in_text=text, required=True, how=Grounding.NORMALIZE)
    check_grounded(True, name="notify", in_text=text, how=Grounding.UNGROUNDED)


def test_an_empty_string_writes_a_blank() -> None:
    check_grounded("", how=Grounding.UNGROUNDED)
