"""A judge behind any OpenAI-compatible endpoint: structured output, bounded time and size, all tokens accounted for."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar, cast

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

A = TypeVar("A")

_TRY_AGAIN = (openai.APIConnectionError, openai.RateLimitError, openai.InternalServerError, openai.ConflictError)
_LOCKED_OUT = (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError)
_REQUEST_TIMEOUT = 408
_ALTERNATIVES = 20
"""Alternatives of each token that are asked for."""
_MOST_ANSWER = 64_000
"""Characters of an answer that are parsed."""
_AGAIN = 0.5
"""The temperature at which a question that is asked for one answer is asked once more."""
_NO_KEY = "none"
"""Sent where the endpoint asks for no key: the client insists on one."""


@dataclass(frozen=True)
class Prices:
    """US dollars for a million tokens."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost of one call."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000


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

        `readings`: how often a question is asked whose answers cannot be read, 1 or 2.

        `logprobs` asks for the probabilities of decisive booleans, until the endpoint refuses.
        """
        self._model = model
        self._prices = prices or Prices()
        self._max_chars = max_chars
        self._logprobs = logprobs
        self._readings = readings
        self._deadline = timeout * (max_retries + 1)
        self._options: dict[str, Any] = {"model": model, "max_completion_tokens": max_tokens}
        if temperature is not None:
            self._options["temperature"] = temperature
        self._client = openai.AsyncOpenAI(
            api_key=api_key or _NO_KEY,
            base_url=base_url,
            timeout=timeout,
            max_retries=max_retries,
            http_client=openai.DefaultAioHttpClient(timeout=timeout),
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """One call, and a second one when its output is no answer; if that brings none either, Unknown and unparsable.

        Raises `JudgeUnavailableError` and `JudgeMisconfiguredError`.
        """
        first = await self._asked(question, {})
        if isinstance(first, Answered) or not first.usage.completion_tokens or self._readings == 1:
            return cast("Answered[A] | Unknown", first)
        # A model that ran on and on, or left the form, does the same again at the same temperature. A draw of several
        # may come out otherwise as it is.
        try:
            second = await self._asked(question, {} if question.sampling else self._at(_AGAIN))
        except JudgeUnavailableError:
            # Whoever pays must hear of what the first one has used, which an error would not tell.
            return cast("Answered[A] | Unknown", first)
        return cast("Answered[A] | Unknown", replace(second, usage=first.usage + second.usage))

    async def aclose(self) -> None:
        """Give the connections back."""
        await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _asked(self, question: Question[Any], drawn: Mapping[str, Any]) -> Answered[BaseModel] | Unknown:
        answer_type = cast("type[BaseModel]", question.answer_type)
        try:
            async with asyncio.timeout(self._deadline):
                completion = await self._complete(question, answer_type, drawn)
        except (TimeoutError, *_TRY_AGAIN) as error:
            raise JudgeUnavailableError(_said(error)) from error
        except _LOCKED_OUT as error:
            raise JudgeMisconfiguredError(_said(error)) from error
        except openai.APIError as error:
            if getattr(error, "status_code", None) == _REQUEST_TIMEOUT:
                raise JudgeUnavailableError(_said(error)) from error
            return _unparsable(f"the endpoint refused the question ({_said(error)})", Usage(calls=1))
        except ValueError:
            return _unparsable("the endpoint sent no JSON", Usage(calls=1))
        return self._read(completion, answer_type)

    def _messages(self, question: Question[Any]) -> list[Any]:
        system, user = prompts.prompt(question.name).filled(
            question.material, occasion=question.occasion, max_chars=self._max_chars
        )
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def _at(self, temperature: float) -> dict[str, Any]:
        """Another temperature, for a model that takes one."""
        return {"temperature": temperature} if "temperature" in self._options else {}

    async def _complete(
        self, question: Question[Any], answer_type: type[BaseModel], drawn: Mapping[str, Any]
    ) -> ChatCompletion:
        sampled = self._at(question.sampling.temperature) if question.sampling else {}
        messages = self._messages(question)
        schema = {"name": question.name, "strict": True, "schema": answer_type.model_json_schema()}
        form = {"response_format": {"type": "json_schema", "json_schema": schema}, **sampled, **drawn}
        if not (self._logprobs and _decisive(answer_type)):
            return await self._create(messages, form)
        try:
            return await self._create(messages, {**form, "logprobs": True, "top_logprobs": _ALTERNATIVES})
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            # Some models know no probabilities and refuse to be asked for them.
            completion = await self._create(messages, form)
            self._logprobs = False
            return completion

    async def _create(self, messages: list[Any], form: dict[str, Any]) -> ChatCompletion:
        create: Any = self._client.chat.completions.create
        return cast("ChatCompletion", await create(messages=messages, **{**self._options, **form}))

    def _read(self, completion: ChatCompletion, answer_type: type[BaseModel]) -> Answered[BaseModel] | Unknown:
        # Whatever answers at the address may send anything: nothing of the envelope is taken for granted.
        usage = self._usage(completion)
        choices = getattr(completion, "choices", None)
        message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
        content = getattr(message, "content", None)
        if getattr(message, "refusal", None):
            return _unparsable("it refused to answer", usage)
        if not isinstance(content, str) or len(content) > _MOST_ANSWER:
            return _unparsable("its answer is empty or too long", usage)
        try:
            answer = answer_type.model_validate_json(content)
            probability = probability_of(_decisive(answer_type), choices[0]) if choices else None
            return Answered(answer, DecidedBy.JUDGE, usage, probability)
        except ValidationError:
            return _unparsable("its output does not fit the form", usage)

    def _usage(self, completion: ChatCompletion) -> Usage:
        spent = getattr(completion, "usage", None)
        prompt, completed = _count(spent, "prompt_tokens"), _count(spent, "completion_tokens")
        return Usage(1, prompt, completed, self._prices.of(prompt, completed))


def _decisive(answer_type: type[BaseModel]) -> str | None:
    return getattr(answer_type, "decisive", None)


def _count(spent: object, name: str) -> int:
    tokens = getattr(spent, name, 0)
    return tokens if isinstance(tokens, int) and tokens > 0 else 0


def _unparsable(what: str, usage: Usage) -> Unknown:
    return Unknown(f"The model gave no usable answer: {what}.", usage, unparsable=True)


def _said(error: Exception) -> str:
    """The kind of error and its status; never the body, which may quote the request or the key."""
    status = getattr(error, "status_code", None)
    return f"{type(error).__name__}, status {status}" if status else type(error).__name__
