"""What judging may cost a day. A question that does not fit any more is not asked: a person looks instead."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol, TypeVar

from reviews.provenance import prompts
from reviews.provenance.core.findings import Usage
from reviews.provenance.judges.base import Answered, Judge, JudgeError, Question, Unknown
from reviews.provenance.judges.openai import Prices

A = TypeVar("A")

USED_UP = "The day's judge budget of this workspace is used up."
NO_PRICE = "The judge's model has no price, so its cost cannot be held to the day's budget of this workspace."

_BYTES_PER_TOKEN = 3
"""UTF-8 bytes that make at least one token, in most scripts: an estimate is rather too high."""
_FORM_TOKENS = 500
"""What a request says besides its prompt: the form of the answer, and marks of the conversation."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a workspace allows a day; None is no limit."""

    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class Reservation:
    """An estimate that is charged to a day until it is settled."""

    day: date
    estimate: Usage


class Account(Protocol):
    """A tenant's spending, day by day. Raises its own errors when it cannot be kept: nothing is asked then."""

    async def reserve(self, estimate: Usage, limits: Limits) -> Reservation | None:
        """Charge the estimate to the current day if it fits the limits; None when it does not."""
        ...

    async def settle(self, reservation: Reservation, spent: Usage) -> None:
        """Charge what was spent in place of the estimate."""
        ...


class Budget:
    """Asks one judge while the day's budget lasts.

    The estimate is charged before the call and replaced by what the call really used, so that concurrent workers
    overshoot at most by the error of the estimates in flight. A call that was cancelled, or whose endpoint does not
    tell what it used, stays charged with its estimate; one that failed costs nothing.
    """

    def __init__(
        self,
        judge: Judge,
        account: Account,
        limits: Limits,
        *,
        prices: Prices | None = None,
        answer_tokens: int = 2048,
        max_chars: int = prompts.MAX_CHARS,
    ) -> None:
        """`prices` None: not known, which a limit in dollars cannot live with. The last two bound one call."""
        self._judge = judge
        self._account = account
        self._limits = limits
        self._prices = prices
        self._answer_tokens = answer_tokens
        self._max_chars = max_chars

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._judge.name

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """The judge's answer; an Unknown that nobody may take for a pass where the budget does not allow to ask.

        Raises what the judge and the account raise.
        """
        if self._limits.usd is not None and self._prices is None:
            return Unknown(NO_PRICE, unparsable=True, unasked=True)
        reservation = await self._account.reserve(self.estimate(question), self._limits)
        if reservation is None:
            return Unknown(USED_UP, unparsable=True, unasked=True)
        try:
            reply = await self._judge.ask(question)
        except JudgeError:
            await self._account.settle(reservation, Usage())
            raise
        if reply.usage.prompt_tokens or not reply.usage.calls:
            await self._account.settle(reservation, reply.usage)
        return reply

    def estimate(self, question: Question[Any]) -> Usage:
        """What one call may use at most, by the length of what it shows."""
        told = "".join(prompts.prompt(question.name).filled(question.material, max_chars=self._max_chars))
        prompt = _FORM_TOKENS + len(told.encode(errors="replace")) // _BYTES_PER_TOKEN
        cost = (self._prices or Prices()).of(prompt, self._answer_tokens)
        return Usage(1, prompt, self._answer_tokens, cost)
