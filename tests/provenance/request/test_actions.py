"""What a text asks for."""

import pytest

from reviews.provenance.request.actions import only_asks


@pytest.mark.parametrize(
    "text",
    [
        "What is the code of the greenhouse? It's in a letter I received.",
        "Show me the tides of Tuesday.",
        "Who keeps the north light?\nWhere does he live?",
    ],
)
def test_a_question_asks_to_know(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is the code? Then delete the letter.",
        "Could you water the palms?",
        "Show me the tides and handle the rest.",
        "Prune the roses.",
        "It's in a letter I received.",
        "",
    ],
)
def test_what_may_ask_for_a_deed_does_not_only_ask(text: str) -> None:
    assert not only_asks(text)
