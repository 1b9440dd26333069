import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.desk.text.escapes import is_escaped_json, with_letters
from reviews.desk.text.highlighting import Mark, excerpt


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_json_escapes_is_read_as_its_letters(text: str) -> None:
    assert json.loads(with_letters(json.dumps(text))) == text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"Max M\u00fcller", "Max Müller"),
        (r"\u674e\u96f7", "李雷"),
        (r"\ud83d\ude00", "😀"),
        # Half a letter, a backslash before the letter u, and what parts JSON.
        (r"\ud83d", r"\ud83d"),
        (r"C:\\u00fc", r"C:\\u00fc"),
        (r"\\\u00fc", r"\\ü"),
        (r"\u0022\u003c", r"\u0022\u003c"),
        (r"\u00f", r"\u00f"),
    ],
)
def test_an_escape_is_a_letter_and_what_looks_like_one_is_none(written: str, read: str) -> None:
    assert with_letters(written) == read


def test_only_json_is_read_so() -> None:
    assert is_escaped_json(' {"name": "M\\u00fcller"}')
    assert not is_escaped_json('{"name": "Müller"}')
    assert not is_escaped_json(r"print('\u00fc')")


def test_marks_stay_where_they_are_in_the_text_and_what_does_not_show_is_named() -> None:
    text = json.dumps({"name": "Müller\u202e", "id": "A-1"})
    start = text.index("A-1")
    pieces = excerpt(text, [Mark(start, start + 3, "a1", "1")], as_letters=True)
    assert [piece.text for piece in pieces if piece.refs] == ["A-1"]
    assert "Müller" in pieces[0].text
    assert any(piece.name and "\u202e" not in piece.text for piece in pieces)
