"""Values that are one edit from what a source says."""

import pytest

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Source, SourceKind
from reviews.provenance.grounding.objections.near_copy import near_copy
from reviews.provenance.records.index import Indexed


def nearly(value: str, text: str) -> str | None:
    """What the value nearly is in this text."""
    found = near_copy(value, (Indexed(Source("query", SourceKind.USER_QUERY, text), None),), Budget())
    return found.nearest.quote if found and found.nearest else None


@pytest.mark.parametrize(
    ("value", "text", "quote"),
    [
        ("kite-4471", "fly kite-4417 today", "kite-4417"),
        ("kite-447", "fly kite-4417 today.", "kite-4417"),
        ("kite-44171", "fly (kite-4417)", "kite-4417"),
        ("18250", "a roll of 18350 metres", "18350"),
        ("18255", "a roll of 1825 metres", "1825"),
        ("tides-2026-03.csv", "see logs/archive/tides-2026-04.csv", "tides-2026-04.csv"),
        ("logs/tides-03.csv", "see logs/tides-04.csv", "logs/tides-04.csv"),
    ],
)
def test_one_edit_from_a_code_is_a_slip(value: str, text: str, quote: str) -> None:
    assert nearly(value, text) == quote


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # The same, or two edits away.
        ("kite-4417", "fly kite-4417"),
        ("kite-4471", "fly kite-4428"),
        # Numbers of few figures are near one another by chance, however they are written.
        ("120", "130 of them"),
        ("45.00", "it costs 45.50"),
        ("12.50", "it costs 12.00"),
        ("350.0", "it costs 360.0"),
        # Too short, a word, or words.
        ("k-44", "fly k-41"),
        ("kites", "fly kite"),
        ("kite no 4471", "fly kite no 4417"),
        # Letters alone may differ by a word.
        ("kite4a-red", "fly kite4a-rod"),
        # The value names a folder, and the text another one.
        ("logs/tides-03.csv", "see data/tides-04.csv"),
    ],
)
def test_what_is_near_by_chance_is_no_slip(value: str, text: str) -> None:
    assert nearly(value, text) is None
