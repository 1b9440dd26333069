"""Numbers in words: three, twenty-five, twelve hundred, two and a half million, one hundred and five."""

import re
from collections.abc import Iterator
from decimal import Decimal

from reviews.provenance.text.anchors import finditer_near

# Words from nought to nineteen, then tens.
_ONES = (
    "zero one two three four five six seven eight nine ten eleven "
    "twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SMALL = {word: n for n, word in enumerate(_ONES)} | {word: 10 * n for n, word in enumerate(_TENS, start=2)}
# What multiplies the words before it.
_SCALES = {
    "dozen": 12, "hundred": 100, "thousand": 10**3, "lakh": 10**5, "million": 10**6, "crore": 10**7, "billion": 10**9,
    "trillion": 10**12,
}  # fmt: skip
SMALL_WORDS = rf"(?:(?:{'|'.join(_TENS)})[ -](?:{'|'.join(_ONES[1:10])})|{'|'.join(sorted(SMALL, key=len)[::-1])})"
"""A number below one hundred in words."""
# Those that may stand several times in one number.
_LARGE = "thousand|lakh|million|crore|billion|trillion"
_HUNDREDS = rf"(?:(?:an?|{SMALL_WORDS}) hundred(?:(?: and)? {SMALL_WORDS})?|{SMALL_WORDS})"
_PART = rf"(?:(?:{_HUNDREDS}|an?)(?: and a half)?|half an?|a couple(?: of)?) (?:{_LARGE})"
_SPELLED = re.compile(
    r"\b(?=[aotfsenhztdc])"
    rf"(?:{_PART}(?:,? (?:and )?{_PART})*(?:,? (?:and )?{_HUNDREDS})?"
    rf"|(?:(?:half )?an? |{SMALL_WORDS} )?dozen|{_HUNDREDS}(?: and a half)?|couple|half an?(?= (?:{_LARGE})))\b"
)
# For patterns that count something: nobody counts thousands of tickets in words.
_SMALL_ONLY = re.compile(rf"\b(?:{SMALL_WORDS}|couple)(?: and a half)?\b")
_TOKEN = re.compile(r"[a-z]+")


def spelled_in(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """Start, end and value of every number that a folded text writes in words."""
    pattern = _SPELLED if any(scale in text for scale in _SCALES) else _SMALL_ONLY
    for hit in finditer_near(pattern, text, (*SMALL, *_SCALES, "couple", "half a")):
        yield *hit.span(), spelled(hit.group())


def spelled(words: str) -> Decimal:
    """The value of words that `spelled_in` takes for one number."""
    total, part, half = Decimal(0), Decimal(0), Decimal(0)
    for word in _TOKEN.findall(words):
        if word in SMALL:
            part += SMALL[word]
        elif word == "half":
            half = Decimal("0.5")
        elif word == "couple":
            part = Decimal(2)
        elif word in ("hundred", "dozen"):
            part, half = (part + half or Decimal(1)) * _SCALES[word], Decimal(0)
        elif word in _SCALES:
            total, part, half = total + (part + half or Decimal(1)) * _SCALES[word], Decimal(0), Decimal(0)
    return total + part + half
