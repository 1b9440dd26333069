from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn

from reviews.provenance.text.fold import fold
from reviews.provenance.values.identifiers import is_identifier, is_opaque, opaque_in
from tests.provenance.values.writing import TEXT

# Letters and figures in turn, as booking systems draw them.
CODES = st.from_regex(r"[A-Z][0-9][A-Z][0-9]{2}[A-Z]{2}[0-9]{0,6}", fullmatch=True)
CARDS = st.from_regex(r"4[0-9]{14}", fullmatch=True).map(lambda digits: digits + luhn.calc_check_digit(digits))
ADDRESSES = st.from_regex(r"[a-z]{1,12}(?:\.[a-z]{1,8})?@[a-z]{2,12}\.(?:com|org|co\.uk)", fullmatch=True)


@given(st.uuids() | CODES | CARDS | ADDRESSES)
def test_an_opaque_identifier_is_found_in_a_sentence(identifier: UUID | str) -> None:
    before, written = "please take (", fold(str(identifier))
    spans = [tuple(mention) for mention in opaque_in(f"{before}{written}), thanks.")]
    assert is_opaque(str(identifier))
    assert (len(before), len(before) + len(written)) in spans


@pytest.mark.parametrize(
    "value",
    [
        "K7Q2XM", "HAT028", "#W1234567", "3f9a1b2c", "DE89370400440532013000", "GB33 BUKB 2020 1555 5555 55",
        "4111 1111 1111 1111", "+49 170 1234567", "(415) 555-2671", "415-555-2671", "daniel.kim@example.co.uk",
    ],
)  # fmt: skip
def test_an_opaque_identifier_is_told_from_its_form(value: str) -> None:
    assert is_opaque(value)


@pytest.mark.parametrize(
    "value",
    [
        "report2.txt", "1.9.2", "v20240101", "2026-03-05", "20260306T150000", "100usd", "500ml", "iphone15", "version2",
        "12345", "1234567890", "hello", "daniel", "deadbeef", "abc-123-def", "user_12ab34", "q32026", "1920x1080",
        "4111 1111 1111 1112", "DE89370400440532013001x-1", "a@b", "", "5mar2026", "https://x.com/ab12cd",
    ],
)  # fmt: skip
def test_what_is_near_its_neighbours_by_design_is_not_opaque(value: str) -> None:
    assert not is_opaque(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("ORD-1", True),
        ("ABCDE", True),
        ("2026-03-05", False),
        ("12", False),
        ("品川300あ1234", True),
        ("京A12345", True),
        ("会議は5月20日15時からになりました。", False),
        ("请在9月1日取件", False),
        ("ประชุม15นาฬิกา", False),
    ],
)
def test_an_identifier_is_one_token_that_names_a_thing(value: str, *, expected: bool) -> None:
    assert is_identifier(value) is expected


@given(TEXT)
def test_every_identifier_lies_in_its_text(text: str) -> None:
    folded = fold(text)
    assert all(0 <= start < end <= len(folded) for start, end in opaque_in(folded))
    assert is_opaque(text) in (True, False)
