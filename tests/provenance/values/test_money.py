from decimal import Decimal

import pytest
from babel.numbers import format_currency, get_currency_name
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.text.fold import fold
from reviews.provenance.values.currencies import EVERYDAY
from reviews.provenance.values.locales import SPOKEN
from reviews.provenance.values.money import amounts_in, currency_of
from tests.provenance.values.writing import LOCALE, TEXT

CURRENCY = st.sampled_from(EVERYDAY)


def amounts(text: str) -> list[tuple[Decimal, str]]:
    return [(amount.value, amount.currency) for amount in amounts_in(fold(text))]


@given(CURRENCY, LOCALE)
def test_a_currency_is_known_by_its_code_and_its_name_in_each_language(code: str, locale: str) -> None:
    assert currency_of(code) == currency_of(code.lower()) == code
    assert currency_of(get_currency_name(code, locale=locale)) == code


@given(st.decimals(min_value=1, max_value=10**6, places=2), CURRENCY, LOCALE)
def test_an_amount_is_read_as_each_language_writes_it_with_the_code(value: Decimal, code: str, locale: str) -> None:
    assert (value, code) in amounts(format_currency(value, code, "¤¤ #,##0.00", locale=locale, currency_digits=False))


@given(st.integers(min_value=2, max_value=999), st.sampled_from(["USD", "EUR", "GBP", "INR"]), st.sampled_from(SPOKEN))
def test_an_amount_is_read_as_each_language_writes_it_with_the_name(value: int, code: str, locale: str) -> None:
    written = format_currency(value, code, locale=locale, format_type="name", currency_digits=False)
    assert (Decimal(value), code) in amounts(written)


@pytest.mark.parametrize(
    ("text", "value", "currency"),
    [
        ("$1,250.00", "1250", "USD"), ("1.250,50 EUR", "1250.5", "EUR"), ("20€", "20", "EUR"), ("usd20", "20", "USD"),
        ("10 US dollars", "10", "USD"), ("30 Canadian dollars", "30", "CAD"), ("five pounds", "5", "GBP"),
        ("$1.5k", "1500", "USD"), ("£2m", "2000000", "GBP"), ("-$5", "-5", "USD"),
    ],
)  # fmt: skip
def test_an_amount_stands_with_its_currency(text: str, value: str, currency: str) -> None:
    assert amounts(text) == [(Decimal(value), currency)]


@pytest.mark.parametrize("text", ["all 20 people", "try 3 times", "5 cups", "20 seats", "room 5"])
def test_a_number_without_a_currency_is_no_amount(text: str) -> None:
    assert amounts(text) == []


@given(TEXT)
def test_every_amount_lies_in_its_text(text: str) -> None:
    folded = fold(text)
    assert all(0 <= amount.start < amount.end <= len(folded) for amount in amounts_in(folded))


@given(st.text(max_size=40))
def test_no_value_is_an_exception(value: str) -> None:
    currency = currency_of(value)
    assert currency is None or len(currency) == len("EUR")
