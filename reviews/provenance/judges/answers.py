"""What a model's completion holds: the answer in its form, what it took, and P(true) of a boolean in it."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from reviews.provenance.core.findings import DecidedBy, Usage
from reviews.provenance.judges.base import Answered, Reply, Unknown

# Characters of an answer that are parsed. The token limit bounds an honest endpoint; this bounds any other.
_MAX_ANSWER: Final = 64_000
# What models that reason write before their answer.
_THOUGHT: Final = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
# Places at which an object may begin: prose with more braces than that is no answer, and each is read to its end.
_MAX_BEGINNINGS: Final = 50


@dataclass(frozen=True)
class Prices:
    """US dollars for a million tokens."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost of one call."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000


def read_completion(
    completion: Any, answer_type: type[BaseModel], *, decisive: str | None, is_form_enforced: bool, prices: Prices
) -> Reply[BaseModel]:
    """The answer of this type, or why it is no use; `decisive` names the boolean whose probability is read."""
    # Whatever answers at the address may send anything: nothing of the envelope is taken for granted.
    spent = getattr(completion, "usage", None)
    prompt, completed = (
        tokens if isinstance(tokens := getattr(spent, name, 0), int) and tokens > 0 else 0
        for name in ("prompt_tokens", "completion_tokens")
    )
    usage = Usage(1, prompt, completed, prices.of(prompt, completed))
    choices = getattr(completion, "choices", None)
    message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    content = getattr(message, "content", None)
    # A refusal comes with empty content, so it is looked for first: it tells more.
    if getattr(message, "refusal", None):
        return unusable_answer("it refused to answer", usage)
    if not isinstance(content, str) or len(content) > _MAX_ANSWER:
        return unusable_answer("its answer is empty or too long", usage)
    try:
        answer = answer_type.model_validate_json(content if is_form_enforced else find_json_object(content) or "")
    except ValidationError:
        return unusable_answer("its output does not fit the form", usage)
    probability = probability_of(decisive, choices[0]) if choices else None
    return Answered(answer, DecidedBy.JUDGE, usage, probability)


def unusable_answer(problem: str, usage: Usage) -> Unknown:
    """That the model gave none that can be read, and what it took."""
    return Unknown(f"The model gave no usable answer: {problem}.", usage, unparsable=True)


def form_in_words(schema: dict[str, Any]) -> str:
    """What a prompt ends with, to ask for the form that the endpoint does not enforce."""
    return (
        "\n\nAnswer with one JSON object that fits this JSON schema, and with nothing else:\n"
        f"{json.dumps(schema, ensure_ascii=False)}"
    )


def find_json_object(text: str) -> str | None:
    """The one JSON object in the text, whatever stands around it; None without one, or with several that differ."""
    # Of several nobody knows which one is the answer, and the text may quote what it was asked about.
    text, objects, at = _THOUGHT.sub("", text), dict[str, None](), 0
    for _ in range(_MAX_BEGINNINGS):
        at = text.find("{", at)
        if at < 0:
            break
        try:
            value, at = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        objects[json.dumps(value, sort_keys=True)] = None
    return next(iter(objects)) if len(objects) == 1 else None


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
