import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import PhoneNumberFormat, example_number, format_number

from reviews.provenance.values.phones import same_phone
from tests.provenance.values.writing import TEXT

NUMBERS = st.sampled_from(["US", "DE", "FR", "GB", "ES", "IT", "NL", "BR", "JP"]).map(example_number)
WRITTEN = st.sampled_from([PhoneNumberFormat.E164, PhoneNumberFormat.INTERNATIONAL])


@given(NUMBERS, WRITTEN)
def test_a_number_is_the_same_however_it_is_grouped(number: object, form: int) -> None:
    written, plain = format_number(number, form), format_number(number, PhoneNumberFormat.E164)  # type: ignore[arg-type]
    assert same_phone(written, plain)
    assert same_phone(written.replace("+", "00"), plain)


@pytest.mark.parametrize(("a", "b"), [("+1 415-555-2671", "+1 415-555-2672"), ("+49 170 1234567", "+1 170 1234567")])
def test_another_number_is_not_the_same(a: str, b: str) -> None:
    assert not same_phone(a, b)


@given(TEXT, TEXT)
def test_no_text_is_an_exception(text: str, other: str) -> None:
    assert same_phone(text, other) in (True, False)
