import math
from types import SimpleNamespace
from typing import Any

import pytest

from reviews.provenance.judges.answers import probability_of

Token = tuple[str, dict[str, float]]
"""What was written, and the chances of its alternatives."""


def choice(*tokens: Token) -> Any:
    """A completion's choice: each token with the chances of its alternatives."""
    content = [
        SimpleNamespace(
            token=token,
            logprob=0.0,
            top_logprobs=[SimpleNamespace(token=each, logprob=math.log(chance)) for each, chance in chances.items()],
        )
        for token, chances in tokens
    ]
    return SimpleNamespace(logprobs=SimpleNamespace(content=content))


def check_probability(expected: float | None, *tokens: Token, field: str | None = "holds") -> None:
    found = probability_of(field, choice(*tokens))
    assert found == (expected if expected is None else pytest.approx(expected))


START: Token = ('{"holds":', {})


def test_true_is_weighed_against_false() -> None:
    check_probability(0.75, START, (" true", {" true": 0.6, " false": 0.2}))


def test_it_does_not_matter_which_was_taken() -> None:
    check_probability(0.75, START, (" false", {" true": 0.6, " false": 0.2}))


def test_spellings_and_pieces_of_a_word_count_together() -> None:
    check_probability(0.5, START, ("true", {"true": 0.2, "tr": 0.1, " True": 0.1, "false": 0.4, "maybe": 0.2}))


def test_the_field_may_come_in_pieces_and_behind_a_code_fence() -> None:
    check_probability(
        0.9, ("```json\n", {}), ('{"', {}), ("holds", {}), ('":', {}), ("true", {"true": 0.9, "false": 0.1})
    )


def test_another_boolean_before_the_field_is_not_taken() -> None:
    check_probability(0.2, ('{"x": ', {}), ("true", {"true": 1.0}), (', "holds": ', {}), ("f", {"f": 0.8, "t": 0.2}))


@pytest.mark.parametrize(
    "tokens",
    [(), (START,), (START, ("null", {"null": 1.0})), (START, ("true", {"maybe": 1.0})), (("true", {"true": 1.0}),)],
)
def test_what_cannot_be_told_is_not_told(tokens: tuple[Token, ...]) -> None:
    check_probability(None, *tokens)


def test_without_a_decisive_field_there_is_nothing_to_tell() -> None:
    check_probability(None, START, ("true", {"true": 1.0}), field=None)


@pytest.mark.parametrize(
    "broken",
    [
        None,
        SimpleNamespace(logprobs=None),
        SimpleNamespace(logprobs=SimpleNamespace(content="x")),
        SimpleNamespace(logprobs=SimpleNamespace(content=[7])),
        SimpleNamespace(
            logprobs=SimpleNamespace(content=[SimpleNamespace(token='"holds"'), SimpleNamespace(token="true")])
        ),
    ],
)
def test_an_endpoint_may_send_anything(broken: Any) -> None:
    assert probability_of("holds", broken) is None
