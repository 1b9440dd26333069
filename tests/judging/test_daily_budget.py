import asyncio
from datetime import date
from typing import Any

import pytest

from reviews.judging.daily_budget import NO_PRICE, USED_UP, Budget, Limits, Reservation
from reviews.provenance.core.context import ToolDoc
from reviews.provenance.core.findings import Usage
from reviews.provenance.judges import JudgeError, JudgeUnavailableError, Prices, Unknown
from reviews.provenance.judges.questions.provenance_guard import Relevance
from tests.provenance.judges.scripted import COST, GIBBERISH, QUESTION, YES, Scripted

DAY = date(2030, 1, 1)
PRICES = Prices(prompt=1.0, completion=4.0)
UNTOLD = Unknown("It refused.", Usage(calls=1), unparsable=True)


class MemoryAccount:
    """One day of one tenant."""

    def __init__(self) -> None:
        self.charges: list[Usage] = []

    @property
    def charged(self) -> Usage:
        return sum(self.charges, Usage())

    async def reserve(self, estimate: Usage, limits: Limits) -> Reservation | None:
        after = self.charged + estimate
        if limits.tokens is not None and after.prompt_tokens + after.completion_tokens > limits.tokens:
            return None
        if limits.usd is not None and after.cost_usd > limits.usd:
            return None
        self.charges.append(estimate)
        return Reservation(DAY, estimate)

    async def settle(self, reservation: Reservation, spent: Usage) -> None:
        self.charges.remove(reservation.estimate)
        self.charges.append(spent)


class Bank:
    """A budget before a judge, and what it charges."""

    def __init__(self, *replies: Any, tokens: int | None = None, usd: float | None = None) -> None:
        self.judge = Scripted(*(replies or (YES,)))
        self.account = MemoryAccount()
        self.budget = Budget(self.judge, self.account, Limits(tokens, usd), prices=PRICES, answer_tokens=100)
        self.estimate = self.budget.estimate_usage(QUESTION)

    async def told(self, *, times: int) -> list[Any]:
        return [await self.budget.ask(QUESTION) for _ in range(times)]


def check_used_up(reply: Any) -> None:
    """An Unknown that no profile lets pass."""
    assert reply == Unknown(USED_UP, unparsable=True, unasked=True)


async def test_what_was_used_is_charged() -> None:
    bank = Bank()
    assert await bank.told(times=2) == [YES, YES]
    assert bank.account.charged == COST + COST


async def test_a_used_up_token_budget_asks_nobody() -> None:
    bank = Bank(tokens=2_000)
    replies = await bank.told(times=20)
    check_used_up(replies[-1])
    assert len(bank.judge.asked) < 20


async def test_a_used_up_dollar_budget_asks_nobody() -> None:
    bank = Bank(usd=0.5)
    first, second, third = await bank.told(times=3)
    assert (first, second) == (YES, YES)
    check_used_up(third)


async def test_a_question_that_does_not_fit_is_not_charged() -> None:
    bank = Bank(tokens=10)
    await bank.told(times=3)
    assert bank.account.charged == Usage()


async def test_output_that_is_no_answer_costs_as_much() -> None:
    bank = Bank(GIBBERISH)
    await bank.told(times=1)
    assert bank.account.charged == COST


async def test_an_endpoint_that_does_not_tell_is_charged_the_estimate() -> None:
    bank = Bank(UNTOLD)
    await bank.told(times=1)
    assert bank.account.charged == bank.estimate


@pytest.mark.parametrize("error", [JudgeUnavailableError("away"), JudgeError("refused")])
async def test_a_failed_call_costs_nothing(error: JudgeError) -> None:
    bank = Bank(error)
    with pytest.raises(JudgeError):
        await bank.told(times=1)
    assert bank.account.charged == Usage()


async def test_a_call_in_flight_is_charged_its_estimate() -> None:
    bank = Bank()
    bank.judge.hang()
    asking = asyncio.create_task(bank.budget.ask(QUESTION))
    await bank.judge.reached.wait()
    assert bank.account.charged == bank.estimate
    bank.judge.answering.set()
    await asking


async def test_a_cancelled_call_stays_charged() -> None:
    bank = Bank()
    bank.judge.hang()
    asking = asyncio.create_task(bank.budget.ask(QUESTION))
    await bank.judge.reached.wait()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert bank.account.charged == bank.estimate


async def test_calls_in_flight_count_against_the_limit() -> None:
    bank = Bank(tokens=Bank().estimate.prompt_tokens + 150)
    bank.judge.hang()
    asking = asyncio.create_task(bank.budget.ask(QUESTION))
    await bank.judge.reached.wait()
    check_used_up(await bank.budget.ask(QUESTION))
    bank.judge.answering.set()
    assert await asking == YES


async def test_without_a_limit_everything_is_asked() -> None:
    bank = Bank()
    assert await bank.told(times=50) == [YES] * 50


async def test_dollars_cannot_be_held_to_a_model_without_price() -> None:
    judge = Scripted(YES)
    budget = Budget(judge, MemoryAccount(), Limits(usd=1.0))
    assert await budget.ask(QUESTION) == Unknown(NO_PRICE, unparsable=True, unasked=True)
    assert judge.asked == []


async def test_tokens_need_no_price() -> None:
    assert await Budget(Scripted(YES), MemoryAccount(), Limits(tokens=10_000)).ask(QUESTION) == YES


@pytest.mark.parametrize(("text", "tokens"), [("word " * 300, 500), ("語" * 300, 300), ("\ud800" * 300, 100)])
def test_an_estimate_grows_with_what_is_shown(text: str, tokens: int) -> None:
    empty, long = (Bank().budget.estimate_usage(Relevance(ToolDoc("t"), each, ("",))) for each in ("", text))
    assert long.prompt_tokens - empty.prompt_tokens == tokens


def test_an_estimate_is_bounded_as_the_prompt_is() -> None:
    huge = Bank().budget.estimate_usage(Relevance(ToolDoc("t"), "a" * 1_000_000, ("",)))
    assert huge.prompt_tokens < 20_000


def test_an_estimate_counts_what_stands_around_many_short_texts() -> None:
    one, many = (Bank().budget.estimate_usage(Relevance(ToolDoc("t"), "", ("",) * number)) for number in (1, 200))
    assert many.prompt_tokens - one.prompt_tokens > 200 * 15


def test_an_estimate_has_a_price() -> None:
    estimate = Bank().estimate
    assert estimate.cost_usd == PRICES.of(estimate.prompt_tokens, 100)
