"""Looking only around anchors finds what looking everywhere finds."""

import re
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.text.pattern_anchors import finditer_near, matches_from

_DAY = re.compile(r"\b(?:(?P<which>next|last) )?(?:mon|fri)day\b")
_WORD = re.compile(r"(?:mon|fri)day(?:monday)?")
_FILLER = " lorem ipsum" * 30
_PIECES = ["next ", "last ", "monday", "friday", " ", "1", "12", ":", "30", "é", "\U0001d4b3", "\ud800", _FILLER]
_texts = st.lists(st.sampled_from(_PIECES), max_size=60).map("".join)


def _spans(matches: Iterable[re.Match[str]]) -> list[tuple[int, int]]:
    return [hit.span() for hit in matches]


@given(_texts)
def test_around_anchors(text: str) -> None:
    assert _spans(finditer_near(_DAY, text, ("monday", "friday"), reach=12)) == _spans(_DAY.finditer(text))


@given(_texts)
def test_from_anchors_on(text: str) -> None:
    assert _spans(matches_from(_WORD, text, ("monday", "friday"))) == _spans(_WORD.finditer(text))
