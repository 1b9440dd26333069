"""Lengths of time as people write them: half an hour, a 30-minute call, 1.5 hours."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from reviews.provenance.context import JsonValue
from reviews.provenance.grounding.numbers import SMALL, number_of

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_SHORT = {"sec": "second", "s": "second", "min": "minute", "m": "minute", "hr": "hour", "h": "hour"}
_UNIT = r"seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|[smh](?![a-z'])"
_AMOUNT = rf"\d+(?:\.\d+)?|half[ -]an?|half|an?|{'|'.join(SMALL)}"
_LENGTH = re.compile(
    rf"(?<![\w.,:/-])(?P<amount>{_AMOUNT})[ -]{{0,2}}(?P<unit>{_UNIT})\b(?P<half>[ -]and[ -]a[ -]half)?"
)
_MIXED = re.compile(
    r"(?<![\w.,:/-])(?P<h>\d{1,2}) ?(?:h|hrs?|hours?)(?: and)? ?(?P<m>\d{1,2}) ?(?:m|mins?|minutes?)?\b"
)
_ISO = re.compile(r"pt(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m)?(?:(?P<s>\d+)s)?", re.I)
_ABOUT_TIME = re.compile(
    r"durat|minute|length|hours?\b|seconds?\b|days?\b|weeks?\b|timeout|interval|ttl|expires?_?in", re.I
)


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time in a text."""

    start: int
    end: int
    seconds: Decimal


def durations_in(text: str) -> Iterator[Duration]:
    """Every length of time of a folded text."""
    for hit in _MIXED.finditer(text):
        yield Duration(*hit.span(), Decimal(int(hit["h"]) * 3600 + int(hit["m"]) * 60))
    for hit in _LENGTH.finditer(text):
        amount = _amount(hit["amount"]) + (Decimal("0.5") if hit["half"] else 0)
        yield Duration(*hit.span(), amount * _SECONDS[_unit(hit["unit"])])
    for hit in re.finditer(r"\bfortnight\b", text):
        yield Duration(*hit.span(), Decimal(1209600))


def seconds_of(value: JsonValue, hint: str) -> tuple[Decimal, ...]:
    """The lengths a value may mean, given the parameter's name and description; empty if it names no length."""
    if isinstance(value, str) and (hit := _ISO.fullmatch(value)) and len(value) > 2:  # noqa: PLR2004
        return (Decimal(int(hit["h"] or 0) * 3600 + int(hit["m"] or 0) * 60 + int(hit["s"] or 0)),)
    if isinstance(value, str) and (whole := _LENGTH.fullmatch(value.lower()[:64])):
        return (_amount(whole["amount"]) * _SECONDS[_unit(whole["unit"])],)
    number = number_of(value)
    if number is None or not _ABOUT_TIME.search(hint):
        return ()
    named = [unit for unit in _SECONDS if unit in hint.lower()] or ["minute", "hour", "second"]
    return tuple(number * _SECONDS[unit] for unit in named)


def _amount(text: str) -> Decimal:
    if text.startswith("half"):
        return Decimal("0.5")
    return Decimal(1) if text in ("a", "an") else Decimal(SMALL[text]) if text in SMALL else Decimal(text[:24])


def _unit(text: str) -> str:
    singular = text[:-1] if len(text) > 1 and text.endswith("s") else text
    return _SHORT.get(singular, singular)
