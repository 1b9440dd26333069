"""A quote means the words that stand by themselves, wherever its characters stand first."""

import pytest

from reviews.provenance.core.context import Context
from reviews.provenance.detectors.judge_quotes import locate_quotes
from reviews.provenance.judges.questions.question_forms import Quote


@pytest.mark.parametrize(
    ("text", "quote", "at"),
    [
        ("Of the 250 at 4.25 take 25 away.", "25", 24),
        ("C-40112 pays 12 less.", "12", 13),
        ("Annex for Ann", "Ann", 10),
        # Where it stands nowhere by itself it is a piece, which a term may refuse.
        ("C-40112 pays less.", "12", 5),
    ],
)
def test_a_quote_is_found_where_it_stands_whole(text: str, quote: str, at: int) -> None:
    spans = locate_quotes(Context(text, ()), [Quote(source="query", quote=quote)])
    assert spans is not None
    assert [span.start for span in spans] == [at]
