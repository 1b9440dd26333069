"""The quickstarts run as their readers would, with each framework's own agent around a model that is scripted.

The model calls `pay` once and is done. Run by a Python that has the frameworks, it writes what came of it as JSON.
"""

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from provenanceguard.conformance import Trial, check_client
from provenanceguard.conformance.client_checks import SCENARIOS

QUICKSTARTS = Path(__file__).resolve().parents[3] / "reviews/agents/quickstarts"
ARGUMENTS = {"to": "Daniel", "amount": 30}
DESCRIPTION = "Sends money."
SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "amount": {"type": "number"}},
    "required": ["to", "amount"],
}
Names: TypeAlias = dict[str, Any]
"""What the reader of a quickstart has in an own module `my_agent`."""


@dataclass
class Run:
    """One run of a quickstart."""

    function: Callable[..., Any]
    """What the tool does."""
    arguments: Mapping[str, Any] = field(default_factory=lambda: dict(ARGUMENTS))
    """With which the model calls it."""
    told: list[str] = field(default_factory=list)
    """What the model was told of its call."""

    def pay(self, to: str, amount: float) -> str:
        """Sends money."""
        return str(self.function(to=to, amount=amount))


def any_loop(run: Run) -> Names:
    """A loop over OpenAI's chat completions."""
    from openai.types.chat import ChatCompletionMessage

    called = {"name": "pay", "arguments": json.dumps(run.arguments)}
    call = {"id": "c1", "type": "function", "function": called}
    message = ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [call]})

    class Messages(list[Any]):
        def append(self, item: Any) -> None:
            super().append(item)
            run.told.append(item["content"])

    messages = Messages([{"role": "user", "content": "Pay Daniel $30."}, message])
    document = {"name": "pay", "description": DESCRIPTION, "parameters": SCHEMA}
    return {
        "message": message,
        "messages": messages,
        "pay": run.pay,
        "tools": [{"type": "function", "function": document}],
    }


