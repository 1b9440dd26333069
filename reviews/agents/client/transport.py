"""HTTP with bounded retries, for requests that are safe to repeat."""

import asyncio
import random
from collections.abc import Callable, Mapping
from json import JSONDecodeError
from typing import Any, Final, TypeVar

import httpx

from reviews.agents.client.errors import MalformedAnswerError, ProblemError, UnreachableError

T = TypeVar("T")

ATTEMPTS: Final = 5
FIRST_DELAY_SECONDS: Final = 0.25
_PASSING_TROUBLE: Final = frozenset({429, 502, 503, 504})


async def request(
    client: httpx.AsyncClient, method: str, path: str, *, attempts: int = ATTEMPTS, **options: Any
) -> httpx.Response:
    """A successful answer. Retries broken connections and passing trouble of the server.

    Raises `ProblemError` and `UnreachableError`.
    """
    trouble = "never tried"
    for attempt in range(attempts):
        if attempt:
            await asyncio.sleep(_delay(attempt))
        try:
            response = await client.request(method, path, **options)
        except httpx.TransportError as error:
            trouble = repr(error)
            continue
        if response.status_code not in _PASSING_TROUBLE:
            return _successful(response)
        trouble = f"status {response.status_code}"
    raise UnreachableError(f"{method} {path}: {trouble}, after {attempts} attempts")


def read(response: httpx.Response, reader: Callable[[Mapping[str, Any]], T]) -> T:
    """The answer's value. Raises `MalformedAnswerError`."""
    try:
        return reader(response.json())
    except (JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError) as error:
        raise MalformedAnswerError(f"{response.request.url.path} answered something undocumented: {error!r}") from error


def _successful(response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    raise ProblemError(response.status_code, _problem(response))


def _problem(response: httpx.Response) -> Mapping[str, Any]:
    try:
        told = response.json()
    except (JSONDecodeError, UnicodeDecodeError):
        return {}
    return told if isinstance(told, dict) else {}


def _delay(attempt: int) -> float:
    """Doubling, with jitter so that a fleet does not come back all at once."""
    return FIRST_DELAY_SECONDS * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.5)  # noqa: S311  # not a secret
