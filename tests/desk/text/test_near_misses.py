from dataclasses import replace

import pytest

from reviews.desk.text.near_misses import look_alike, near_miss
from reviews.provenance.core.invisible import reveal_hidden
from tests.cast import CONTEXT

CYRILLIC_A = "\u0430"
DISGUISED = f"d{CYRILLIC_A}niel.kim@example.org"


def differing(proposed: str, actual: str) -> tuple[list[str], list[str]]:
    miss = near_miss(proposed, actual)
    assert miss
    return [piece.text for piece in miss.proposed if piece.differs], [p.text for p in miss.actual if p.differs]


def test_a_near_miss_marks_the_characters_that_differ() -> None:
    assert differing("daniel.kin@example.org", "daniel.kim@example.org") == (["n"], ["m"])


@pytest.mark.parametrize("actual", ["300", "completely else"])
def test_what_is_equal_or_little_alike_is_no_near_miss(actual: str) -> None:
    assert near_miss("300", actual) is None


@pytest.mark.parametrize("value", [DISGUISED, "daniel.kim\u200b@example.org"])
def test_a_look_alike_leads_to_what_it_passes_for(value: str) -> None:
    span = look_alike(value, CONTEXT)
    assert span
    assert span.quote == "daniel.kim@example.org"


def test_a_value_that_is_what_it_looks_like_has_no_look_alike() -> None:
    cyrillic = replace(CONTEXT, query="Отправь привет")
    assert look_alike("привет", cyrillic) is None
    assert look_alike("daniel.kim@example.org", CONTEXT) is None


def test_a_character_that_passes_for_another_is_shown_and_named() -> None:
    named = [(piece.text, piece.name) for piece in reveal_hidden(DISGUISED) if piece.name]
    assert named == [(CYRILLIC_A, "cyrillic small letter a, which looks like “a”")]


@pytest.mark.parametrize("text", ["Привет, мир", "café naïve", "東京 Tower", "I\u015f\u0131k"])
def test_honest_writing_is_no_disguise(text: str) -> None:
    assert not [piece for piece in reveal_hidden(text) if piece.name]
