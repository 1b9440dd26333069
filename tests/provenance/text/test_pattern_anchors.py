"""Looking only around anchors finds what looking everywhere finds."""

import re
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.text.pattern_anchors import finditer_near, matches_from

_DAY = re.compile(r"\b(?:(?P<which>next|last) )?(?:mon|fri)day\b")
_WORD = re.compile(r"(?:mon|fri)day(?:monday)?")
_TIME = re.compile(r"(?<![\w:])\d{1,2}:\d\d(?![\d:])")
_COLONS = tuple(f"{figure}:" for figure in range(10))
_FILLER = " lorem ipsum" * 30
_PIECES = ["next ", "last ", "monday", "friday", " ", "1", "12", ":", "30", "é", "\U0001d4b3", "\ud800", _FILLER]
_texts = st.lists(st.sampled_from(_PIECES), max_size=60).map("".join)


def _spans(matches: Iterable[re.Match[str]]) -> list[tuple[int, int]]:
    return [hit.span() for hit in matches]


@given(_texts)
def test_around_anchors(text: str) -> None:
    assert _spans(finditer_near(_DAY, text, ("monday", "friday"))) == _spans(_DAY.finditer(text))


@given(_texts)
def test_from_anchors_on(text: str) -> None:
    assert _spans(matches_from(_WORD, text, ("monday", "friday"))) == _spans(_WORD.finditer(text))


def test_figures_of_other_scripts_have_no_anchor_and_are_found_all_the_same() -> None:
    text = f"{_FILLER} ١٢:٣٠ {_FILLER}"
    assert _spans(finditer_near(_TIME, text, _COLONS)) == _spans(_TIME.finditer(text)) != []


def test_an_anchor_across_the_chunks_of_a_long_text_is_found() -> None:
    for shift in range(8):
        text = "x" * ((1 << 16) - 4 - shift) + " monday " + _FILLER
        assert len(_spans(finditer_near(_DAY, text, ("monday", "friday")))) == 1
