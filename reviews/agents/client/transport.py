"""HTTP with bounded retries, for requests that are safe to repeat."""

import asyncio
import random
from collections.abc import Callable, Mapping
from json import JSONDecodeError
from typing import Any, Final, TypeVar

import httpx

from reviews.agents.client.errors import MalformedAnswerError, ProblemError, UnreachableError

T = TypeVar("T")

# Five attempts wait about four seconds altogether: a restart of the server passes, and an outage is told soon.
ATTEMPTS: Final = 5
FIRST_DELAY_SECONDS: Final = 0.25
# Too many requests, and what a proxy answers while the server behind it restarts. A 500 is a bug and stays one.
_PASSING_TROUBLE: Final = frozenset({429, 502, 503, 504})


async def request(
    client: httpx.AsyncClient, method: str, path: str, *, attempts: int = ATTEMPTS, **options: Any
) -> httpx.Response:
    """A successful answer. Retries broken connections and passing trouble of the server.

    Raises `ProblemError` and `UnreachableError`.
    """
    trouble, at_least = "never tried", 0.0
    for attempt in range(attempts):
        if attempt:
            # Doubling, with jitter so that a fleet does not come back all at once.
            jitter = random.uniform(0.5, 1.5)  # noqa: S311  # not a secret
            await asyncio.sleep(max(FIRST_DELAY_SECONDS * 2.0 ** (attempt - 1) * jitter, at_least))
        try:
            response = await client.request(method, path, **options)
        except httpx.TransportError as error:
            trouble = repr(error)
            continue
        if response.is_success:
            return response
        if response.status_code not in _PASSING_TROUBLE:
            raise ProblemError(response.status_code, _problem(response))
        trouble, at_least = f"status {response.status_code}", _retry_after(response)
    raise UnreachableError(f"{method} {path}: {trouble}, after {attempts} attempts")


def read(response: httpx.Response, reader: Callable[[Mapping[str, Any]], T]) -> T:
    """The answer's value. Raises `MalformedAnswerError`."""
    try:
        return reader(response.json())
    # Whatever reading raises means the same: nothing in the answer may be believed.
    except (JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError) as error:
        raise MalformedAnswerError(f"{response.request.url.path} answered something undocumented: {error!r}") from error


def _problem(response: httpx.Response) -> Mapping[str, Any]:
    """The problem details of a refusal; empty where a proxy answered with something else."""
    try:
        problem = response.json()
    except (JSONDecodeError, UnicodeDecodeError):
        return {}
    return problem if isinstance(problem, dict) else {}


def _retry_after(response: httpx.Response) -> float:
    """Seconds the server asks to be left alone, a minute at most; 0 where it does not ask in seconds."""
    seconds = response.headers.get("Retry-After", "")
    # Budgets are those of a minute; nothing a server asks for shall hold an agent longer.
    return min(float(seconds), 60.0) if seconds.isdecimal() else 0.0
