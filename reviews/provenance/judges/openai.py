"""A judge behind any OpenAI-compatible endpoint: structured output, bounded time and size, all tokens accounted for."""

import asyncio
from copy import copy
from dataclasses import replace
from typing import Any, Final, Self, cast

import openai
from openai.types.chat import ChatCompletion

from reviews.provenance.core.findings import Usage
from reviews.provenance.judges.answers import Prices, form_in_words, read_completion, unusable_answer
from reviews.provenance.judges.base import (
    A,
    Answered,
    JudgeMisconfiguredError,
    JudgeUnavailableError,
    Question,
    Reply,
)
from reviews.provenance.judges.model_options import ModelOptions, reduce_options
from reviews.provenance.prompts.prompt import MAX_CHARS, load_prompt

# Trouble that may pass by itself, and trouble that lasts until somebody changes key, model or address.
_TRANSIENT: Final = (
    openai.APIConnectionError, openai.RateLimitError, openai.InternalServerError, openai.ConflictError,
)  # fmt: skip
_LOCKED_OUT: Final = (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError)
_REQUEST_TIMEOUT: Final = 408
_REFUSED: Final = (openai.BadRequestError, openai.UnprocessableEntityError)
# Each leaves out one of the options' parts; the form of the answer can be asked for in three ways.
_MAX_REDUCTIONS: Final = 6
# At temperature 0 a model repeats the output that could not be read; at this one it is still close to its best answer.
_SECOND_TEMPERATURE: Final = 0.5
# Sent where the endpoint asks for no key: the client insists on one.
_NO_KEY: Final = "none"


class OpenAIJudge:
    """Asks one model every question. Belongs to the event loop it is first used on.

    What the endpoint refuses of its options is left out from then on.
    """

    def __init__(
        self,
        *,
        model: str,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        options: ModelOptions | None = None,
        max_chars: int = MAX_CHARS,
        prices: Prices | None = None,
        readings: int = 2,
    ) -> None:
        """`timeout` is seconds for one attempt; `max_chars` bounds the untrusted text of one prompt."""
        self.name = model
        self._prices = prices or Prices()
        self.options = options or ModelOptions()
        """As the endpoint takes them, for all that it has been asked so far."""
        self._max_chars = max_chars
        self.readings = readings
        """How often a question is asked whose answers cannot be read, 1 or 2."""
        # The client bounds each attempt; this bounds them together, with the pauses that a server may ask for.
        self._deadline = timeout * (max_retries + 1)
        self._client = openai.AsyncOpenAI(
            api_key=api_key or _NO_KEY,
            base_url=base_url,
            timeout=timeout,
            max_retries=max_retries,
            # Many questions leave at once, and this client keeps more connections open at less cost than the default.
            http_client=openai.DefaultAioHttpClient(timeout=timeout),
        )

    async def ask(self, question: Question[A]) -> Reply[A]:
        """One call, and a second one when its output is no answer; if that brings none either, Unknown and unparsable.

        Raises `JudgeUnavailableError` and `JudgeMisconfiguredError`.
        """
        drawn = question.sampling.temperature if question.sampling else None
        first = await self._attempt_answer(question, drawn)
        if isinstance(first, Answered) or not first.usage.completion_tokens or self.readings == 1:
            return first
        try:
            # A model that ran on and on, or left the form, does the same again at the same temperature. A draw of
            # several may come out otherwise as it is.
            second = await self._attempt_answer(question, _SECOND_TEMPERATURE if drawn is None else drawn)
        except JudgeUnavailableError:
            # The first call was paid for, and an error would not carry its usage.
            return first
        return replace(second, usage=first.usage + second.usage)

    def with_options(self, options: ModelOptions) -> Self:
        """The same judge, by the same connections, asked in another way."""
        judge = copy(self)
        judge.options = options
        return judge

    def read_once(self) -> Self:
        """The same judge, by the same connections, that asks no question twice whose answer cannot be read."""
        judge = copy(self)
        judge.readings = 1
        return judge

    async def aclose(self) -> None:
        """Give the connections back."""
        await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _attempt_answer(self, question: Question[Any], temperature: float | None) -> Reply[Any]:
        """What one call brings. `temperature` None: the one this judge is set to."""
        decisive: str | None = getattr(question.answer_type, "decisive", None)
        try:
            async with asyncio.timeout(self._deadline):
                completion = await self._create_completion(question, temperature, with_logprobs=decisive is not None)
        except (TimeoutError, *_TRANSIENT) as error:
            raise JudgeUnavailableError(_kind_of(error)) from error
        except _LOCKED_OUT as error:
            raise JudgeMisconfiguredError(_kind_of(error)) from error
        except openai.APIError as error:
            if getattr(error, "status_code", None) == _REQUEST_TIMEOUT:
                raise JudgeUnavailableError(_kind_of(error)) from error
            return unusable_answer(f"the endpoint refused the question ({_kind_of(error)})", Usage(calls=1))
        # What the client raises for a body that it cannot read.
        except ValueError:
            return unusable_answer("the endpoint sent no JSON", Usage(calls=1))
        enforced = self.options.response_format == "json_schema"
        return read_completion(
            completion, question.answer_type, decisive=decisive, is_form_enforced=enforced, prices=self._prices
        )

    async def _create_completion(
        self, question: Question[Any], temperature: float | None, *, with_logprobs: bool
    ) -> ChatCompletion:
        """The endpoint's completion. Raises what its client raises."""
        system, user = load_prompt(question.name).fill_in(
            question.material, occasion=question.occasion, max_chars=self._max_chars
        )
        schema = question.answer_type.model_json_schema()
        configured = self.options
        options = configured if with_logprobs else replace(configured, logprobs=False)
        create: Any = self._client.chat.completions.create
        for reductions_left in reversed(range(_MAX_REDUCTIONS + 1)):
            form = "" if options.response_format == "json_schema" else form_in_words(schema)
            messages = [{"role": "system", "content": system}, {"role": "user", "content": f"{user}{form}"}]
            parameters = options.parameters(question.name, schema, temperature=temperature)
            try:
                completion = await create(model=self.name, messages=messages, **parameters)
                break
            except _REFUSED as error:
                # The parameter that an endpoint names, else its words.
                reduced = reduce_options(options, error.param or error.message)
                if reduced is None or not reductions_left:
                    raise
                options = reduced
        # Only when the same question succeeds without it was it the reason.
        self.options = options if with_logprobs else replace(options, logprobs=configured.logprobs)
        return cast("ChatCompletion", completion)


def _kind_of(error: Exception) -> str:
    """The kind of error and its status; never the body, which may quote the request or the key."""
    status = getattr(error, "status_code", None)
    # The client calls it a time-out where no connection came about, too; what its transport met tells which.
    met = error.__cause__ and error.__cause__.__cause__
    if isinstance(met, OSError) and not isinstance(met, TimeoutError):
        return type(met).__name__
    return f"{type(error).__name__}, status {status}" if status else type(error).__name__
