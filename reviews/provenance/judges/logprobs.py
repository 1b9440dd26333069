"""P(true) of a boolean in structured output, read from the probabilities of its tokens."""

import math
from typing import Any, Final

# What tokenizers attach to the word itself: white space, the colon before it, and quotation marks or brackets of
# endpoints that wrap a boolean.
_AROUND: Final = ' \t\n":{`'


def probability_of(field: str | None, choice: Any) -> float | None:
    """P(true) of the field, normalised against P(false), 0 to 1; None where the endpoint reports none.

    Reads the alternatives at the token with which the field's value begins. Endpoints send all sorts of things:
    whatever is not as expected counts as not reported.
    """
    tokens = getattr(getattr(choice, "logprobs", None), "content", None)
    if field is None or not isinstance(tokens, list):
        return None
    text_so_far = ""
    for token in tokens:
        text = getattr(token, "token", None)
        if not isinstance(text, str):
            return None
        # The value is the first token after the field's name that begins a boolean.
        if f'"{field}"' in text_so_far and _boolean_begun_by(text):
            break
        text_so_far += text
    else:
        return None
    chances = {"true": 0.0, "false": 0.0}
    for alternative in getattr(token, "top_logprobs", None) or [token]:
        logprob = getattr(alternative, "logprob", None)
        boolean = _boolean_begun_by(getattr(alternative, "token", None) or "")
        # A logarithm of a probability is never positive.
        if boolean and isinstance(logprob, int | float) and logprob <= 0:
            chances[boolean] += math.exp(logprob)
    total = sum(chances.values())
    return chances["true"] / total if total else None


def _boolean_begun_by(token: str) -> str | None:
    """`true` or `false`, where the token begins it: tokens end where their tokenizer likes, such as after `tr`."""
    word = token.strip(_AROUND).lower()
    return next((boolean for boolean in ("true", "false") if word and boolean.startswith(word)), None)
