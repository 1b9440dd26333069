import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import PhoneNumberFormat, example_number, format_number

from reviews.provenance.values.phones import phones_in, same_phone
from tests.provenance.values.writing import TEXT

NUMBERS = st.sampled_from(["US", "DE", "FR", "GB", "ES", "IT", "NL", "BR", "JP"]).map(example_number)
WRITTEN = st.sampled_from([PhoneNumberFormat.E164, PhoneNumberFormat.INTERNATIONAL])


@given(NUMBERS, WRITTEN)
def test_an_international_number_is_found_and_is_the_same_however_it_is_grouped(number: object, form: int) -> None:
    written, plain = format_number(number, form), format_number(number, PhoneNumberFormat.E164)  # type: ignore[arg-type]
    text = f"call {written}, please"
    assert [text[start:end] for start, end in phones_in(text, plain)] == [written]
    assert same_phone(written, plain)
    assert same_phone(written.replace("+", "00"), plain)


def test_a_number_without_a_countrys_code_is_none() -> None:
    assert list(phones_in("call (415) 555-2671 on 2026-03-05", "+14155552671")) == []


@pytest.mark.parametrize(("a", "b"), [("+1 415-555-2671", "+1 415-555-2672"), ("+49 170 1234567", "+1 170 1234567")])
def test_another_number_is_not_the_same(a: str, b: str) -> None:
    assert not same_phone(a, b)


@given(TEXT, TEXT)
def test_no_text_is_an_exception(text: str, other: str) -> None:
    assert all(0 <= start < end <= len(text) for start, end in phones_in(text, ""))
    assert same_phone(text, other) in (True, False)
