import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded


@pytest.mark.parametrize(
    ("value", "text", "quote"),
    [
        (100000, "₹1,00,000", "₹1,00,000"),
        (1234.56, "1.234,56 €", "1.234,56"),
        (1250, "1.250 €", "1.250"),
        (1250.5, "1 250,50 €", "1 250,50 €"),
        (1250.5, "CHF 1'250.50", "1'250.50"),
        (1500, "$1.5k", "$1.5k"),
        (5000000, "$5M", "$5M"),
        (150000, "₹1.5 lakh", "₹1.5 lakh"),
        (20000000, "2 crore", "2 crore"),
        (1200, "twelve hundred", "twelve hundred"),
        (2500000, "two and a half million", "two and a half million"),
        (125, "one hundred and twenty-five", "one hundred and twenty-five"),
        (24, "two dozen", "two dozen"),
        (0.5, "½ of it", "½"),
        (2.5, "2½ cups", "2½"),
        ("2 million", "2000000", "2000000"),
        ("30 EUR", "€30", "€30"),
    ],
)
def test_an_amount_written_another_way(value: object, text: str, quote: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.NORMALIZE, quotes=(quote,))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("$30", "€30"),
        ("30 USD", "30 euros"),
        ("£30", "$30"),
        (21, "2½ hours"),
        (102, "10²"),
        (5000000, "5m wide"),
    ],
)
def test_another_amount_or_currency_is_without_source(value: object, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.UNGROUNDED)


def test_the_name_of_the_parameter_may_tell_the_currency() -> None:
    check_grounded(30, in_text="pay €30", name="amount_usd", how=Grounding.UNGROUNDED)
    check_grounded(30, in_text="pay €30", name="amount_eur", how=Grounding.NORMALIZE, quotes=("€30",))


def test_a_word_that_is_spelled_like_a_code_is_no_currency() -> None:
    check_grounded(30, in_text="pay 30 all in all", name="amount_usd", how=Grounding.COPY)


@pytest.mark.parametrize(
    ("value", "text", "quote"),
    [
        ("EUR", "€30", "€"),
        ("USD", "$30", "$"),
        ("CAD", "30 Canadian dollars", "Canadian dollars"),
        ("JPY", "3000 yen", "yen"),
        ("INR", "₹5", "₹"),
    ],
)
def test_a_currency_by_its_sign_or_name(value: str, text: str, quote: str) -> None:
    check_grounded(value, in_text=text, name="currency", how=Grounding.NORMALIZE, quotes=(quote,))


@pytest.mark.parametrize(("value", "text"), [("USD", "€30"), ("CAD", "$30")])
def test_a_currency_that_the_sign_does_not_mean(value: str, text: str) -> None:
    check_grounded(value, in_text=text, name="currency", how=Grounding.UNGROUNDED)
