"""Readers take time in proportion to the text, whoever wrote it."""

from collections.abc import Callable, Iterable
from datetime import datetime

import pytest

from reviews.provenance.values.durations import durations_in
from reviews.provenance.values.identifiers import opaque_in
from reviews.provenance.values.moments import literal_moments_in, moments_in
from reviews.provenance.values.money import amounts_in
from reviews.provenance.values.numbers import numbers_in
from reviews.provenance.values.numerals import written_numerals_in
from reviews.provenance.values.secrets import secrets_in
from tests.provenance.values.writing import stretched

NOW = datetime(2026, 3, 5, 9, 0)  # noqa: DTZ001
READERS: dict[str, Callable[[str], Iterable[object]]] = {
    "numbers": numbers_in,
    "moments": lambda text: moments_in(text, NOW),
    "literal moments": literal_moments_in,
    "lengths": durations_in,
    "amounts": amounts_in,
    "identifiers": opaque_in,
    "secrets": secrets_in,
    "written numerals": written_numerals_in,
}
# A record, prose, and what makes searches that look ahead or back long: runs of figures, signs, letters and numerals.
TEXTS = {
    "records": '{"id": "ord12345x", "date": "2026-03-05t10:30:00z", "total": 12.50, "to": "a.b@example.com"},\n',
    "prose": "please book two seats on friday, may 5, at 3pm for $30; it takes an hour and a half in total.\n",
    "figures": "1",
    "grouped figures": "1,",
    "dotted figures": "1.",
    "hyphenated figures": "11-",
    "spaced figures": "123 ",
    "letters": "a",
    "hyphenated letters": "1-aaa-",
    "numerals": "hundert",
    "a list of numerals": "two, ",
    "sums of numerals": "двести пять ",
    "at signs": "a@",
    "half-said dates": "may may 5 of ",
    "codes": "a1",
}
# Twice the text takes twice the time, and the machine has other work.
_AT_MOST = 2.3


@pytest.mark.bench
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("reader", READERS)
def test_twice_the_text_takes_twice_the_time(reader: str, text: str) -> None:
    long = text * (30_000 // len(text))
    assert min(stretched(READERS[reader], long) for _ in range(2)) <= _AT_MOST
