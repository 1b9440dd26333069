"""Values that open something: passwords, keys, card and account numbers. Numbers are told by their check digits."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from stdnum import iban, luhn

# A label and a value with a figure or a sign in it: "the password is required" gives none away.
_LABELLED = re.compile(
    r"\b(?P<label>pass(?:word|wd|phrase|code)|api[ _-]?key|secret(?:[ _-]?key)?|private[ _-]?key|access[ _-]?token|"
    r"auth(?:entication)?[ _-]?token|(?:one[ -]?time|security|verification|access)[ _-]?code|otp|pin|cvv|cvc)\b"
    r"[\"']?\s*(?:is|:|=|-)?\s*[\"']?(?P<value>(?=\S*[\d!@#$%&*_-])[^\s\"',;<>()]{4,120})",
    re.I,
)
# Thirteen to nineteen figures that begin as payment cards' issuers do (ISO/IEC 7812); check digits decide.
_CARD = re.compile(r"(?<![\w.-])(?:[3-6]|2(?=[2-7]))(?:[ -]?\d){12,18}(?![\w.-])")
# A country, two check digits and up to thirty signs; check digits decide.
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?!\w)")
# Characters of a text that are read.
_READ = 20_000


class Secret(NamedTuple):
    """A secret in a text."""

    start: int
    end: int
    value: str
    """Without the spaces and hyphens that group it."""
    label: str
    """What it is called: the label that stands before it, or the kind of number."""


def secrets_in(text: str) -> Iterator[Secret]:
    """Every secret of the beginning of a text."""
    for hit in _LABELLED.finditer(text[:_READ]):
        yield Secret(*hit.span("value"), hit["value"].rstrip(".!?"), hit["label"].lower())
    for hit in _CARD.finditer(text[:_READ]):
        digits = re.sub(r"\D", "", hit.group())
        if luhn.is_valid(digits):
            yield Secret(*hit.span(), digits, "card number")
    for hit in _IBAN.finditer(text[:_READ]):
        if iban.is_valid(hit.group()):
            yield Secret(*hit.span(), iban.compact(hit.group()), "account number")
