"""The part that a mention plays by the words before it."""

import pytest

from reviews.provenance.request.parts import NEW, OLD, SOURCE, TARGET, part_of_mention, part_of_parameter
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
        ("Move the kite to place 2, it is at place 7", "2", TARGET),
    ],
)
def test_behind_to_stands_a_verb_at_times(text: str, mention: str, expected: str | None) -> None:
    assert part(text, mention) == expected


@pytest.mark.parametrize(
    ("text", "mention", "expected"),
    [
        ("Ida takes over the kiln from Bo", "Ida", TARGET),
        ("Ida hands over the kiln", "Ida", SOURCE),
        ("P-77 takes the place of P-42", "P-42", OLD),
        ("P-77 replaces P-42", "P-77", NEW),
        ("Ida übernimmt den Ofen", "Ida", TARGET),
        ("Ida reprend le four de Bo", "Ida", TARGET),
        ("Ida looks after the kiln", "Ida", None),
        ("Overwrite kiln-a with kiln-b", "kiln-a", TARGET),
        ("Overwrite kiln-a with kiln-b", "kiln-b", SOURCE),
        ("Soot was 8.40, from today it costs 7.90", "8.40", OLD),
        ("Soot was 8.40, from today it costs 7.90", "7.90", NEW),
    ],
)
def test_a_verb_gives_a_part_to_whoever_does_it(text: str, mention: str, expected: str | None) -> None:
    assert part(text, mention) == expected


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Herd that is merged into it", SOURCE),
        ("Member who gets the desk", TARGET),
        ("Member who gives the desk away", SOURCE),
        ("Herd to merge into", TARGET),
        ("Any herd", None),
    ],
)
def test_a_description_says_the_part_of_its_parameter(description: str, expected: str | None) -> None:
    assert part_of_parameter("herd", description) == expected


@pytest.mark.parametrize("noun", ["order", "file", "message", "schedule", "report", "shelf"])
def test_a_noun_that_is_a_verb_elsewhere_keeps_its_part(noun: str) -> None:
    text = f"Move the mug from {noun} 55 to {noun} 77"
    assert part(text, "55") == SOURCE
    assert part(text, "77") == TARGET
