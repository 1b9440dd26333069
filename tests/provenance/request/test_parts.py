"""The part that a mention plays by the words before it."""

import pytest

from reviews.provenance.request.parts import SOURCE, TARGET, part_of_mention
from reviews.provenance.text.fold import fold


def part(text: str, mention: str) -> str | None:
    """The part of a mention in a text."""
    at = fold(text).index(fold(mention))
    return part_of_mention(fold(text), at, at + len(fold(mention)))


@pytest.mark.parametrize(
    ("text", "mention", "expected"),
    [
        ("I want to get crate-7 into bay 3", "crate-7", None),
        ("I want to get crate-7 into bay 3", "bay 3", TARGET),
        ("We have to move the harp from the loft to the hall", "harp", None),
        ("We have to move the harp from the loft to the hall", "loft", SOURCE),
        ("We have to move the harp from the loft to the hall", "hall", TARGET),
        ("Please remember to open the gate", "gate", None),
    ],
)
def test_behind_to_stands_a_verb_at_times(text: str, mention: str, expected: str | None) -> None:
    assert part(text, mention) == expected


@pytest.mark.parametrize("noun", ["order", "file", "message", "schedule", "report", "shelf"])
def test_a_noun_that_is_a_verb_elsewhere_keeps_its_part(noun: str) -> None:
    text = f"Move the mug from {noun} 55 to {noun} 77"
    assert part(text, "55") == SOURCE
    assert part(text, "77") == TARGET
