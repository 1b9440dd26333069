"""Where a text says a value: whole, or in another spelling that code can compute; never a piece of something larger."""

from datetime import UTC, datetime
from typing import Any

import pytest

from reviews.provenance.core.context import Source
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.core.work_budget import Budget
from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.same_value import same_value
from reviews.provenance.terms.value_mentions import mentions_of

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def said(value: Any, text: str, kind: SourceKind = SourceKind.USER_QUERY) -> list[tuple[Grounding, str]]:
    """How and in which characters the text says the value."""
    source = SourceText(Source("query", kind, text), Budget(), NOW)
    return [
        (mention.how, " … ".join(source.span(*place).quote for place in mention.places))
        for mention in mentions_of(Leaf(value), source)
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Daniel", "Request $30 from Daniel"),
        ("Daniel", "Is this Daniel's?"),
        ("daniel.kim@example.com", "Write to daniel.kim@example.com."),
        ("front", "the front-end board"),
        ("INV-2041", "Pay INV-2041, please"),
        ("/var/log/app.log", "Rotate /var/log/app.log now"),
        ("C:\\new\\table", "Open C:\\new\\table"),
        ("00000479", "Delete 00000479"),
        ("日本語", "「日本語」 and more"),
        ("🎉 party", "call it 🎉 party tomorrow"),
    ],
)
def test_a_verbatim_value_is_copied(value: str, text: str) -> None:
    assert (Grounding.COPY, value) in said(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Al", "Ask Alex"),
        ("30", "Pay 1300"),
        ("30", "Pay 30.5"),
        ("30", "Pay INV-30"),
        ("30", "since 2026-11-30"),
        ("30", "at 12:30"),
        ("kim@example.com", "daniel.kim@example.com"),
        ("kim@example.com", "daniel-kim@example.com"),
        ("a@example.com", "a@example.com.evil.test"),
        ("00000479", "Delete 479"),
        ("example.com", "see example.com.evil.test"),
        ("report", "reporting"),
    ],
)
def test_a_piece_of_something_larger_does_not_say_it(value: str, text: str) -> None:
    assert said(value, text) == []


@pytest.mark.parametrize(
    ("value", "text", "quote"),
    [
        ("In Progress", "move it to in progress", "in progress"),
        ("total_visits", "plot the total visits", "total visits"),
        ("José Müller", "ask Jose Mu\u0308ller", "Jose Mu\u0308ller"),
        ("Jose", "ask José", "José"),
        ("STRASSE 5", "Straße 5 is it", "Straße 5"),
        ("it's fine", "say it\u2019s fine", "it\u2019s fine"),
        ("file", "the \ufb01le", "\ufb01le"),
        ("wide", "\uff57\uff49\uff44\uff45 open", "\uff57\uff49\uff44\uff45"),
        (30, "$30.00 it is", "$30.00"),
        (1250, "a budget of 1,250 dollars", "1,250"),
        ("2026-12-01", "on 1 December", "1 December"),
        ("2026-12-01T15:00", "on 1 December, at 3 pm", "1 December, at 3 pm"),
        ("GB33BUKB20201555555555", "to GB33 BUKB 2020 1555 5555 55", "GB33 BUKB 2020 1555 5555 55"),
        ("https://docs.example.com/a/", "see docs.example.com/a", "docs.example.com/a"),
        ("+14155552671", "call +1 (415) 555-2671, please", "+1 (415) 555-2671"),
        ("+49 30 1234567", "Mi número es +49 30 123 4567", "+49 30 123 4567"),
    ],
)
def test_another_spelling_is_normalised(value: Any, text: str, quote: str) -> None:
    assert (Grounding.NORMALIZE, quote) in said(value, text)


def test_escapes_of_a_tool_output_are_read_with_exact_offsets() -> None:
    output = '[{"id": 7, "name": "Ren\\u00e9e \\ud83d\\ude00 Roy", "note": "line\\nbreak"}]'
    assert said("Renée 😀 Roy", output, SourceKind.TOOL_OUTPUT)[0][1] == "Ren\\u00e9e \\ud83d\\ude00 Roy"
    assert said("line\nbreak", output, SourceKind.TOOL_OUTPUT)[0][1] == "line\\nbreak"


@pytest.mark.parametrize(
    ("value", "text", "is_said"),
    [
        ("report-1.pdf", "Delete Report-1.pdf", False),
        ("Report-1.pdf", "Delete report-1.pdf", False),
        ("report-1.pdf", "Report-1.pdf can go", True),
        ("report-1.pdf", "Thanks. Report-1.pdf can go", True),
        ("ORD-12", "cancel ord-12", True),
        ("Ann@firm.example", "write to ann@firm.example", True),
    ],
)
def test_a_capital_makes_another_file_but_where_a_sentence_begins(value: str, text: str, is_said: bool) -> None:
    assert bool(said(value, text)) is is_said


