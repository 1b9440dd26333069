"""P(true) of a boolean in structured output, read from the probabilities of its tokens."""

import math
from collections.abc import Iterable
from typing import Any


def probability_of(field: str | None, choice: Any) -> float | None:
    """P(true) of the field, normalised against P(false); None where the endpoint does not tell.

    Reads the alternatives at the token with which the field's value begins. Endpoints send all sorts of things:
    whatever is not as expected counts as not told.
    """
    tokens = getattr(getattr(choice, "logprobs", None), "content", None)
    if field is None or not isinstance(tokens, list):
        return None
    written = ""
    for token in tokens:
        text = getattr(token, "token", None)
        if not isinstance(text, str):
            return None
        if f'"{field}"' in written and _begins(text):
            return _normalised(getattr(token, "top_logprobs", None) or [token])
        written += text
    return None


def _normalised(alternatives: Iterable[Any]) -> float | None:
    chances = {"true": 0.0, "false": 0.0}
    for each in alternatives:
        logprob, value = getattr(each, "logprob", None), _begins(getattr(each, "token", None) or "")
        if value and isinstance(logprob, int | float) and logprob <= 0:
            chances[value] += math.exp(logprob)
    total = sum(chances.values())
    return chances["true"] / total if total else None


def _begins(token: str) -> str | None:
    """The boolean that a token begins; tokens differ in the white space and punctuation they take along."""
    word = token.strip(' \t\n":{`').lower()
    return next((value for value in ("true", "false") if word and value.startswith(word)), None)