def anthropic_loop(run: Run) -> Names:
    """A loop over the Messages API."""
    import httpx2
    from anthropic import Anthropic

    use = {"type": "tool_use", "id": "c1", "name": "pay", "input": dict(run.arguments)}
    done = {"type": "text", "text": "Done."}

    def answer(request: httpx2.Request) -> httpx2.Response:
        last = json.loads(request.content)["messages"][-1]
        is_first = isinstance(last["content"], str)
        if not is_first:
            run.told.append(last["content"][0]["content"])
        message = {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [use if is_first else done],
            "stop_reason": "tool_use" if is_first else "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=message)

    client = Anthropic(api_key="k", http_client=httpx2.Client(transport=httpx2.MockTransport(answer)))
    tools = [{"name": "pay", "description": DESCRIPTION, "input_schema": SCHEMA}]
    return {"client": client, "pay": run.pay, "tools": tools}


def pydantic_ai_agent(run: Run) -> Names:
    """Pydantic AI."""
    from pydantic_ai import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def answer(messages: Any, info: Any) -> ModelResponse:
        part = messages[-1].parts[-1]
        if part.part_kind == "user-prompt":
            return ModelResponse([ToolCallPart("pay", dict(run.arguments), "c1")])
        run.told.append(str(part.content))
        return ModelResponse([TextPart("Done.")])

    return {"model": FunctionModel(answer), "pay": run.pay}


def openai_agents_run(run: Run) -> Names:
    """The OpenAI Agents SDK."""
    from agents import ModelResponse, Usage, function_tool, set_tracing_disabled
    from agents.models.interface import Model
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    set_tracing_disabled(True)
    arguments = json.dumps(run.arguments)
    call = ResponseFunctionToolCall(call_id="c1", type="function_call", name="pay", arguments=arguments)
    text = ResponseOutputText(type="output_text", text="Done.", annotations=[])
    done = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])

    class Scripted(Model):
        async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
            outputs = [] if isinstance(input, str) else [item["output"] for item in input if "output" in item]
            run.told += outputs
            return ModelResponse(output=[done if outputs else call], usage=Usage(), response_id=None)

        def stream_response(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    # Its own words for failures are for models; a trial wants to see them as they are.
    return {"model": Scripted(), "pay": function_tool(run.pay, failure_error_function=None)}


def langchain_agent(run: Run) -> Names:
    """LangChain's agents, on LangGraph."""
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    call = {"name": "pay", "args": dict(run.arguments), "id": "c1"}

    class Scripted(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self

        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
            told = [str(message.content) for message in messages if message.type == "tool"]
            run.told += told
            message = AIMessage("Done.") if told else AIMessage("", tool_calls=[call])
            return ChatResult(generations=[ChatGeneration(message=message)])

    return {"model": Scripted(), "pay": run.pay}


def google_adk_runner(run: Run) -> Names:
    """Google's Agent Development Kit."""
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.genai import types

    class Scripted(BaseLlm):
        async def generate_content_async(self, request: Any, stream: bool = False) -> Any:
            part = request.contents[-1].parts[-1]
            if part.function_response is None:
                answer = types.Part.from_function_call(name="pay", args=dict(run.arguments))
            else:
                run.told.append(str(part.function_response.response))
                answer = types.Part(text="Done.")
            yield LlmResponse(content=types.Content(role="model", parts=[answer]))

    return {"agent": LlmAgent(name="payer", model=Scripted(model="m"), tools=[run.pay])}


def crewai_crew(run: Run) -> Names:
    """CrewAI."""
    from crewai import BaseLLM
    from crewai.tools import tool

    asked = f"Thought: I pay.\nAction: pay\nAction Input: {json.dumps(run.arguments)}"

    class Scripted(BaseLLM):
        def call(self, messages: Any, *args: Any, **kwargs: Any) -> str:
            # The first two are the system's and the task, which tell of observations in general.
            said = "\n".join(str(message["content"]) for message in messages[2:])
            if "Observation:" not in said:
                return asked
            run.told.append(said.rpartition("Observation:")[2])
            return "Thought: I now know the final answer\nFinal Answer: Done."

        def supports_function_calling(self) -> bool:
            return False

    return {"llm": Scripted(model="m"), "pay": tool("pay")(run.pay)}


def inspect_ai_task(run: Run) -> Names:
    """Inspect."""
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import Tool, tool

    @tool
    def pay() -> Tool:
        async def execute(to: str, amount: float) -> str:
            """Sends money.

            Args:
                to: Who gets it.
                amount: How much.
            """
            return await asyncio.to_thread(run.pay, to, amount)

        return execute

    def answer(messages: Any, *args: Any) -> ModelOutput:
        last = messages[-1]
        if last.role != "tool":
            return ModelOutput.for_tool_call("mockllm/model", "pay", dict(run.arguments), content="")
        run.told.append(last.error.message if last.error else last.text)
        return ModelOutput.from_content("mockllm/model", "Done.")

    async def count_tokens(text: str) -> int:
        return len(text)

    model = get_model("mockllm/model", custom_outputs=answer)
    # Its own counter fetches a vocabulary from elsewhere.
    model.api.count_text_tokens = count_tokens
    task = Task([Sample("Pay Daniel $30.")], solver=[use_tools(pay()), generate()])
    return {"model": model, "pay": pay, "task": task}


FRAMEWORKS: Mapping[str, Callable[[Run], Names]] = {
    framework.__name__: framework
    for framework in (
        any_loop,
        anthropic_loop,
        pydantic_ai_agent,
        openai_agents_run,
        langchain_agent,
        google_adk_runner,
        crewai_crew,
        inspect_ai_task,
    )
}


def run_quickstart(name: str, url: str, key: str, run: Run, *, timeout: float | None = None) -> None:
    """Run one as its reader has it, with an address and a key; `timeout` is how long its guard waits."""
    file = name.removesuffix("_async")
    source = (QUICKSTARTS / f"{file}.py").read_text(encoding="utf-8")
    if file != name:
        source, replaced = re.subn(r"agent\.invoke\((.*)\)", r"asyncio.run(agent.ainvoke(\1))", source)
        assert replaced == 1
    source = source.replace("https://guard.example", url).replace("pgr_YOUR_KEY", key)
    # Some run at once, so that the reader's module cannot be one that is imported.
    source = re.sub(r"^from my_agent import .*$", "", source, flags=re.MULTILINE)
    names = {**FRAMEWORKS[file](run), "asyncio": asyncio}
    if timeout is not None:
        source = re.sub(r"\b(Guard|AsyncGuard)\(", r"limited(\1)(", source)
        names["limited"] = partial(_limited, timeout=timeout)
    exec(compile(source, name, "exec"), {"__name__": "quickstart", **names})  # noqa: S102 - our own file


def _limited(kind: Any, timeout: float) -> Any:
    """The guard's client, which gives up by itself."""

    class Limited(kind):  # type: ignore[misc]
        def check(self, *args: Any, **options: Any) -> Any:
            return super().check(*args, **{**options, "timeout": timeout})

    return Limited


def try_decisions(name: str, urls: list[str]) -> list[dict[str, Any]]:
    """What ran and what the model was told, with each guard."""
    results = []
    for url in urls:
        ran: list[dict[str, Any]] = []

        def pay(ran: list[dict[str, Any]] = ran, **arguments: Any) -> str:
            ran.append(arguments)
            return f"paid {arguments['amount']:g}"

        run = Run(pay)
        run_quickstart(name, url, "pgr_test_key", run)
        results.append({"ran": ran, "told": "; ".join(run.told)})
    return results


def try_scenarios(name: str, url: str, key: str) -> Iterator[dict[str, Any]]:
    """Whether the adapter keeps each promise of the conformance kit."""

    def client(trial: Trial) -> str:
        run = Run(trial.function, trial.call.arguments)
        try:
            run_quickstart(name, trial.url, trial.key, run, timeout=trial.timeout)
        except Exception as error:
            # A framework may wrap what its tool raised.
            raise RuntimeError("; ".join([*run.told, repr(error)])) from error
        return "; ".join(run.told)

    # Importing a framework may take longer than any of its calls.
    with contextlib.suppress(Exception):
        run_quickstart(name, url, key, Run(str), timeout=1)
    # Inspect evaluates one task at a time in a process.
    turns = [[scenario.name] for scenario in SCENARIOS] if name == "inspect_ai_task" else [[]]
    for only in turns:
        yield from map(asdict, check_client(url, key, client, only=only))


if __name__ == "__main__":
    output = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        if sys.argv[1] == "decisions":
            answer: Any = {name: try_decisions(name, urls) for name, urls in json.loads(sys.argv[2]).items()}
        else:
            answer = list(try_scenarios(*sys.argv[2:]))
    json.dump(answer, output)
