"""The conformance kit against a guard that runs: our own client keeps every promise, a careless one does not."""

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from reviews.agents.client.provenanceguard import Guard
from reviews.agents.client.provenanceguard.adapters.anthropic import run_tool_uses
from reviews.agents.client.provenanceguard.conformance import Client, Trial, check_client
from reviews.workspaces import agent_keys
from tests import stack
from tests.cast import make_cast

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


@pytest.fixture
def running() -> Iterator[tuple[str, str]]:
    """The address of a guard, and a test key of it."""
    key = agent_keys.create_key(make_cast().workspace, name="ci", is_test=True).secret
    with stack.worker(pool="threads", processes="2"), stack.web() as url:
        yield url, key


def run_with_anthropic(trial: Trial) -> object:
    """The adapter for Anthropic's messages, around a response as its SDK gives it."""
    call, (tool,) = trial.call, trial.past["tools"]
    block = {"type": "tool_use", "id": "toolu_1", "name": call.tool, "input": dict(call.arguments)}
    documents = [{"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}]
    request = {"messages": [{"role": "user", "content": trial.past["query"]}], "tools": documents}
    functions = {call.tool: trial.function}
    with Guard(trial.url, trial.key) as guard:
        turns = run_tool_uses(guard, {"content": [block]}, request, functions, timeout=trial.timeout)
    return turns[-1]["content"]


def run_carelessly(trial: Trial) -> object:
    """Runs whatever is proposed."""
    with Guard(trial.url, trial.key) as guard:
        guard.submit({**trial.past, "action": {"tool": trial.call.tool, "arguments": trial.call.arguments}})
    return trial.function(**trial.call.arguments)


def failed(running: tuple[str, str], client: Client, only: Collection[str] = ()) -> set[str]:
    """The scenarios in which this client does not keep its promise."""
    return {result.name for result in check_client(*running, client, only=only) if not result.has_held}


def test_our_client_and_an_adapter_keep_every_promise(running: tuple[str, str]) -> None:
    output = StringIO()
    tried = {"edit", "reject", "conflicting decision"}
    # At once: each of them mostly waits.
    with ThreadPoolExecutor() as threads:
        adapter = threads.submit(failed, running, run_with_anthropic)
        careless = threads.submit(failed, running, run_carelessly, only=tried)
        call_command("conformance", *running, stdout=output)
    assert "NO:" not in output.getvalue()
    assert "execution replayed" in output.getvalue()
    assert adapter.result() == set()
    assert careless.result() == tried
    with pytest.raises(CommandError, match="no test key"):
        call_command("conformance", running[0], running[1] + "x")
