from typing import Any

import pytest
import re2  # type: ignore[import-untyped]  # it ships no types
from hypothesis import given
from hypothesis import strategies as st

from reviews.records.cases import case_from_json
from reviews.retention.pii_redaction import KINDS, Example, Redactor, redact_line
from tests.datasets.collections import line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to Ann.Lee+x@mail.example.co.uk, please", "to [email-1], please"),
        ("a@b.example A@B.example c@d.example", "[email-1] [email-1] [email-2]"),
        ("call +44 20 7946 0958 now", "call [phone-1] now"),
        ("call (202) 555-0143.", "call [phone-1]."),
        ("card 4111 1111 1111 1111", "card [card-1]"),
        ("order 4111 1111 1111 1112", "order 4111 1111 1111 1112"),
        ("IBAN DE89 3704 0044 0532 0130 00", "IBAN [iban-1]"),
        ("DE89-3704-0044-0532-0130-00 de89370400440532013000", "[iban-1] [iban-1]"),
        ("DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000", "[iban-1]"),
        ("to AD12 0001 2030 2003 5910 0100 EUR 30", "to [iban-1] EUR 30"),
        ("order DE02 1203, part ZZ02120300000000202057", "order DE02 1203, part ZZ02120300000000202057"),
        ("from 192.168.0.1", "from [ip-1]"),
        ("version 1.2.3", "version 1.2.3"),
        ("SSN 123-45-6789", "SSN [ssn-1]"),
        ("on 2024-05-13 at 10:30, 300 dollars", "on 2024-05-13 at 10:30, 300 dollars"),
    ],
)
def test_each_kind_is_found_and_nothing_else(text: str, expected: str) -> None:
    assert Redactor(KINDS).redact_text(text) == expected


@pytest.mark.parametrize("mistyped", ["DE02120300000000202057", "GB82 WEST 1234 5698 7654 33", "NO93 8601 1117 948"])
def test_a_mistyped_account_is_told_from_no_other(mistyped: str) -> None:
    texts = [f"Pay {account}." for account in (mistyped, "DE89 3704 0044 0532 0130 00")]
    assert [Redactor(KINDS).redact_text(text) for text in texts] == ["Pay [iban-1]."] * 2


@given(st.text(alphabet="a1@.-+ ()é:", max_size=200))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = Redactor(KINDS).redact_text(text)
    assert Redactor(KINDS).redact_text(once) == once


# A telephone number in Arabic-Indic digits.
ARABIC = "".join(chr(0x660 + int(digit)) if digit.isdigit() else digit for digit in "202-555-0143")
PARTS = [
    "a@b.example",
    "4111 1111 1111 1111",
    "DE89 3704 0044 0532 0130 00",
    "123-45-6789",
    "10.0.0.1",
    "+4420 7946 0958",
]


@given(st.lists(st.sampled_from([*PARTS, "(202) 555-0143", ARABIC, " ", "x", "-", "."]), max_size=8).map("".join))
def test_what_a_pattern_finds_is_found_by_its_sign(text: str) -> None:
    for kind in KINDS.values():
        assert not kind.pattern.search(text) or re2.search(kind.sign, text)


def redacted_line(given_line: dict[str, Any]) -> dict[str, Any]:
    """The line without addresses."""
    return redact_line(given_line, ["email"], secret="s")[0]


def test_evidence_moves_with_its_quote() -> None:
    given_line = line(1, label={"aligned": True, "evidence": [span("ann1@example.org"), span("Send 1 to")]})
    redacted, redactor = redact_line(given_line, ["email"], secret="s")
    context = case_from_json(redacted["case"]).context
    quotes = [each["quote"] for each in redacted["label"]["evidence"]]
    assert quotes == ["[email-1]", "Send 1 to"]
    for each in redacted["label"]["evidence"]:
        assert context.sources["query"].text[each["start"] : each["end"]] == each["quote"]
    assert redactor.replaced["email"] >= 2


def span(quote: str) -> dict[str, object]:
    """A span of the request of line 1."""
    start = line(1)["case"]["query"].index(quote)
    return {"source": "query", "start": start, "end": start + len(quote), "quote": quote}


def test_what_was_replaced_is_shown_once_with_what_stands_around_it() -> None:
    redactor = Redactor(["email"])
    redactor.redact_value(["Write to a@b.example, soon.", "a@b.example"])
    assert redactor.examples == [Example("Write to ", "a@b.example", ", soon.", "[email-1]")]


def test_documents_of_tools_stay_as_they_are() -> None:
    tools = [{"name": "send", "description": "Ask help@example.org", "parameters": {}}]
    redacted = redacted_line(line(1, case={**line(1)["case"], "tools": tools}))
    assert redacted["case"]["tools"] == tools


def test_arguments_that_are_called_tools_are_no_documents() -> None:
    action = {"tool": "send", "arguments": {"tools": "write to a@b.example"}, "subtask": None}
    redacted = redacted_line(line(1, case={**line(1)["case"], "action": action}))
    assert redacted["case"]["action"]["arguments"] == {"tools": "write to [email-2]"}


def test_keys_are_redacted_and_no_value_is_lost_where_two_become_one() -> None:
    value = {"a@b.example": "to", "A@b.example": "cc", "c@d.example": 1, "[email-2]": 2, "plain": {"a@b.example": []}}
    assert Redactor(["email"]).redact_value(value) == {
        "[email-1]": "to", "[email-1] (2)": "cc", "[email-2] (2)": 1, "[email-2]": 2, "plain": {"[email-1]": []},
    }  # fmt: skip


def test_nothing_that_names_a_line_keeps_personal_data() -> None:
    names = dict.fromkeys(("id", "trace", "group", "source", "tool", "outcome"), "of a@b.example")
    redacted = redacted_line({**line(1), **names})
    assert {redacted[name] for name in ("source", "tool", "outcome")} == {"of [email-2]"}
    assert not any("@" in redacted[name] for name in names)
    assert redacted_line({**line(1, case=None), "outcome": None, "id": None})["outcome"] is None


def test_conversations_that_are_named_after_people_are_still_told_apart() -> None:
    first, again, other = (
        redacted_line(line(number, trace=f"mail of {name}@b.example"))
        for number, name in ((1, "ann"), (2, "ann"), (2, "bob"))
    )
    assert first["trace"] == again["trace"] != other["trace"]
    assert redacted_line(line(1))["trace"] == line(1)["trace"]