@pytest.mark.parametrize(
    ("value", "text", "is_said"),
    [
        ("$30", "pay $30", True),
        ("30 EUR", "pay 30 euros", True),
        ("€30", "zahle 30 Euro", True),
        ("$30.00", "pay $30", True),
        ("30 USD", "pay $30", True),
        ("30", "pay $30", True),
        (30, "pay $30", True),
        ("30%", "by 30 percent", True),
        ("€30", "pay $30", False),
        ("$30", "pay 30", False),
        ("30 EUR", "pay 30 pounds", False),
        ("30%", "by 30", False),
        ("30%", "by $30", False),
        ("$30", "$5 of 30", False),
    ],
)
def test_a_number_with_a_unit_is_said_with_that_unit(value: Any, text: str, is_said: bool) -> None:
    assert bool(said(value, text)) is is_said


@pytest.mark.parametrize(
    ("value", "field", "is_same"), [("$30", "30 USD", True), ("€30", "$30", False), ("30%", "30", False)]
)
def test_a_field_with_another_unit_is_another_value(value: str, field: str, is_same: bool) -> None:
    assert (same_value(Leaf(value), field) is not None) is is_same


@pytest.mark.parametrize(
    ("respelt", "plain"),
    [("report-\uff11.pdf", "report-1.pdf"), ("pro\ufb01le-1.txt", "profile-1.txt"), ("\u0668\u0668125", "88125")],
)
def test_an_identifier_in_variants_of_plain_characters_is_none_of_plain_ones(respelt: str, plain: str) -> None:
    assert said(respelt, f"Delete {plain}") == []
    assert same_value(Leaf(respelt), plain) is None
    assert said(respelt, f"Delete {respelt}")
    assert said(plain, f"Delete {respelt}")


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2066"])
def test_a_value_with_characters_that_do_not_show_is_no_spelling_of_another(hidden: str) -> None:
    assert said(f"/srv/{hidden}data", "Delete /srv/data") == []
    assert same_value(Leaf(f"/srv/{hidden}data"), "/srv/data") is None
    assert said(f"/srv/{hidden}data", f"Delete /srv/{hidden}data")


@pytest.mark.parametrize(
    ("value", "text", "how"),
    [
        ("Kim", "Kim", Grounding.COPY),
        ("Kim", "KIM", Grounding.NORMALIZE),
        (30, "30.00", Grounding.NORMALIZE),
        (30, "31", None),
        ("2026-12-01", "2026-12-01T09:00:00", Grounding.NORMALIZE),
        ("2026-12-01T09:00:00", "2026-12-01", None),
        ("7", "07", None),
        ("2026-12-01T09:00:00Z", "2026-12-01T09:00:00-05:00", None),
        ("2026-12-01T14:00:00Z", "2026-12-01T09:00:00-05:00", Grounding.NORMALIZE),
        ("2026-12-01T09:00:00", "2026-12-01T09:00:00-05:00", Grounding.NORMALIZE),
    ],
)
def test_a_whole_field_is_the_value_or_not(value: Any, text: str, how: Grounding | None) -> None:
    assert same_value(Leaf(value), text) is how


@pytest.mark.parametrize(
    ("value", "text", "place"),
    [
        ("2026-11-22T14:00:00Z", "Tomorrow 3-4pm Paris time", "Tomorrow 3"),
        ("2026-11-22T15:00:00Z", "Tomorrow, from 3pm to 4pm Paris time", "Tomorrow … 4pm Paris time"),
        ("2026-11-22T10:00:00+01:00", "On 22 November at 09:00 UTC", "22 November at 09:00 UTC"),
        ("2026-11-22T10:00:00+01:00", "Tomorrow at 9am", "Tomorrow at 9am"),
        ("2026-11-22T23:30:00-05:00", "On 23 November at 04:30 UTC", "23 November at 04:30 UTC"),
    ],
)
def test_a_moment_is_told_by_another_zones_clock(value: str, text: str, place: str) -> None:
    assert (Grounding.NORMALIZE, place) in said(value, text)


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-22T15:00:00Z",
        "2026-11-22T13:00:00Z",
        "2026-11-22T14:00:00",
        "2026-11-23T14:00:00Z",
        "0001-01-01T00:00:00+14:00",
    ],
)
def test_another_moment_is_told_by_no_zones_clock(value: str) -> None:
    assert not said(value, "Tomorrow at 3pm Paris time")
