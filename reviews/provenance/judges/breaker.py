"""A circuit breaker: a judge that keeps failing is left alone for a while, by every worker at once.

closed     questions are asked; consecutive failures within the window are counted
open       nobody asks before a certain time
half-open  that time has come: one question goes through as a probe and closes or opens the breaker again

The state is one small text in a store that the workers share, changed by compare-and-swap only.
"""

import json
import random
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Protocol, Self, TypeVar

from reviews.provenance.judges.base import Answered, Judge, JudgeError, JudgeUnavailableError, Question, Unknown

A = TypeVar("A")

_MOST_SWAPS = 5
"""Tries to count one failure: a count lost to a race opens the breaker one failure later."""


class BreakerOpenError(JudgeUnavailableError):
    """The judge was not asked, because it has kept failing."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"it has kept failing; nobody asks it again for {retry_after:.0f} s")
        self.retry_after = retry_after
        """Seconds until asking may help."""


class StateStore(Protocol):
    """One shared text. Neither method raises: a store that cannot be reached is empty and takes every swap."""

    async def read(self) -> str | None:
        """The text as it stands."""
        ...

    async def swap(self, expected: str | None, new: str | None) -> bool:
        """Replace the text if it is still the expected one; False when it is not. None is no text."""
        ...


class MemoryState:
    """A store of this process."""

    def __init__(self) -> None:
        self.text: str | None = None

    async def read(self) -> str | None:
        """The text."""
        return self.text

    async def swap(self, expected: str | None, new: str | None) -> bool:
        """Compare and swap: nothing else runs in between."""
        if self.text != expected:
            return False
        self.text = new
        return True


@dataclass(frozen=True, slots=True)
class Patience:
    """When a breaker opens and for how long."""

    failures: int = 5
    """Consecutive failures that open it."""
    window: float = 300.0
    """Seconds in which they must fall."""
    rest: float = 30.0
    """Seconds before a probe; up to a fifth longer, so that breakers that opened together do not probe together."""
    probe: float = 120.0
    """Seconds a probe may take; then its worker counts as dead and another may try."""


@dataclass(frozen=True, slots=True)
class _State:
    failures: int = 0
    since: float = 0.0
    """When the first of these failures fell."""
    quiet_until: float | None = None
    """Nobody asks before; None while the breaker is closed."""
    probe: str = ""
    """Token of the probe under way."""

    @classmethod
    def parsed(cls, text: str | None) -> Self:
        try:
            return cls(**json.loads(text)) if text else cls()
        except (TypeError, ValueError):
            return cls()

    def __str__(self) -> str:
        return json.dumps(asdict(self))


class Breaker:
    """Asks one judge while it answers. Times are epoch seconds, because workers on other machines read them."""

    def __init__(
        self,
        judge: Judge,
        store: StateStore,
        patience: Patience | None = None,
        *,
        clock: Callable[[], float] = time.time,
        chance: Callable[[], float] | None = None,
    ) -> None:
        """`chance` draws from 0 to 1 for the jitter."""
        self._judge = judge
        self._store = store
        self._patience = patience or Patience()
        self._clock = clock
        self._chance = chance or random.SystemRandom().random

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._judge.name

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """The judge's answer. Raises what it raises, and `BreakerOpenError` where it is not asked."""
        admitted = await self._admit()
        try:
            reply = await self._judge.ask(question)
        except JudgeUnavailableError:
            await self._failed(admitted)
            raise
        except JudgeError:
            # A refusal is an answer too: whoever gives it can be reached.
            await self._answered(admitted)
            raise
        except BaseException:
            await self._left(admitted)
            raise
        await self._answered(admitted)
        return reply

    async def _admit(self) -> str | None:
        """The state under which a question may be asked now."""
        text = await self._store.read()
        state, now = _State.parsed(text), self._clock()
        if state.quiet_until is None:
            return text
        if now < state.quiet_until:
            raise BreakerOpenError(state.quiet_until - now)
        probing = str(replace(state, quiet_until=now + self._patience.probe, probe=secrets.token_hex(8)))
        if not await self._store.swap(text, probing):
            raise BreakerOpenError(self._rest())
        return probing

    async def _answered(self, admitted: str | None) -> None:
        """Forget the failures that were known when the question was asked; later ones are news."""
        if admitted is not None:
            await self._store.swap(admitted, None)

    async def _failed(self, admitted: str | None) -> None:
        if _State.parsed(admitted).probe:
            await self._store.swap(admitted, self._opened())
            return
        for _ in range(_MOST_SWAPS):
            text = await self._store.read()
            state = _State.parsed(text)
            if state.quiet_until is not None or await self._store.swap(text, self._counted(state)):
                return

    async def _left(self, admitted: str | None) -> None:
        """The question was given up without a word about the judge: another may probe at once."""
        state = _State.parsed(admitted)
        if state.probe:
            await self._store.swap(admitted, str(replace(state, quiet_until=self._clock(), probe="")))

    def _counted(self, state: _State) -> str:
        now = self._clock()
        if not state.failures or now - state.since > self._patience.window:
            state = _State(since=now)
        if state.failures + 1 >= self._patience.failures:
            return self._opened()
        return str(replace(state, failures=state.failures + 1))

    def _opened(self) -> str:
        return str(_State(quiet_until=self._clock() + self._rest()))

    def _rest(self) -> float:
        return self._patience.rest * (1 + self._chance() / 5)
