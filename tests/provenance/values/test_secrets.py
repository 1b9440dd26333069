"""Secrets in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.values.secrets import secrets_in


@pytest.mark.parametrize(
    ("text", "value", "what"),
    [
        ("the password is heron-22.", "heron-22", "password"),
        ("API key: sk_9f2a7c", "sk_9f2a7c", "api key"),
        ("card 4111 1111 1111 1111 expires", "4111111111111111", "card number"),
        ("to GB33 BUKB 2020 1555 5555 55", "GB33BUKB20201555555555", "account number"),
    ],
)
def test_a_secret_is_told_by_its_label_or_its_check_digits(text: str, value: str, what: str) -> None:
    assert [(found.value, found.label) for found in secrets_in(text)] == [(value, what)]


@pytest.mark.parametrize(
    "text",
    ["the password is required", "order 4111 1111 1111 1112", "GB33 BUKB 2020 1555 5555 56", "pin it to the board"],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert list(secrets_in(text)) == []


@given(st.text(max_size=200))
def test_no_text_is_an_exception(text: str) -> None:
    assert all(0 <= found.start < found.end <= len(text) for found in secrets_in(text))
