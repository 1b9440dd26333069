"""What a developer tells an adapter, and what a framework does with its tools: here Pydantic AI, which is at hand."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    FunctionToolset,
    ModelResponse,
    RunContext,
    TextPart,
    ToolCallPart,
    WrapperToolset,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from reviews.agents.client.provenanceguard import Action
from reviews.agents.client.provenanceguard.adapters.pydantic_ai import GuardedToolset
from reviews.agents.client.provenanceguard.testing import FakeGuard, approved, edited, flagged


def pay(amount: int) -> dict[str, Any]:
    """Sends money."""
    return {"paid": amount}


def paying_model(messages: list[Any], info: AgentInfo) -> ModelResponse:
    part = messages[-1].parts[-1]
    if part.part_kind == "user-prompt":
        return ModelResponse([ToolCallPart("pay", {"amount": 30}, "c1")])
    return ModelResponse([TextPart(str(part.content))])


async def test_a_tool_that_a_toolset_around_the_guard_renames_is_proposed_as_the_model_knows_it() -> None:
    fake, ran = FakeGuard(edited(amount=3)), list[int]()

    def bill_pay(amount: int) -> str:
        """Sends money."""
        ran.append(amount)
        return "paid"

    toolset = GuardedToolset(FunctionToolset([bill_pay]), fake.async_guard(), timeout=5).renamed({"pay": "bill_pay"})
    await Agent(FunctionModel(paying_model), toolsets=[toolset]).run("Pay Daniel $30.")
    body = fake.bodies[0]
    assert (body["tool_call"]["name"], [tool["name"] for tool in body["tools"]]) == ("pay", ["pay"])
    assert ran == [3]


async def test_a_call_that_waits_for_a_person_is_told_and_its_fields_are_sent() -> None:
    fake = FakeGuard(flagged)
    told: list[Action] = []

    async def approve(action: Action) -> None:
        told.append(action)
        fake.actions[action.id].update(approved(fake.bodies[0]))

    options = {"on_pending": approve, "metadata": {"team": "billing"}}
    toolset = GuardedToolset(FunctionToolset([pay]), fake.async_guard(), timeout=5, options=options)
    agent = Agent(FunctionModel(paying_model), toolsets=[toolset])
    result = await agent.run("Pay Daniel $30.", conversation_id="conv-7")
    assert result.output == "{'paid': 30}"
    assert [action.tool for action in told] == ["pay"]
    assert (fake.bodies[0]["metadata"], fake.bodies[0]["trace_id"]) == ({"team": "billing"}, "conv-7")
    assert fake.reports == [{"status": "succeeded", "outcome": {"paid": 30}}]


async def test_a_tool_that_was_deferred_is_decided_again_and_runs() -> None:
    fake = FakeGuard()

    def pay_once_approved(ctx: RunContext[None], amount: int) -> str:
        """Sends money."""
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return f"paid {amount}"

    tools = FunctionToolset[None]()
    tools.add_function(pay_once_approved, name="pay")
    toolset = GuardedToolset(tools, fake.async_guard(), timeout=5)
    agent = Agent(FunctionModel(paying_model), toolsets=[toolset], output_type=[str, DeferredToolRequests])
    first = await agent.run("Pay Daniel $30.")
    approvals = DeferredToolResults(approvals={"c1": True})
    again = await agent.run(message_history=first.all_messages(), deferred_tool_results=approvals)
    assert again.output == "paid 30"
    deferred, run = fake.bodies
    assert deferred["trace_id"] != run["trace_id"]
    assert [report["status"] for report in fake.reports] == ["failed", "succeeded"]


class Mode(Enum):
    DRY_RUN = "dry_run"
    REAL = "real"


class Order(BaseModel):
    to: str
    amount: Decimal = Decimal(1)


async def told(fake: FakeGuard, function: Callable[..., Any], written: dict[str, Any] | str, around: Any = None) -> str:
    """What the model is told of its one call of this tool with these arguments."""

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        part = messages[-1].parts[-1]
        if part.part_kind == "user-prompt":
            return ModelResponse([ToolCallPart(function.__name__, written, "c1")])
        return ModelResponse([TextPart(str(part.content))])

    guarded = GuardedToolset(FunctionToolset([function]), fake.async_guard(), timeout=5)
    agent = Agent(FunctionModel(answer), toolsets=[around(guarded) if around else guarded])
    return (await agent.run("Go on.")).output


def delete(mode: Mode, day: date | None = None) -> str:
    """Deletes, unless it is a dry run."""
    return f"{'would delete' if mode is Mode.DRY_RUN else 'deleted'} before {day!r}"


@pytest.mark.parametrize("written", [{"mode": "dry_run", "day": "2026-01-02"}, '{"mode":"dry_run","day":"2026-01-02"}'])
async def test_a_tool_gets_its_arguments_as_its_framework_has_them(written: dict[str, Any] | str) -> None:
    assert await told(FakeGuard(), delete, written) == "would delete before datetime.date(2026, 1, 2)"


async def test_edited_arguments_are_those_of_the_tool_too() -> None:
    fake = FakeGuard(edited(mode="dry_run", day="2026-02-03"))
    assert await told(fake, delete, {"mode": "real"}) == "would delete before datetime.date(2026, 2, 3)"


async def test_an_edit_that_is_none_of_the_tools_runs_nothing_and_is_reported() -> None:
    fake = FakeGuard(edited(mode="rael"))
    assert "deleted" not in await told(fake, delete, {"mode": "real"})
    assert [report["status"] for report in fake.reports] == ["failed"]


async def test_a_call_is_proposed_as_the_model_made_it() -> None:
    def order(order: Order) -> str:
        """Orders."""
        return f"{order.amount} for {order.to}"

    fake = FakeGuard(edited(to="b"))
    # The tool's schema is that of its one model.
    assert await told(fake, order, {"to": "a"}) == "1 for b"
    assert fake.bodies[0]["tool_call"]["arguments"] == {"to": "a"}


@dataclass
class Careful(WrapperToolset[Any]):
    """Makes a dry run of everything."""

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: Any) -> Any:
        """The same call as a dry run."""
        return await super().call_tool(name, {**tool_args, "mode": Mode.DRY_RUN}, ctx, tool)


async def test_what_was_changed_on_the_way_is_proposed_as_it_would_run() -> None:
    fake = FakeGuard()
    assert "would delete" in await told(fake, delete, {"mode": "real"}, around=Careful)
    assert fake.bodies[0]["tool_call"]["arguments"]["mode"] == "dry_run"
