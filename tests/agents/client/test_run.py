"""One line around a tool: nothing runs but what was approved, as it was approved, and what came of it is told."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import anyio
import httpx
import pytest

from reviews.agents.client.provenanceguard import (
    Approved,
    ChangedToolError,
    Guard,
    NotDecided,
    NotDecidedError,
    NotRunnableError,
    ProblemError,
    Rejected,
    RejectedError,
    Responded,
    UnusableArgumentsError,
)
from reviews.agents.client.provenanceguard.conversation import Conversation
from reviews.agents.client.provenanceguard.testing import (
    KEY,
    FakeGuard,
    JsonObject,
    Judge,
    allowed,
    approved,
    decided,
    edited,
    ended,
    flagged,
    rejected,
    responded,
)

CALL = ("pay", {"to": "Daniel", "amount": 30})
PAST = {"query": "Pay Daniel 30", "tools": [{"name": "pay"}]}


def pay(to: str, amount: int) -> str:
    """Pays."""
    return f"paid {amount} to {to}"


async def pay_later(to: str, amount: int) -> str:
    """Pays, asynchronously."""
    await asyncio.sleep(0)
    return pay(to, amount)


def must_not_run(**arguments: Any) -> None:
    raise AssertionError(arguments)


@pytest.mark.parametrize("judge", [allowed, approved])
def test_an_approved_call_runs_and_its_outcome_is_reported(judge: Judge) -> None:
    fake = FakeGuard(judge)
    with fake.guard() as guard:
        assert guard.run(CALL, PAST, pay) == "paid 30 to Daniel"
    assert fake.reports == [{"status": "succeeded", "outcome": "paid 30 to Daniel"}]


async def test_an_edited_call_runs_as_edited_by_a_coroutine_too() -> None:
    fake = FakeGuard(edited(amount=3))
    async with fake.async_guard() as guard:
        assert await guard.run(CALL, PAST, pay_later) == "paid 3 to Daniel"


@pytest.mark.parametrize(
    "judge", [rejected("Too much."), responded("Ask Ann."), ended("expired"), ended("cancelled"), flagged]
)
def test_nothing_else_runs_and_the_model_is_told_why(judge: Judge) -> None:
    fake = FakeGuard(judge)
    with fake.guard() as guard, pytest.raises(NotRunnableError) as raised:
        guard.run(CALL, PAST, must_not_run, timeout=0)
    assert raised.value.model_message
    assert fake.reports == []


def test_another_tool_is_not_run_by_the_function_of_the_first() -> None:
    fake = FakeGuard(lambda body: decided(body, "edit", tool="ask"))
    with fake.guard() as guard:
        with pytest.raises(ChangedToolError, match="ask"):
            guard.run(CALL, PAST, must_not_run)
        assert guard.run(CALL, PAST, {"pay": must_not_run, "ask": pay}) == "paid 30 to Daniel"


def test_a_permission_for_a_tool_that_was_chosen_meanwhile_is_given_back() -> None:
    fake = FakeGuard(approved)

    def choose_at_last(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/execution"):
            next(iter(fake.actions.values()))["decision"]["tool"] = "ask"
        return fake.answer(request)

    guard = Guard("http://guard.test", KEY, transport=httpx.MockTransport(choose_at_last))
    with guard, pytest.raises(ChangedToolError, match="chose ask"):
        guard.run(CALL, PAST, must_not_run)
    assert [report["status"] for report in fake.reports] == ["failed"]


def test_a_call_that_fails_is_reported_and_raises_what_it_raised() -> None:
    fake = FakeGuard()

    def fail(**_: Any) -> None:
        raise ValueError("no funds")

    with fake.guard() as guard, pytest.raises(ValueError, match="no funds"):
        guard.run(CALL, PAST, fail)
    assert fake.reports == [{"status": "failed", "outcome": "ValueError('no funds')"}]


async def test_of_a_call_that_is_cancelled_nothing_of_the_agents_own_tasks_is_reported() -> None:
    fake = FakeGuard()

    async with fake.async_guard() as guard, anyio.create_task_group() as tasks:

        async def begin() -> None:
            tasks.cancel_scope.cancel()
            await anyio.sleep_forever()

        tasks.start_soon(partial(guard.run, ("wait", {}), PAST, begin))
    assert [report["outcome"] for report in fake.reports] == ["CancelledError()"]


def test_a_result_is_returned_although_its_report_is_lost() -> None:
    fake = FakeGuard()

    def pay_and_cut(**arguments: Any) -> str:
        fake.broken = [httpx.Response(500)]
        return pay(**arguments)

    with fake.guard() as guard:
        assert guard.run(CALL, PAST, pay_and_cut) == "paid 30 to Daniel"


class UnreadableError(Exception):
    def model_dump(self, **_: Any) -> Any:
        raise LookupError("detached")

    def __repr__(self) -> str:
        raise LookupError("detached")


async def test_a_result_is_returned_and_reported_although_it_cannot_be_read() -> None:
    fake, result = FakeGuard(), UnreadableError()
    with fake.guard() as guard:
        assert guard.run(CALL, PAST, lambda **_: result) is result
    async with fake.async_guard() as asynchronous:
        assert await asynchronous.run(CALL, PAST, lambda **_: result) is result
    assert [report["status"] for report in fake.reports] == ["succeeded"] * 2


async def test_what_a_call_raised_is_raised_although_it_cannot_be_read() -> None:
    fake, error = FakeGuard(), UnreadableError()

    def fail(**_: Any) -> None:
        raise error

    with fake.guard() as guard, pytest.raises(UnreadableError):
        guard.run(CALL, PAST, fail)
    async with fake.async_guard() as asynchronous:
        with pytest.raises(UnreadableError):
            await asynchronous.run(CALL, PAST, fail)
    assert [report["status"] for report in fake.reports] == ["failed"] * 2


def test_a_result_is_returned_although_reporting_it_fails_in_a_way_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    fake = FakeGuard()

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/outcome"):
            raise ZeroDivisionError
        return fake.answer(request)

    with Guard("http://guard.test", KEY, transport=httpx.MockTransport(answer)) as guard:
        assert guard.run(CALL, PAST, pay) == "paid 30 to Daniel"
    assert "was not reported" in caplog.text


def test_a_permission_that_was_taken_runs_nothing() -> None:
    fake = FakeGuard(lambda body: {**allowed(body), "ran": "by another"})
    with fake.guard() as guard, pytest.raises(NotDecidedError):
        guard.run(CALL, PAST, must_not_run)


@pytest.mark.parametrize(
    ("judge", "kind"),
    [(allowed, Approved), (rejected(), Rejected), (responded("Ask."), Responded), (ended("expired"), NotDecided)],
)
def test_what_becomes_of_a_call_is_a_value_that_no_condition_takes_for_yes(judge: Judge, kind: type) -> None:
    with FakeGuard(judge).guard() as guard:
        outcome = guard.check(CALL, PAST)
    assert type(outcome) is kind
    with pytest.raises(TypeError):
        bool(outcome)


def test_a_guard_that_is_down_has_decided_nothing_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    fake = FakeGuard(broken=[httpx.ConnectError("refused")] * 9)
    with fake.guard(patience=0) as guard:
        outcome = guard.check(CALL, PAST)
    assert isinstance(outcome, NotDecided)
    assert outcome.reason == "unreachable"
    assert "cannot be reached (POST /api/v1/actions" in caplog.text


def test_a_call_is_resumed_by_its_id() -> None:
    with FakeGuard().guard() as guard:
        action = guard.submit({**PAST, "action": {"tool": CALL[0], "arguments": CALL[1]}})
        assert guard.resume(action.id, pay) == "paid 30 to Daniel"


async def test_a_cancelled_task_withdraws_its_proposal() -> None:
    proposed = asyncio.Event()

    def flag(body: JsonObject) -> JsonObject:
        proposed.set()
        return flagged(body)

    fake = FakeGuard(flag)
    async with fake.async_guard() as guard:
        task = asyncio.create_task(guard.run(CALL, PAST, must_not_run))
        await proposed.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [action["status"] for action in fake.actions.values()] == ["cancelled"]


def test_a_conversation_keeps_its_history() -> None:
    fake = FakeGuard()
    with fake.guard() as guard, guard.conversation("Pay Daniel 30", [{"name": "pay"}]) as talk:
        guard.run(CALL, function=pay)
        talk.add_user("Once more.")
        guard.run(CALL, talk, pay)
    first, second = fake.bodies
    assert first["history"] == []
    assert second["history"] == [
        {"tool": "pay", "arguments": {"to": "Daniel", "amount": 30}, "outcome": "paid 30 to Daniel"},
        {"role": "user", "text": "Once more."},
    ]
    assert first["trace_id"] == second["trace_id"]


async def test_of_equal_calls_at_once_the_second_is_told_of_the_first() -> None:
    fake = FakeGuard()
    other = ("pay", {"to": "Ann", "amount": 3})
    async with fake.async_guard() as guard:
        talk = guard.conversation("Pay Daniel 30", [{"name": "pay"}])
        await asyncio.gather(*(guard.run(call, talk, pay_later) for call in (CALL, CALL, other)))
        fake.judge = rejected()
        for call in (CALL, other):
            with pytest.raises(RejectedError):
                await guard.run(call, talk, must_not_run)
    made = {"tool": "pay", "arguments": {"to": "Daniel", "amount": 30}}
    assert [body["history"] for body in fake.bodies[:3]] == [[], [made], []]
    # What is over stands there with its result, and what did not run not at all.
    assert [step.get("outcome") for step in fake.bodies[4]["history"]] == ["paid 30 to Daniel"] * 2 + ["paid 3 to Ann"]


def test_of_equal_calls_of_two_threads_one_is_told_of_the_other() -> None:
    both_proposed = threading.Barrier(2, timeout=10)

    fake = FakeGuard()
    with fake.guard() as guard:
        talk = guard.conversation("Pay Daniel 30", [{"name": "pay"}])

        def wait_and_pay(to: str, amount: int) -> str:
            both_proposed.wait()
            return pay(to, amount)

        threads = [threading.Thread(target=guard.run, args=(CALL, talk, wait_and_pay)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sum(len(body["history"]) for body in fake.bodies) >= 1


def test_the_end_of_a_call_is_not_that_of_one_that_python_alone_takes_for_the_same() -> None:
    talk = Conversation("Set the level")
    one, true = ("set", {"level": 1}), ("set", {"level": True})
    with talk.propose(one):
        with talk.propose(true):
            pass
        with talk.propose(one) as past:
            assert past["history"] == [{"tool": "set", "arguments": {"level": 1}}]
    with talk.propose(one) as past:
        assert past["history"] == []


async def test_a_conversation_keeps_what_failed_too() -> None:
    fake = FakeGuard()

    def fail(to: str, amount: int) -> str:
        raise OSError("no server")

    with fake.guard() as threads:
        talk = threads.conversation("Pay Daniel 30", [{"name": "pay"}])
        with talk, pytest.raises(OSError, match="no server"):
            threads.run(CALL, function=fail)
    async with fake.async_guard() as guard:
        with pytest.raises(OSError, match="no server"):
            await guard.run(CALL, talk, fail)
    assert [step["outcome"] for step in talk.past["history"]] == ["Error: OSError('no server')"] * 2


def test_what_is_larger_than_the_guard_takes_is_told_by_its_beginning_in_the_report_and_the_next_past() -> None:
    fake, page = FakeGuard(), ["é" * 1000] * 1000

    def read(to: str, amount: int) -> list[str]:
        fake.broken.append(httpx.Response(413))
        return page

    with fake.guard() as guard, guard.conversation("Pay Daniel 30", [{"name": "pay"}]):
        assert guard.run(CALL, function=read) is page
        guard.run(CALL, function=pay)
    told = fake.reports[0]["outcome"]
    assert len(json.dumps(told)) < 1_000_000
    assert told.startswith('["ééé')
    assert "characters: too long for the guard" in told
    assert fake.bodies[1]["history"][0]["outcome"] == told


async def test_a_conversation_of_coroutines_is_told_what_was_reported() -> None:
    fake = FakeGuard()

    async def read(to: str, amount: int) -> str:
        fake.broken.append(httpx.Response(413))
        return "x" * 2_000_000

    async with fake.async_guard() as guard:
        talk = guard.conversation("Pay Daniel 30", [{"name": "pay"}])
        await guard.run(CALL, talk, read)
    assert talk.past["history"][0]["outcome"] == fake.reports[0]["outcome"]
    assert len(fake.reports[0]["outcome"]) < 100_000


def test_a_call_without_a_past_is_refused_before_it_is_sent() -> None:
    fake = FakeGuard()
    with fake.guard() as guard, pytest.raises(TypeError, match="what came before"):
        guard.run(CALL, function=pay)
    assert not fake.requests


def test_a_protected_function_asks_with_all_its_arguments() -> None:
    fake = FakeGuard(edited(amount=3))
    guard = fake.guard()

    @guard.protect
    def transfer(to: str, amount: int, currency: str = "USD") -> str:
        return f"{amount} {currency} to {to}"

    with guard, guard.conversation("Pay Daniel 30"):
        assert transfer("Daniel", amount=30) == "3 USD to Daniel"
    assert fake.bodies[0]["action"] == {
        "tool": "transfer",
        "arguments": {"to": "Daniel", "amount": 30, "currency": "USD"},
    }


async def test_the_object_of_a_protected_method_is_no_part_of_the_call() -> None:
    fake = FakeGuard()
    threads, loop = fake.guard(), fake.async_guard()

    @dataclass
    class Bank:
        key: str

        @threads.protect
        def pay(self, amount: int) -> str:
            return f"{self.key} paid {amount}"

        @loop.protect
        async def pay_later(self, amount: int) -> str:
            return f"{self.key} paid {amount}"

        @classmethod
        @threads.protect
        def count(cls, up_to: int) -> str:
            return f"{cls.__name__} counted {up_to}"

        @staticmethod
        @threads.protect
        def record(bank: Any) -> str:
            return f"recorded {bank.key}"

    class Branch(Bank):
        def pay(self, amount: int) -> str:
            return super().pay(amount)

    with Conversation("Pay 3"):
        assert Branch("k").pay(3) == "k paid 3"
        assert await Bank("k").pay_later(amount=3) == "k paid 3"
        assert Branch.count(3) == "Branch counted 3"
        assert Bank("k").record(Bank("shown")) == "recorded shown"
    proposed = [body["action"]["arguments"] for body in fake.bodies]
    assert proposed == [{"amount": 3}, {"amount": 3}, {"up_to": 3}, {"bank": {"key": "shown"}}]


async def test_a_call_within_which_another_is_refused_is_not_told_as_one_that_did_not_run() -> None:
    fake = FakeGuard(lambda body: (rejected("No.") if body["action"]["tool"] == "notify" else approved)(body))
    threads, loop = fake.guard(), fake.async_guard()
    notify = threads.protect(tool="notify")(must_not_run)
    notify_later = loop.protect(tool="notify")(must_not_run)

    @threads.protect(on_refusal="message")
    def pay() -> None:
        notify()

    @loop.protect(on_refusal="message")
    async def pay_later() -> None:
        await notify_later()

    with Conversation("Pay"):
        told = [pay(), await pay_later()]
    assert told == ["The call had begun when another that it makes was refused: No."] * 2
    assert [report["status"] for report in fake.reports] == ["failed", "failed"]


async def test_a_protected_coroutine_may_return_what_the_model_is_told() -> None:
    guard = FakeGuard(rejected("Too much.")).async_guard()

    @guard.protect(tool="pay", past=lambda: PAST, on_refusal="message")
    async def transfer(to: str, amount: int) -> str:
        raise AssertionError(to, amount)

    assert await transfer("Daniel", 30) == "Too much."


class Paying:
    async def __call__(self, to: str, amount: int) -> str:
        return await pay_later(to, amount)


@pytest.mark.parametrize("function", [pay_later, partial(pay_later, amount=3), Paying(), {"pay": pay_later}])
def test_a_coroutine_function_is_refused_by_the_client_for_threads_before_it_is_proposed(function: Any) -> None:
    fake = FakeGuard()
    with fake.guard() as guard:
        with pytest.raises(TypeError, match="AsyncGuard"):
            guard.run(CALL, PAST, function)
        with pytest.raises(TypeError, match="AsyncGuard"):
            guard.resume("1", function)
        with pytest.raises(TypeError, match="AsyncGuard"):
            guard.protect(pay_later)
    assert fake.requests == []


def test_what_would_have_to_be_awaited_is_reported_as_failed_and_never_runs() -> None:
    fake, begun = FakeGuard(), list[Any]()

    def pay_some_time(**arguments: Any) -> Any:
        begun.append(pay_later(**arguments))
        return begun[0]

    with fake.guard() as guard, pytest.raises(TypeError, match="coroutine was returned"):
        guard.run(CALL, PAST, pay_some_time)
    assert [report["status"] for report in fake.reports] == ["failed"]
    with pytest.raises(RuntimeError, match="already awaited"):
        begun[0].send(None)


def pay_in_parts(to: str, amount: int) -> Iterator[str]:
    yield f"paid {amount} to {to}"


async def pay_in_parts_later(to: str, amount: int) -> AsyncIterator[str]:
    yield f"paid {amount} to {to}"


class PayingInParts:
    def __call__(self, to: str, amount: int) -> Iterator[str]:
        yield from pay_in_parts(to, amount)


@pytest.mark.parametrize(
    "function",
    [pay_in_parts, pay_in_parts_later, partial(pay_in_parts, amount=3), PayingInParts(), {"pay": pay_in_parts}],
)
async def test_a_function_that_yields_is_refused_before_it_is_proposed(function: Any) -> None:
    fake = FakeGuard()
    with fake.guard() as threads:
        with pytest.raises(TypeError, match="piece by piece"):
            threads.run(CALL, PAST, function)
        with pytest.raises(TypeError, match="piece by piece"):
            threads.protect(pay_in_parts)
    async with fake.async_guard() as guard:
        with pytest.raises(TypeError, match="piece by piece"):
            await guard.run(CALL, PAST, function)
        with pytest.raises(TypeError, match="piece by piece"):
            await guard.resume("1", function)
        with pytest.raises(TypeError, match="piece by piece"):
            guard.protect(pay_in_parts_later)
    assert fake.requests == []


async def test_a_generator_that_is_returned_is_no_result_of_a_call() -> None:
    fake = FakeGuard()

    def begin(to: str, amount: int) -> Any:
        return pay_in_parts(to, amount)

    def begin_later(to: str, amount: int) -> Any:
        return pay_in_parts_later(to, amount)

    with fake.guard() as threads, pytest.raises(TypeError, match="generator was returned"):
        threads.run(CALL, PAST, begin)
    async with fake.async_guard() as guard:
        with pytest.raises(TypeError, match="generator was returned"):
            await guard.run(CALL, PAST, begin_later)
    assert [report["status"] for report in fake.reports] == ["failed", "failed"]


def test_a_call_whose_report_is_interrupted_stays_in_the_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeGuard()

    def interrupt(*_args: Any, **_options: Any) -> Any:
        raise KeyboardInterrupt

    with fake.guard() as guard, guard.conversation("Pay Daniel 30", [{"name": "pay"}]) as talk:
        monkeypatch.setattr(guard, "finish", interrupt)
        with pytest.raises(KeyboardInterrupt):
            guard.run(CALL, function=pay)
    assert [step["outcome"] for step in talk.past["history"]] == ["paid 30 to Daniel"]


def test_a_refusal_of_a_protected_function_raises() -> None:
    guard = FakeGuard(rejected("Too much.")).guard()
    with guard, guard.conversation("Pay"), pytest.raises(RejectedError, match="Too much"):
        guard.protect(pay)("Daniel", 30)


def test_one_guard_serves_many_threads_and_event_loops() -> None:
    fake, results = FakeGuard(), []
    guard = fake.guard()
    asynchronous = fake.async_guard()

    def work() -> None:
        results.append(guard.run(CALL, PAST, pay))
        results.append(asyncio.run(asynchronous.run(CALL, PAST, pay_later)))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    guard.close()
    assert results == ["paid 30 to Daniel"] * 16


@pytest.mark.parametrize("number", [float("nan"), float("inf"), Decimal("1e999999999")])
def test_a_number_that_is_none_is_told_to_the_model_who_wrote_it(number: Any) -> None:
    fake = FakeGuard()
    with fake.guard() as guard, pytest.raises(UnusableArgumentsError, match="no numbers of JSON") as refusal:
        guard.run(("pay", {"amount": number}), PAST, must_not_run)
    assert refusal.value.model_message.startswith("The call was not run.")
    assert not fake.requests


def test_arguments_that_are_no_json_are_refused_without_a_server_as_the_api_refuses_them() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": '{"amount": 3'}}
    messages = [{"role": "user", "content": "Pay 30"}]
    with FakeGuard().guard() as guard, pytest.raises(UnusableArgumentsError, match="Must be a JSON object") as refusal:
        guard.run(call, {"messages": messages, "tools": []}, must_not_run)
    assert refusal.value.model_message.startswith("The call was not run.")


def test_a_past_that_is_misspelt_is_refused_without_a_server_too() -> None:
    with FakeGuard().guard() as guard, pytest.raises(ProblemError, match="What came before"):
        guard.run(("pay", {"amount": 30}), {"querry": "Pay 30"}, must_not_run)


NAMED = {"name": "pay", "arguments": {"to": "Daniel", "amount": 30}, "id": "c1"}
SESSION = {**PAST, "trace_id": "session"}


REFUSED = "The number is too large to be exact; send it as a string."


@pytest.mark.parametrize(
    ("pointers", "kind"),
    [
        (["/action/arguments/amount"], UnusableArgumentsError),
        (["/tool_call/function/arguments", "/tool_use/input/a/0"], UnusableArgumentsError),
        (["/call/params/arguments/a"], UnusableArgumentsError),
        (["/action/arguments/amount", "/query"], ProblemError),
        (["/action/argumentz"], ProblemError),
        (["/tools/0/action/arguments"], ProblemError),
        ([], ProblemError),
    ],
)
def test_arguments_that_the_guard_cannot_take_are_told_to_the_model_who_wrote_them(
    pointers: list[str], kind: type[Exception]
) -> None:
    problem = {"detail": "It is refused.", "errors": [{"pointer": one, "detail": REFUSED} for one in pointers]}
    fake = FakeGuard(broken=[httpx.Response(422, json=problem)])
    with fake.guard() as guard, pytest.raises(ProblemError) as refusal:
        guard.run(CALL, PAST, must_not_run)
    assert type(refusal.value) is kind
    if isinstance(refusal.value, NotRunnableError):
        assert refusal.value.model_message.startswith("The call was not run.")
        assert REFUSED in refusal.value.model_message


def test_a_call_runs_once_under_its_name() -> None:
    fake = FakeGuard()
    with fake.guard() as guard:
        guard.run(NAMED, SESSION, pay)
        with pytest.raises(NotDecidedError, match="handed out before") as refused:
            guard.run(NAMED, SESSION, must_not_run)
    assert (refused.value.outcome.reason, len(fake.bodies)) == ("repeated", 1)


@pytest.mark.parametrize("end", ["expired", "cancelled", "superseded"])
async def test_what_is_over_is_proposed_anew_for_a_framework_that_runs_it_again(end: str) -> None:
    fake = FakeGuard(ended(end))
    async with fake.async_guard() as guard:
        with pytest.raises(NotDecidedError):
            await guard.run(NAMED, SESSION, must_not_run)
        fake.judge = allowed
        assert await guard.run(NAMED, SESSION, pay, renew=True) == "paid 30 to Daniel"
    first, again = fake.bodies
    assert first["trace_id"] == "session" != again["trace_id"]


def test_a_call_that_a_framework_runs_again_is_decided_again() -> None:
    fake = FakeGuard()
    with fake.guard() as guard:
        for _ in range(3):
            assert guard.run(NAMED, SESSION, pay, renew=True) == "paid 30 to Daniel"
        fake.judge = rejected("Too often.")
        with pytest.raises(RejectedError):
            guard.run(NAMED, SESSION, must_not_run, renew=True)
    assert len(fake.bodies) == 4
    # Its past is told as before: that it ran, the guard knows by the action.
    first, *again = fake.bodies
    assert ("retry_of" in first, {body["retry_of"] for body in again}) == (False, {next(iter(fake.actions))})


def test_an_id_that_a_model_gives_to_every_call_names_none_of_them() -> None:
    fake = FakeGuard()
    with fake.guard() as guard:
        guard.run(NAMED, SESSION, pay, renew=True)
        other = {**NAMED, "arguments": {"to": "Ann", "amount": 3}}
        assert guard.run(other, SESSION, pay, renew=True) == "paid 3 to Ann"
        with pytest.raises(ProblemError, match="Another call"):
            guard.run(other, SESSION, must_not_run)


def test_a_rejected_call_stays_rejected_under_its_name() -> None:
    fake = FakeGuard(rejected("Too much."))
    with fake.guard() as guard:
        for _ in range(2):
            with pytest.raises(RejectedError):
                guard.run(NAMED, SESSION, must_not_run, renew=True)
    assert len(fake.bodies) == 1


async def test_a_permission_is_taken_for_who_runs_the_call_elsewhere() -> None:
    fake = FakeGuard(edited(amount=3))
    async with fake.async_guard() as guard:
        permit = await guard.take_permit(CALL, PAST, pay, timeout=5)
        await guard.finish(permit, succeeded=True, outcome=permit.function(**permit.call.arguments))
    assert fake.reports == [{"status": "succeeded", "outcome": "paid 3 to Daniel"}]
