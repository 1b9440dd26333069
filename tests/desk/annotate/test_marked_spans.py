"""What a person marks on the page is found in the source, to the character, whatever the page shows instead."""

import json

import pytest

from reviews.desk.annotate.marked_spans import UnknownMarkError, spans_of, write_spans
from reviews.desk.review.case.evidence import Evidence
from reviews.provenance.core.context import Context, Span
from reviews.provenance.core.invisible import spelled_out
from tests.provenance.growth import TWICE, growth


def marked(text: str, quote: str, nth: int = 0) -> tuple[Context, tuple[Span, ...]]:
    context = Context(query=text)
    mark = {"at": Evidence(context).anchor_of("query"), "quote": quote, "nth": nth}
    return context, spans_of(json.dumps([mark]), context)


@pytest.mark.parametrize(
    "text",
    [
        "pay\u200b\u200b\u200bpal",
        "from \u202eright\u202c to left",
        "two\r\nlines\r\nand a third",
        "a\rb",
        "b\U000e0068\U000e0069!",
        "p\u0430ypal",
        "it says ⟦U+200B⟧ itself",
        "(a+b)*\u2060 [c]",
    ],
)
def test_words_with_hidden_characters_are_marked_as_they_are_shown(text: str) -> None:
    context, (span,) = marked(text, spelled_out(text))
    assert (span.start, span.end, span.quote) == (0, len(text), text)
    assert spans_of(write_spans([span], context), context) == (span,)


def test_of_equal_words_the_one_that_was_marked_is_meant() -> None:
    text = "a\u200bb a\u200bb a\u200bb"
    _, (span,) = marked(text, "a⟦U+200B⟧b", nth=2)
    assert span.start == 8


@pytest.mark.parametrize("quote", ["a⟦U+200C⟧b", "a⟦U+200B ×2⟧b", "ab", "a⟦hidden tags “x”⟧b"])
def test_what_is_shown_otherwise_stands_nowhere(quote: str) -> None:
    with pytest.raises(UnknownMarkError):
        marked("a\u200bb", quote)


def test_a_row_of_hidden_characters_is_looked_through_once_for_a_mark_that_does_not_stand_there() -> None:
    def look(text: str) -> None:
        with pytest.raises(UnknownMarkError):
            marked(text, "⟦hidden tags “x”⟧b")

    assert growth(lambda size: "\U000e0041" * size, look, 20_000) <= TWICE
