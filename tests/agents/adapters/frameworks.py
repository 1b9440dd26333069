"""Each adapter around a real agent of its framework, whose model is scripted to make one call.

Run by the Python of an environment with the frameworks: writes, as JSON, what was proposed, what the tool ran with,
what was reported, and what the model was told, for an approval, an edit and a rejection each.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from provenanceguard.testing import FakeGuard, allowed, edited, rejected

QUERY = "Pay Daniel 30."
ARGUMENTS = {"to": "Daniel", "amount": 30}
JUDGES = {"approve": allowed, "edit": edited(amount=3), "reject": rejected("Too much.")}
ran: list[dict[str, Any]] = []


def pay(to: str, amount: int) -> str:
    """Pays somebody."""
    ran.append({"to": to, "amount": amount})
    return f"paid {amount}"


def openai_agents(fake: FakeGuard) -> str:
    """The OpenAI Agents SDK."""
    from agents import Agent, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
    from agents.models.interface import Model
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
    from provenanceguard.adapters.openai_agents import guard_tools

    call = ResponseFunctionToolCall(call_id="c1", type="function_call", name="pay", arguments=json.dumps(ARGUMENTS))
    text = ResponseOutputText(type="output_text", text="Done.", annotations=[])
    done = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
    told: list[Any] = []

    class Scripted(Model):
        async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
            told.append(input)
            return ModelResponse(output=[call if len(told) == 1 else done], usage=Usage(), response_id=None)

        def stream_response(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    set_tracing_disabled(True)
    tools = guard_tools(fake.async_guard(), [function_tool(pay)])
    asyncio.run(Runner.run(Agent("payer", instructions="Be kind.", tools=tools, model=Scripted()), QUERY))
    return str(told[-1][-1]["output"])


def langchain(fake: FakeGuard) -> str:
    """LangChain's agents, on LangGraph."""
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from provenanceguard.adapters.langchain import GuardMiddleware

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self

    call = AIMessage("", tool_calls=[{"name": "pay", "args": ARGUMENTS, "id": "c1"}])
    asked = {"messages": [{"role": "user", "content": QUERY}]}
    guard = fake.guard()
    states = []
    for run in (lambda agent: agent.invoke(asked), lambda agent: asyncio.run(agent.ainvoke(asked))):
        model = Scripted(messages=iter([call, AIMessage("Done.")]))
        states.append(run(create_agent(model, [pay], middleware=[GuardMiddleware(guard)])))
    # Both ways tell the same, and the second is left out of what is compared.
    assert states[0]["messages"][2].content == states[1]["messages"][2].content
    for twice in (ran, fake.bodies, fake.reports):
        del twice[1:]
    return str(states[0]["messages"][2].content)


def anthropic(fake: FakeGuard) -> str:
    """A loop over the Messages API."""
    from anthropic.types import Message, ToolUseBlock, Usage
    from provenanceguard.adapters.anthropic import run_tool_uses

    block = ToolUseBlock(id="c1", type="tool_use", name="pay", input=ARGUMENTS)
    usage = Usage(input_tokens=1, output_tokens=1)
    response = Message(id="m", content=[block], model="m", role="assistant", type="message", usage=usage)
    tools = [{"name": "pay", "input_schema": {"type": "object"}}]
    request = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": QUERY}], "tools": tools}
    return str(run_tool_uses(fake.guard(), response, request, {"pay": pay})[-1]["content"][0]["content"])


def pydantic_ai(fake: FakeGuard) -> str:
    """Pydantic AI."""
    from provenanceguard.adapters.pydantic_ai import GuardedToolset
    from pydantic_ai import Agent, FunctionToolset, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    told: list[Any] = []

    def answer(messages: Any, info: Any) -> ModelResponse:
        told.append(messages)
        return ModelResponse([ToolCallPart("pay", ARGUMENTS, "c1") if len(told) == 1 else TextPart("Done.")])

    toolset = GuardedToolset(FunctionToolset([pay]), fake.async_guard())
    Agent(FunctionModel(answer), toolsets=[toolset], instructions="Be kind.").run_sync(QUERY)
    return str(told[-1][-1].parts[0].content)


def google_adk(fake: FakeGuard) -> str:
    """Google's Agent Development Kit."""
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types
    from provenanceguard.adapters.google_adk import GuardPlugin

    told: list[Any] = []

    class Scripted(BaseLlm):
        async def generate_content_async(self, request: Any, stream: bool = False) -> Any:
            told.append(request.contents)
            part = (
                types.Part.from_function_call(name="pay", args=ARGUMENTS)
                if len(told) == 1
                else types.Part(text="Done.")
            )
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    runner = InMemoryRunner(
        LlmAgent(name="payer", model=Scripted(model="m"), tools=[pay]),
        app_name="payer",
        plugins=[GuardPlugin(fake.async_guard())],
    )

    async def run() -> None:
        session = await runner.session_service.create_session(app_name="payer", user_id="u")
        message = types.Content(role="user", parts=[types.Part(text=QUERY)])
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
            pass

    asyncio.run(run())
    return str(told[-1][-1].parts[0].function_response.response)


def crewai(fake: FakeGuard) -> str:
    """CrewAI's tools, as its agents call them."""
    from crewai.tools import tool
    from provenanceguard.adapters.crewai import guard_tools

    (guarded,) = guard_tools(fake.guard(), [tool("pay")(pay)], query=QUERY)
    return str(guarded.run(**ARGUMENTS))


def inspect_ai(fake: FakeGuard) -> str:
    """Inspect's approval of one call, run as Inspect does behind it."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
    from inspect_ai.tool import ToolCall
    from provenanceguard.adapters.inspect_ai import guard_approver

    call = ToolCall(id="c1", function="pay", arguments=ARGUMENTS)
    history = [ChatMessageUser(content=QUERY), ChatMessageAssistant(content="", tool_calls=[call])]
    view: Any = SimpleNamespace()
    approval = asyncio.run(guard_approver(fake.async_guard(), tools=[{"name": "pay"}])("", call, view, history))
    if approval.decision == "reject":
        return str(approval.explanation)
    return pay(**(approval.modified or call).arguments)


def run_all(framework: Callable[[FakeGuard], str]) -> dict[str, Any]:
    """What becomes of the call under each decision."""
    results = {}
    for name, judge in JUDGES.items():
        ran.clear()
        fake = FakeGuard(judge)
        told = framework(fake)
        results[name] = {"bodies": fake.bodies, "ran": list(ran), "reports": fake.reports, "told": told}
    return results


if __name__ == "__main__":
    frameworks = [openai_agents, langchain, anthropic, pydantic_ai, google_adk, crewai, inspect_ai]
    chosen = next(framework for framework in frameworks if framework.__name__ == sys.argv[1])
    json.dump(run_all(chosen), sys.stdout)
