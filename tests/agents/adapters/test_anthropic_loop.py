"""A message of Anthropic's with several calls: what one of them has done is not lost with another."""

from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest
from anthropic.types import Message

from reviews.agents.client.provenanceguard import ProblemError
from reviews.agents.client.provenanceguard.adapters.anthropic import run_tool_uses
from reviews.agents.client.provenanceguard.testing import FakeGuard

REQUEST: Mapping[str, Any] = {"messages": [{"role": "user", "content": "Pay Daniel 3, and mail Ann."}], "tools": []}
RESPONSE = {
    "content": [
        {"type": "tool_use", "id": "c1", "name": "pay", "input": {"amount": 3}},
        {"type": "tool_use", "id": "c2", "name": "mail", "input": {"to": "Ann"}},
    ]
}


def pay(amount: int) -> str:
    """Pays."""
    return f"paid {amount}"


def told(fake: FakeGuard, mail: Callable[..., Any], pay: Callable[..., Any] = pay) -> list[dict[str, Any]]:
    """The results that the model is told."""
    with fake.guard() as guard:
        _, answer = run_tool_uses(guard, RESPONSE, REQUEST, {"pay": pay, "mail": mail})
    results: list[dict[str, Any]] = answer["content"]
    return results


PAID = {"type": "tool_result", "tool_use_id": "c1", "content": "paid 3"}


def test_what_a_tool_raises_is_told_beside_what_another_one_did() -> None:
    fake = FakeGuard()

    def fail(to: str) -> None:
        raise OSError("no server")

    paid, failed = told(fake, fail)
    assert paid == PAID
    assert failed == {"type": "tool_result", "tool_use_id": "c2", "content": "OSError('no server')", "is_error": True}
    assert [report["status"] for report in fake.reports] == ["succeeded", "failed"]


def test_a_guard_that_refuses_a_later_call_takes_nothing_back() -> None:
    fake = FakeGuard()

    def pay_last(amount: int) -> str:
        # To the report, and to the next proposal.
        fake.broken = [httpx.Response(200, json={}), httpx.Response(401, json={"title": "Unknown key"})]
        return pay(amount)

    paid, refused = told(fake, lambda to: None, pay_last)
    assert paid == PAID
    assert (refused["content"], refused["is_error"]) == ("The call was not run: 401: Unknown key", True)


def test_a_guard_that_refuses_before_anything_has_run_raises() -> None:
    with pytest.raises(ProblemError):
        told(FakeGuard(broken=[httpx.Response(401, json={"title": "Unknown key"})]), lambda to: None)


def test_the_models_message_is_handed_on_as_it_was_sent_and_a_tool_that_is_none_is_told() -> None:
    sent = {**RESPONSE, "content": [*RESPONSE["content"], {"type": "text", "text": "I pay."}]}
    whole = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use", **sent}
    response = Message.model_validate({**whole, "usage": {"input_tokens": 1, "output_tokens": 1}})
    with FakeGuard().guard() as guard:
        message, answer = run_tool_uses(guard, response, REQUEST, {"pay": pay})
    # Not with the nulls of what the API has left out, some of which it does not take.
    assert message == {"role": "assistant", "content": sent["content"]}
    assert "mail" in answer["content"][1]["content"]
    assert "reviewer" not in answer["content"][1]["content"]


def test_a_coroutine_function_is_refused_before_any_call_is_proposed() -> None:
    async def mail(to: str) -> None:
        """Mails."""

    fake = FakeGuard()
    with pytest.raises(TypeError, match="AsyncGuard"):
        told(fake, mail)
    assert fake.requests == []
