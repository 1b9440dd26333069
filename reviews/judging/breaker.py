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
from typing import Final, Protocol, Self

from reviews.provenance.judges.base import A, Judge, JudgeError, JudgeUnavailableError, Question, Reply

# A few rounds settle any race between the workers of one site, and a store that always loses must not be tried for
# ever. A failure that is lost after all opens the breaker one failure later, which does no harm.
_MAX_SWAPS: Final = 5
# Enough for two probes never to share a token by chance: the token tells whose result may close the breaker.
_TOKEN_BYTES: Final = 8
# Workers that opened their breakers together must not probe together, or a judge that recovers is hit by all at once.
_MAX_JITTER: Final = 0.2


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

    async def swap(self, expected: str | None, new: str | None) -> bool:
        """Replace the text if it is still the expected one; False when it is not. None is no text."""


@dataclass(frozen=True, slots=True)
class Patience:
    """When a breaker opens and for how long."""

    failures: int = 5
    """Consecutive failures that open it. One or two are a hiccup of the network; five are an outage."""
    window: float = 300.0
    """Seconds in which they must fall: failures hours apart say nothing about the judge's present state."""
    rest: float = 30.0
    """Seconds before a probe, lengthened by up to a fifth. About as long as a service takes to restart."""
    probe: float = 120.0
    """Seconds a probe may take; then its worker counts as dead and another may try. Longer than any one question with
    its retries, so that a slow probe is not doubled."""


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
        """The state as stored. What cannot be read is a closed breaker: a broken store must not stop all judging."""
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
        self.name = judge.name
        self._judge = judge
        self._store = store
        self._patience = patience or Patience()
        self._clock = clock
        self._chance = chance or random.SystemRandom().random

    async def ask(self, question: Question[A]) -> Reply[A]:
        """The judge's answer. Raises what it raises, and `BreakerOpenError` where it is not asked."""
        # What the store held at admission is the reference: a state that others changed since is theirs to keep.
        admitted = await self._admit_question()
        try:
            reply = await self._judge.ask(question)
        except JudgeUnavailableError:
            await self._count_failure(admitted)
            raise
        except JudgeError:
            # A refusal is an answer too: whoever gives it can be reached.
            await self._close_breaker(admitted)
            raise
        except BaseException:
            # A cancelled question says nothing about the judge: another worker may probe at once.
            probing = _State.parsed(admitted)
            if probing.probe:
                await self._store.swap(admitted, str(replace(probing, quiet_until=self._clock(), probe="")))
            raise
        await self._close_breaker(admitted)
        return reply

    async def _admit_question(self) -> str | None:
        """The stored state under which a question may be asked now. Raises `BreakerOpenError`."""
        text = await self._store.read()
        state, now = _State.parsed(text), self._clock()
        if state.quiet_until is None:
            return text
        if now < state.quiet_until:
            raise BreakerOpenError(state.quiet_until - now)
        token = secrets.token_hex(_TOKEN_BYTES)
        probing = str(replace(state, quiet_until=now + self._patience.probe, probe=token))
        # Of several workers that come at the same moment one wins the swap and probes; the others stay away.
        if not await self._store.swap(text, probing):
            raise BreakerOpenError(self._remaining_pause())
        return probing

    async def _close_breaker(self, admitted: str | None) -> None:
        """Forget the failures that stood when the question was asked; later ones stay counted."""
        if admitted is not None:
            await self._store.swap(admitted, None)

    async def _count_failure(self, admitted: str | None) -> None:
        """Open the breaker after a failed probe or one failure too many; else count this one."""
        opened = str(_State(quiet_until=self._clock() + self._remaining_pause()))
        if _State.parsed(admitted).probe:
            await self._store.swap(admitted, opened)
            return
        for _ in range(_MAX_SWAPS):
            text, now = await self._store.read(), self._clock()
            state = _State.parsed(text)
            if state.quiet_until is not None:
                return
            # Failures of long ago say nothing about now: the count begins anew.
            if not state.failures or now - state.since > self._patience.window:
                state = _State(since=now)
            counted = replace(state, failures=state.failures + 1)
            is_last = counted.failures >= self._patience.failures
            if await self._store.swap(text, opened if is_last else str(counted)):
                return

    def _remaining_pause(self) -> float:
        return self._patience.rest * (1 + self._chance() * _MAX_JITTER)
