"""What a model's endpoint is asked with: endpoints that speak one protocol take different parts of it."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, TypeAlias

ReasoningEffort: TypeAlias = Literal["", "none", "minimal", "low", "medium", "high"]
TokenLimit: TypeAlias = Literal["max_completion_tokens", "max_tokens"]
ResponseFormat: TypeAlias = Literal["json_schema", "json_object", "text"]

# An answer is at most a list of findings with their quotes, and one that is cut off cannot be read. Every call in
# flight is charged with all of it, so that a larger bound lets fewer questions run at once within a small budget.
ANSWER_TOKENS: Final = 2048
"""Most tokens of one answer, unless a model's options say otherwise: a model that reasons needs more."""
# The most that OpenAI's API allows: "true" and "false" should both be among them, however they are tokenized.
ALTERNATIVES: Final = 20
"""Tokens whose probabilities are asked for."""
# Characters of a refusal that are read; it may quote the whole request.
_MAX_REFUSAL: Final = 2_000


@dataclass(frozen=True)
class ModelOptions:
    """How one model is asked."""

    temperature: float | None = 0.0
    """None: none is sent, and the endpoint samples as it does by default. Models that reason refuse any."""
    reasoning_effort: ReasoningEffort = ""
    """How long a model that reasons may think; empty: the endpoint's default."""
    token_limit: TokenLimit = "max_completion_tokens"  # noqa: S105  # a parameter's name
    """What the endpoint calls the bound on an answer's tokens."""
    response_format: ResponseFormat = "json_schema"
    """How the form of an answer is asked for: as a schema that the endpoint enforces, as JSON of any form with the
    schema in the prompt, or in the prompt alone."""
    answer_tokens: int = ANSWER_TOKENS
    """Most tokens of one answer, those of its reasoning included."""
    logprobs: bool = True
    """Ask for the probabilities of decisive booleans."""

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that are the same for the same options: answers under others are no answers."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:12]

    def parameters(self, name: str, schema: Mapping[str, Any], *, temperature: float | None = None) -> dict[str, Any]:
        """The request's parameters for an answer of this form. `temperature` None: the one that is set."""
        parameters: dict[str, Any] = {self.token_limit: self.answer_tokens}
        if self.temperature is not None:
            parameters["temperature"] = self.temperature if temperature is None else temperature
        if self.reasoning_effort:
            parameters["reasoning_effort"] = self.reasoning_effort
        if self.response_format == "json_schema":
            form = {"name": name, "strict": True, "schema": dict(schema)}
            parameters["response_format"] = {"type": "json_schema", "json_schema": form}
        elif self.response_format == "json_object":
            parameters["response_format"] = {"type": "json_object"}
        if self.logprobs:
            parameters |= {"logprobs": True, "top_logprobs": ALTERNATIVES}
        return parameters


def reduce_options(options: ModelOptions, refusal: str) -> ModelOptions | None:
    """The options without what a refusal names; if it names nothing, without what endpoints refuse most often.

    None where nothing is left that could be the reason.
    """
    words = refusal[:_MAX_REFUSAL].casefold()
    reductions = list(_list_reductions(options))
    culprits = [(words.find(name), reduced) for names, reduced in reductions for name in names if name in words]
    if culprits:
        # A refusal names the culprit first, and behind it what to send instead.
        return min(culprits, key=lambda pair: pair[0])[1]
    suspects = (reduced for names, reduced in reductions if names[0] in _OFTEN_REFUSED)
    return next(suspects, None)


# Refused without a word by endpoints of older models: these are tried where a refusal tells no reason.
_OFTEN_REFUSED: Final = ("logprobs", "temperature")


def _list_reductions(options: ModelOptions) -> Iterator[tuple[tuple[str, ...], ModelOptions]]:
    """By the names of what is left out or put otherwise, the options without it."""
    if options.logprobs:
        yield ("logprobs",), replace(options, logprobs=False)
    if options.temperature is not None:
        yield ("temperature",), replace(options, temperature=None)
    if options.reasoning_effort:
        yield ("reasoning",), replace(options, reasoning_effort="")
    is_newer = options.token_limit == "max_completion_tokens"  # noqa: S105
    yield (options.token_limit,), replace(options, token_limit="max_tokens" if is_newer else "max_completion_tokens")
    if options.response_format == "json_schema":
        yield ("response_format", "json_schema"), replace(options, response_format="json_object")
    elif options.response_format == "json_object":
        yield ("response_format", "json_object"), replace(options, response_format="text")
