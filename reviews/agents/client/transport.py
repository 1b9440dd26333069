"""HTTP with bounded retries, for requests that are safe to repeat."""

import asyncio
import json
import random
import re
import time
from collections.abc import Callable, Mapping
from json import JSONDecodeError
from typing import Any, Final, TypeVar

import httpx

from reviews.agents.client.errors import MalformedAnswerError, ProblemError, UnreachableError, UnusableKeyError

T = TypeVar("T")

# The first comes while the other processes of the server answer, or the next one begins; whoever waits for a whole
# machine needs not ask more often than the last.
FIRST_DELAY_SECONDS: Final = 0.1
MAX_DELAY_SECONDS: Final = 2.0
# Budgets are those of a minute: who has used up several of them proposes too much, and hears of it.
MAX_EXTENSIONS: Final = 4
# Too many requests, and what a proxy answers while the server behind it restarts. A 500 is a bug and stays one.
_PASSING_TROUBLE: Final = frozenset({429, 502, 503, 504})
# What a header may hold, and more than a key ever does. Anything else is refused further down with an error that quotes
# the whole header; and what an agent catches is often handed to its model.
_KEY: Final = re.compile(r"[\x21-\x7e]+")
_SCHEME: Final = "Bearer "


def headers_for(key: str) -> dict[str, str]:
    """What every request says, signed with the key. Raises `UnusableKeyError`."""
    # White space around a key is how files end and how people copy.
    key = key.strip()
    if not _KEY.fullmatch(key):
        raise UnusableKeyError("The agent key is empty, or holds a line end or another character that no key has.")
    return {"Authorization": _SCHEME + key, "Accept": "application/json", "Content-Type": "application/json"}


async def request(
    client: httpx.AsyncClient, method: str, path: str, *, patience: float, **options: Any
) -> httpx.Response:
    """A successful answer. Retries broken connections and passing trouble of the server for `patience` seconds.

    Raises `ProblemError`, `MalformedAnswerError` and `UnreachableError`.
    """
    trouble, tries = "never tried", _Tries(patience)
    while await tries.another():
        try:
            response = await client.request(method, path, **options)
        except httpx.TransportError as error:
            trouble = _without_key(client.headers, repr(error))
            continue
        except httpx.DecodingError:
            raise MalformedAnswerError(f"{method} {path}: the answer is not encoded as its header says") from None
        if response.is_success:
            return response
        if response.status_code not in _PASSING_TROUBLE:
            raise ProblemError(response.status_code, _problem(response))
        trouble, tries.asked = f"status {response.status_code}", _retry_after(response)
    raise UnreachableError(f"{method} {path}: {trouble}, after {tries.made} attempts")


def json_body(value: Any) -> bytes:
    """The value as a request's body."""
    # In ASCII: half a surrogate pair, which a tool may return, has an escape and no encoding.
    return json.dumps(value, allow_nan=False).encode()


def read(response: httpx.Response, reader: Callable[[Mapping[str, Any]], T]) -> T:
    """The answer's value. Raises `MalformedAnswerError`."""
    try:
        return reader(response.json())
    # Whatever reading raises means the same: nothing in the answer may be believed.
    except (JSONDecodeError, UnicodeDecodeError, RecursionError, KeyError, TypeError, AttributeError) as error:
        quoted = _without_key(response.request.headers, repr(error))
        # Not chained: what was raised holds the answer.
        raise MalformedAnswerError(f"{response.request.url.path} answered something undocumented: {quoted}") from None


def _problem(response: httpx.Response) -> Mapping[str, Any]:
    """The problem details of a refusal; empty where a proxy answered with something else."""
    try:
        # A proxy that is set up wrongly may answer with the request it got, and the key is in that.
        problem = json.loads(_without_key(response.request.headers, response.text))
    except (JSONDecodeError, RecursionError):
        return {}
    return problem if isinstance(problem, dict) else {}


def _without_key(headers: httpx.Headers, text: str) -> str:
    """The text without the key that these headers sign with."""
    return text.replace(headers["Authorization"].removeprefix(_SCHEME), "[key]")


def _retry_after(response: httpx.Response) -> float:
    """Seconds the server asks to be left alone, a minute at most; 0 where it does not ask in seconds."""
    seconds = response.headers.get("Retry-After", "")
    # Budgets are those of a minute; nothing a server asks for shall hold an agent longer.
    return min(float(seconds), 60.0) if seconds.isdecimal() else 0.0


class _Tries:
    """How often a request is sent: the first time, and again until its time is over."""

    def __init__(self, patience: float) -> None:
        self.made = 0
        self.asked = 0.0
        """Seconds that the server asked to be left alone for, with the last answer."""
        self._until = time.monotonic() + patience
        self._extensions = 0

    async def another(self) -> bool:
        """Wait until the next one is due. False when no time is left for it."""
        if self.made:
            pause = max(self._delay(), self.asked)
            if time.monotonic() + pause > self._until and not self._extend():
                return False
            self.asked = 0.0
            await asyncio.sleep(pause)
        self.made += 1
        return True

    def _extend(self) -> bool:
        """Whether the server asked to be left alone: that is granted beyond the patience with its trouble."""
        self._extensions += 1
        return bool(self.asked) and self._extensions <= MAX_EXTENSIONS

    def _delay(self) -> float:
        # Doubling, with jitter so that a fleet does not come back all at once.
        doubled = min(FIRST_DELAY_SECONDS * 2.0 ** min(self.made - 1, 10), MAX_DELAY_SECONDS)
        return doubled * random.uniform(0.5, 1.5)  # noqa: S311  # not a secret
