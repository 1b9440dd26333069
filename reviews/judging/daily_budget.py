"""What judging may cost a day. A question that does not fit any more is not asked: a person looks instead."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Protocol

from reviews.provenance.core.findings import Usage
from reviews.provenance.judges.answers import Prices
from reviews.provenance.judges.base import A, Judge, JudgeError, Question, Reply, Unknown
from reviews.provenance.prompts.prompt import MAX_CHARS, load_prompt

USED_UP = "The day's judge budget of this workspace is used up."
NO_PRICE = "The judge's model has no price, so its cost cannot be held to the day's budget of this workspace."

# Most scripts have three to four UTF-8 bytes in a token. The lower figure makes an estimate rather too high, and what
# is estimated too high is corrected when the call is settled.
_BYTES_PER_TOKEN: Final = 3
# What a request holds besides its prompt: the JSON schema of the answer and the marks between messages, a few hundred
# tokens for the longest of the answer types.
_FORM_TOKENS: Final = 500


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

    async def settle(self, reservation: Reservation, spent: Usage) -> None:
        """Charge what was spent in place of the estimate."""


class Budget:
    """Asks one judge while the day's budget lasts.

    The estimate is charged before the call and replaced by what the call really used, so that concurrent workers
    overshoot at most by the error of the estimates in flight. A call that was cancelled, or whose endpoint does not
    report what it used, stays charged with its estimate; one that failed costs nothing.
    """

    def __init__(
        self,
        judge: Judge,
        account: Account,
        limits: Limits,
        *,
        prices: Prices | None = None,
        answer_tokens: int = 2048,
        max_chars: int = MAX_CHARS,
    ) -> None:
        """`prices` None: the model has none, which rules out a limit in dollars. The last two bound one call."""
        self.name = judge.name
        self._judge = judge
        self._account = account
        self._limits = limits
        self._prices = prices
        self._answer_tokens = answer_tokens
        self._max_chars = max_chars

    async def ask(self, question: Question[A]) -> Reply[A]:
        """The judge's answer; where the budget does not allow to ask, an Unknown that never counts as a pass.

        Raises what the judge and the account raise.
        """
        if self._limits.usd is not None and self._prices is None:
            # A limit that cannot be measured must not be taken for kept.
            return Unknown(NO_PRICE, unparsable=True, unasked=True)
        reservation = await self._account.reserve(self.estimate_usage(question), self._limits)
        if reservation is None:
            return Unknown(USED_UP, unparsable=True, unasked=True)
        try:
            reply = await self._judge.ask(question)
        except JudgeError:
            # A call that failed is not charged by any provider.
            await self._account.settle(reservation, Usage())
            raise
        # An endpoint that was called and reports no tokens was not free: the estimate then stays charged.
        if reply.usage.prompt_tokens or not reply.usage.calls:
            await self._account.settle(reservation, reply.usage)
        return reply

    def estimate_usage(self, question: Question[Any]) -> Usage:
        """What one call may use at most, by the length of its prompt."""
        text = "".join(load_prompt(question.name).fill_in(question.material, max_chars=self._max_chars))
        # Half a surrogate pair, which hostile text may hold, has no encoding.
        prompt_tokens = _FORM_TOKENS + len(text.encode(errors="replace")) // _BYTES_PER_TOKEN
        cost = (self._prices or Prices()).of(prompt_tokens, self._answer_tokens)
        return Usage(1, prompt_tokens, self._answer_tokens, cost)
