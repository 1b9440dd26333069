"""A judge behind any OpenAI-compatible endpoint: structured output, bounded time and size, all tokens accounted for."""

import asyncio
from dataclasses import replace
from typing import Any, Final, Self, TypeVar, cast

import openai
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ValidationError

from reviews.provenance import prompts
from reviews.provenance.core.findings import DecidedBy, Usage
from reviews.provenance.judges.base import (
    Answered,
    JudgeMisconfiguredError,
    JudgeUnavailableError,
    Question,
    Unknown,
)
from reviews.provenance.judges.logprobs import probability_of
from reviews.provenance.judges.prices import Prices

A = TypeVar("A")

# Trouble that may pass by itself, and trouble that lasts until somebody changes key, model or address.
_TRANSIENT: Final = (
    openai.APIConnectionError, openai.RateLimitError, openai.InternalServerError, openai.ConflictError,
)  # fmt: skip
_LOCKED_OUT: Final = (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError)
_REQUEST_TIMEOUT: Final = 408
# The most that OpenAI's API allows: "true" and "false" should both be among them, however they are tokenized.
_ALTERNATIVES: Final = 20
# Characters of an answer that are parsed. `max_tokens` bounds an honest endpoint; this bounds any other.
_MAX_ANSWER: Final = 64_000
# At temperature 0 a model repeats the output that could not be read; at this one it is still close to its best answer.
_SECOND_TEMPERATURE: Final = 0.5
# Sent where the endpoint asks for no key: the client insists on one.
_NO_KEY: Final = "none"


