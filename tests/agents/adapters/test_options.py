"""What a developer tells an adapter, and what a framework does with its tools: here Pydantic AI, which is at hand."""

from typing import Any

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
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from reviews.agents.client.provenanceguard import Action
from reviews.agents.client.provenanceguard.adapters.pydantic_ai import GuardedToolset
from reviews.agents.client.provenanceguard.testing import FakeGuard, approved, flagged


def pay(amount: int) -> dict[str, Any]:
    """Sends money."""
    return {"paid": amount}


def paying_model(messages: list[Any], info: AgentInfo) -> ModelResponse:
    part = messages[-1].parts[-1]
    if part.part_kind == "user-prompt":
        return ModelResponse([ToolCallPart("pay", {"amount": 30}, "c1")])
    return ModelResponse([TextPart(str(part.content))])


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