class OpenAIJudge:
    """Asks one model every question. Belongs to the event loop it is first used on."""

    def __init__(
        self,
        *,
        model: str,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        temperature: float | None = 0.0,
        max_tokens: int = 2048,
        max_chars: int = prompts.MAX_CHARS,
        logprobs: bool = True,
        prices: Prices | None = None,
        readings: int = 2,
    ) -> None:
        """`timeout` is seconds for one attempt; `max_chars` bounds the untrusted text of one prompt.

        `readings`: how often a question is asked whose answers cannot be read, 1 or 2. `logprobs` asks for the
        probabilities of decisive booleans, until the endpoint refuses.
        """
        self.name = model
        self._prices = prices or Prices()
        self._max_chars = max_chars
        self._logprobs = logprobs
        self._readings = readings
        # The client bounds each attempt; this bounds them together, with the pauses that a server may ask for.
        self._deadline = timeout * (max_retries + 1)
        self._options: dict[str, Any] = {"model": model, "max_completion_tokens": max_tokens}
        if temperature is not None:
            self._options["temperature"] = temperature
        self._client = openai.AsyncOpenAI(
            api_key=api_key or _NO_KEY,
            base_url=base_url,
            timeout=timeout,
            max_retries=max_retries,
            # Many questions leave at once, and this client keeps more connections open at less cost than the default.
            http_client=openai.DefaultAioHttpClient(timeout=timeout),
        )

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """One call, and a second one when its output is no answer; if that brings none either, Unknown and unparsable.

        Raises `JudgeUnavailableError` and `JudgeMisconfiguredError`.
        """
        drawn = question.sampling.temperature if question.sampling else None
        first = await self._attempt(question, drawn)
        if isinstance(first, Answered) or not first.usage.completion_tokens or self._readings == 1:
            return cast("Answered[A] | Unknown", first)
        try:
            # A model that ran on and on, or left the form, does the same again at the same temperature. A draw of
            # several may come out otherwise as it is.
            second = await self._attempt(question, _SECOND_TEMPERATURE if drawn is None else drawn)
        except JudgeUnavailableError:
            # The first call was paid for, and an error would not carry its usage.
            return cast("Answered[A] | Unknown", first)
        return cast("Answered[A] | Unknown", replace(second, usage=first.usage + second.usage))

    async def aclose(self) -> None:
        """Give the connections back."""
        await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _attempt(self, question: Question[Any], temperature: float | None) -> Answered[BaseModel] | Unknown:
        """What one call brings. `temperature` None: the one this judge is set to."""
        answer_type = cast("type[BaseModel]", question.answer_type)
        try:
            async with asyncio.timeout(self._deadline):
                completion = await self._complete(question, answer_type, temperature)
        except (TimeoutError, *_TRANSIENT) as error:
            raise JudgeUnavailableError(_kind_of(error)) from error
        except _LOCKED_OUT as error:
            raise JudgeMisconfiguredError(_kind_of(error)) from error
        except openai.APIError as error:
            if getattr(error, "status_code", None) == _REQUEST_TIMEOUT:
                raise JudgeUnavailableError(_kind_of(error)) from error
            return _unparsable(f"the endpoint refused the question ({_kind_of(error)})", Usage(calls=1))
        # What the client raises for a body that it cannot read.
        except ValueError:
            return _unparsable("the endpoint sent no JSON", Usage(calls=1))
        return self._read(completion, answer_type)

    async def _complete(
        self, question: Question[Any], answer_type: type[BaseModel], temperature: float | None
    ) -> ChatCompletion:
        """The endpoint's completion. Raises what its client raises."""
        system, user = prompts.prompt(question.name).filled(
            question.material, occasion=question.occasion, max_chars=self._max_chars
        )
        schema = {"name": question.name, "strict": True, "schema": answer_type.model_json_schema()}
        request = {
            **self._options,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "response_format": {"type": "json_schema", "json_schema": schema},
        }
        # Some models take no temperature at all: then none was configured, and none is ever sent.
        if temperature is not None and "temperature" in self._options:
            request["temperature"] = temperature
        create: Any = self._client.chat.completions.create
        if not self._logprobs or _decisive(answer_type) is None:
            return cast("ChatCompletion", await create(**request))
        try:
            completion = await create(**request, logprobs=True, top_logprobs=_ALTERNATIVES)
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            # Some models report no probabilities and refuse to be asked for them. Only when the same question succeeds
            # without them were they the reason.
            completion = await create(**request)
            self._logprobs = False
        return cast("ChatCompletion", completion)

    def _read(self, completion: ChatCompletion, answer_type: type[BaseModel]) -> Answered[BaseModel] | Unknown:
        # Whatever answers at the address may send anything: nothing of the envelope is taken for granted.
        spent = getattr(completion, "usage", None)
        prompt, completed = (
            tokens if isinstance(tokens := getattr(spent, name, 0), int) and tokens > 0 else 0
            for name in ("prompt_tokens", "completion_tokens")
        )
        usage = Usage(1, prompt, completed, self._prices.of(prompt, completed))
        choices = getattr(completion, "choices", None)
        message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
        content = getattr(message, "content", None)
        # A refusal comes with empty content, so it is looked for first: it tells more.
        if getattr(message, "refusal", None):
            return _unparsable("it refused to answer", usage)
        if not isinstance(content, str) or len(content) > _MAX_ANSWER:
            return _unparsable("its answer is empty or too long", usage)
        try:
            answer = answer_type.model_validate_json(content)
        except ValidationError:
            return _unparsable("its output does not fit the form", usage)
        probability = probability_of(_decisive(answer_type), choices[0]) if choices else None
        return Answered(answer, DecidedBy.JUDGE, usage, probability)


def _decisive(answer_type: type[BaseModel]) -> str | None:
    """The boolean field whose probability counts, if the answer has one."""
    return getattr(answer_type, "decisive", None)


def _unparsable(what: str, usage: Usage) -> Unknown:
    return Unknown(f"The model gave no usable answer: {what}.", usage, unparsable=True)


def _kind_of(error: Exception) -> str:
    """The kind of error and its status; never the body, which may quote the request or the key."""
    status = getattr(error, "status_code", None)
    return f"{type(error).__name__}, status {status}" if status else type(error).__name__
