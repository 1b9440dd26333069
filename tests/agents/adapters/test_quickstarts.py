"""Each quickstart with its real framework: what is proposed reads as the call, and only what was approved runs.

Most frameworks need environments of their own, of some hundred megabytes, which `make test-frameworks` has built.
"""

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
import pytest

from reviews.agents.client.provenanceguard.conformance.client_checks import SCENARIOS
from reviews.agents.client.provenanceguard.testing import FakeGuard, Judge, approved, edited, rejected
from reviews.models import Action, Trace
from reviews.provenance.formats import parse
from tests.agents.adapters.outcomes import check_outcomes, check_proposal
from tests.agents.guard_site import serve_guard

HERE: Final = Path(__file__).parent
CLIENT: Final = HERE.parents[2] / "reviews/agents/client"
FRAMEWORKS: Final = os.environ.get("FRAMEWORKS", "")
"""The folder with an environment for each; what needs one is skipped without."""
DECISIONS: Final[dict[str, Judge]] = {
    "approve": approved,
    "edit": edited(amount=3),
    "reject": rejected("Too much."),
}
# Their libraries are there wherever the tests are.
LIGHT: Final = ("any_loop", "anthropic_loop", "pydantic_ai_agent")
PACKAGES: Final = {
    "any_loop": "openai",
    "anthropic_loop": "anthropic",
    "pydantic_ai_agent": "pydantic-ai-slim",
    "openai_agents_run": "openai-agents",
    "langchain_agent": "langchain",
    # Its middleware has a way of its own for agents that are awaited.
    "langchain_agent_async": "langchain",
    "google_adk_runner": "google-adk",
    "crewai_crew": "crewai",
    "inspect_ai_task": "inspect-ai",
}
NOT_THERE: Final = "FRAMEWORKS names no folder with environments of the frameworks"
needs_frameworks = pytest.mark.skipif(not FRAMEWORKS, reason=NOT_THERE)


def python_with(name: str) -> str:
    """The Python that has a quickstart's framework."""
    return f"{FRAMEWORKS}/{PACKAGES[name]}/bin/python"


def run_frameworks(python: str, *arguments: str, seconds: float = 300) -> Any:
    """What the frameworks' own process writes."""
    settings = {"PYTHONPATH": str(CLIENT), "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
    # Some write logs where they are.
    with TemporaryDirectory() as folder:
        finished = subprocess.run(
            [python, "-W", "ignore", HERE / "frameworks.py", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
            cwd=folder,
            env={**os.environ, **settings},
        )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout.splitlines()[-1])


@cache
def try_quickstarts(python: str, names: tuple[str, ...]) -> dict[str, Any]:
    """What became of each quickstart's call, by decision; in one process, because libraries take seconds to import."""
    fakes = {name: {decision: FakeGuard(judge) for decision, judge in DECISIONS.items()} for name in names}
    with ExitStack() as sites:
        urls = {name: [sites.enter_context(serve_guard(fake)) for fake in fakes[name].values()] for name in names}
        answers = run_frameworks(python, "decisions", json.dumps(urls))
    return {
        name: {
            decision: {**answer, "bodies": fake.bodies, "reports": fake.reports}
            for (decision, fake), answer in zip(fakes[name].items(), answers[name], strict=True)
        }
        for name in names
    }


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in LIGHT else needs_frameworks) for name in PACKAGES]
)
def test_a_quickstart_runs_what_was_approved_and_tells_the_model_and_the_guard(name: str) -> None:
    results = try_quickstarts(python_with(name), (name,)) if FRAMEWORKS else try_quickstarts(sys.executable, LIGHT)
    check_outcomes(results[name])


@needs_frameworks
@pytest.mark.timeout(1800)
def test_every_adapter_keeps_every_promise_of_the_conformance_kit(running: tuple[str, str]) -> None:
    broken = {}
    for name in (name for name in PACKAGES if not name.endswith("_async")):
        results = run_frameworks(python_with(name), "scenarios", name, *running)
        assert len(results) == len(SCENARIOS)
        broken[name] = {result["name"]: result["observed"] for result in results if not result["has_held"]}
    assert {name: failures for name, failures in broken.items() if failures} == {}


# The one around a single answer of a model has no loop, and the other one's tools are described by hand.
LOOPS: Final = [name for name in PACKAGES if name not in ("any_loop", "langchain_agent_async")]
# A page of 3,500 characters that a tool returned, the message with its call, and what is said of the submission.
MAX_BYTES_PER_STEP: Final = 7000
STEPS: Final = 8


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in LIGHT else needs_frameworks) for n in LOOPS])
def test_of_a_growing_conversation_the_guard_is_sent_what_is_new(running: tuple[str, str], name: str) -> None:
    python = python_with(name) if FRAMEWORKS else sys.executable
    bodies = run_frameworks(python, "steps", name, *running, str(STEPS))
    sizes, sent = list(map(len, bodies)), list(map(json.loads, bodies))
    assert len(sent) == STEPS
    # CrewAI's tools know the task alone.
    assert "You pay bills" in bodies[0] or name == "crewai_crew"
    assert {tool.name for tool in parse(sent[0]).case.context.tools} == {"pay", "find"}
    assert all("continues" in body and "tools" not in body for body in sent[1:])
    assert max(sizes[1:]) < MAX_BYTES_PER_STEP
    assert Action.objects.count() == STEPS
    # What came of each call was told twice, by its report and by the next past, and was the same. Inspect reports in
    # the background, and may propose the next call before: then that is another past of the same conversation.
    assert Trace.objects.values("external_id").distinct().count() == 1
    assert Trace.objects.count() == 1 or name == "inspect_ai_task"


class SilentGuard(FakeGuard):
    """Approves, and gives nobody the permission."""

    def answer(self, request: httpx.Request) -> httpx.Response:
        """What the API would answer, but for the start."""
        if request.url.path.endswith("/execution"):
            time.sleep(30)
        return super().answer(request)


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in LIGHT else needs_frameworks) for n in LOOPS])
def test_an_adapters_time_out_bounds_the_start_too(name: str) -> None:
    with serve_guard(FakeGuard()) as usual, serve_guard(SilentGuard()) as silent:
        tried = run_frameworks(python_with(name) if FRAMEWORKS else sys.executable, "silence", name, usual, silent)
    assert (tried["ran"], len(tried["told"])) == ([], 1)
    assert "not run" in tried["told"][0]
    # One second, what a late answer may take on top of it, and what a busy machine does.
    assert tried["seconds"] < 10


@needs_frameworks
def test_a_tool_that_langgraph_interrupted_is_decided_again_and_runs() -> None:
    fake = FakeGuard()
    with serve_guard(fake) as url:
        tried = run_frameworks(python_with("langchain_agent"), "interrupt", url)
    assert tried == {"begun": 2, "told": ["paid by Ann"]}
    first, again = fake.bodies
    assert first["trace_id"] == "thread-7" != again["trace_id"]


@needs_frameworks
def test_a_tool_node_of_a_graph_of_ones_own_runs_what_was_approved() -> None:
    fake = FakeGuard(edited(amount=3))
    with serve_guard(fake) as url:
        assert run_frameworks(python_with("langchain_agent"), "tool_node", url) == "paid 3"
    check_proposal(fake.bodies[0])
    assert len(fake.bodies[0]["tools"]) == 2


@needs_frameworks
def test_an_agent_within_another_has_conversations_of_its_own_in_their_thread() -> None:
    fake = FakeGuard()
    with serve_guard(fake) as url:
        ran = run_frameworks(python_with("langchain_agent"), "nested", url)
    assert ran == ["inner", "inner", "outer"] * 2
    names: dict[str, list[str]] = {}
    for body in fake.bodies:
        names.setdefault(body["messages"][0]["content"], []).append(body["trace_id"])
    assert names["Pay Daniel $30."] == ["thread-7"] * 2
    # Each time it is asked anew.
    first, again = names["Pay Ann $3."][:2], names["Pay Ann $3."][2:]
    assert all(name.startswith("thread-7/") for name in first)
    assert (len(set(first)), len(set(again)), set(first) & set(again)) == (1, 1, set())
    # What a tool asks for is no word of the user.
    asked = {body["messages"][0]["content"]: parse(body).context.query for body in fake.bodies}
    assert asked == {"Pay Daniel $30.": "Pay Daniel $30.", "Pay Ann $3.": ""}


@needs_frameworks
def test_what_a_guarded_tool_asks_another_agent_is_no_word_of_the_user() -> None:
    fake = FakeGuard()
    with serve_guard(fake) as url:
        assert run_frameworks(python_with("openai_agents_run"), "guarded_agents_as_tools", url) == 4
    asked = {body["input"][0]["content"]: parse(body).context.query for body in fake.bodies}
    assert asked == {"Pay Daniel $30.": "Pay Daniel $30.", "Pay Ann $0.": "", "Pay Ann $1.": ""}


@needs_frameworks
def test_an_agent_that_is_another_ones_tool_has_a_past_of_its_own_each_time_it_is_asked() -> None:
    fake = FakeGuard()
    with serve_guard(fake) as url:
        assert run_frameworks(python_with("openai_agents_run"), "agents_as_tools", url) == 4
    told = [[item.get("content") or item.get("output") or "call" for item in body["input"]] for body in fake.bodies]
    first, again = ["Pay Ann $0."], ["Pay Ann $1."]
    assert told == [first, [*first, "call", "paid 1"], again, [*again, "call", "paid 3"]]
    names = [body["trace_id"] for body in fake.bodies]
    assert (names[0], names[2]) == (names[1], names[3])
    assert names[0] != names[2]
    assert all(name.startswith("group-7/") for name in names)


@needs_frameworks
@pytest.mark.parametrize("name", ["openai_agents_run", "langchain_agent", "google_adk_runner"])
def test_what_a_framework_tells_its_model_in_words_of_its_own_is_reported_as_failed(name: str) -> None:
    fake = FakeGuard()
    with serve_guard(fake) as url:
        told = run_frameworks(python_with(name), "told_failure", name, url)
    (report,) = fake.reports
    assert report["status"] == "failed"
    if name == "openai_agents_run":
        # The second call has no arguments by name, of which nobody could decide.
        assert (told[0], "not run" in told[1], len(fake.bodies)) == (report["outcome"], True, 1)
    if name == "langchain_agent":
        # One approval is for one time, whatever tries again behind the guard.
        assert (told[0], report["outcome"]) == ("once", told[1])
    if name == "google_adk_runner":
        assert told[0] == str(report["outcome"])


@needs_frameworks
def test_a_tool_of_openais_sdk_finds_what_was_approved_in_its_context_too() -> None:
    with serve_guard(FakeGuard(edited(amount=3))) as url:
        found = run_frameworks(python_with("openai_agents_run"), "context", url)
    assert [json.loads(arguments)["amount"] for arguments in found] == [3, 3]


@needs_frameworks
def test_of_equal_calls_of_one_answer_the_later_is_told_of_the_earlier_by_openais_sdk() -> None:
    fake = FakeGuard()
    with serve_guard(fake) as url:
        assert len(run_frameworks(python_with("openai_agents_run"), "repeated_calls", url)) == 2
    # Both are sent at once, and either may arrive first.
    assert sorted(len(body["input"]) for body in fake.bodies) == [1, 2]


@needs_frameworks
@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_a_run_of_openais_sdk_that_stopped_for_an_approval_makes_no_call_as_the_first_again(where: str) -> None:
    fake = FakeGuard()
    with serve_guard(fake) as url:
        assert len(run_frameworks(python_with("openai_agents_run"), "resumed_run", url, where)) == 3
    first, *resumed = fake.bodies
    assert [item.get("role") for item in first["input"]] == ["user"]
    if where == "here":
        # They go on where the guard already is.
        assert {body["trace_id"] for body in resumed} == {first["trace_id"]}
        assert [len(body["input"]) for body in resumed] == [3, 5]
    else:
        assert "user" not in [item.get("role") for body in resumed for item in body["input"]]


@needs_frameworks
def test_what_langchains_middleware_changes_behind_the_guard_does_not_run() -> None:
    fake = FakeGuard()
    with serve_guard(fake) as url:
        replaced, added = run_frameworks(python_with("langchain_agent"), "changing_middleware", url)
    assert "It was not run otherwise" in replaced
    assert "It was not run otherwise" in added
    assert [report["status"] for report in fake.reports] == ["failed", "failed"]


@needs_frameworks
def test_what_a_callback_of_googles_kit_changes_behind_the_guard_is_reported_as_it_ran() -> None:
    fake = FakeGuard()
    with serve_guard(fake) as url:
        ran = run_frameworks(python_with("google_adk_runner"), "changing_callback", url)
    assert ran == [fake.reports[0]["arguments"]] == [{"to": "Daniel", "amount": 999}]


@needs_frameworks
def test_a_tool_of_crewai_gets_its_arguments_typed_and_keeps_what_it_says_of_itself() -> None:
    fake = FakeGuard(edited(again="2026-02-03"))
    with serve_guard(fake) as url:
        tried = run_frameworks(python_with("crewai_crew"), "typed_tools", url)
    assert tried["got"] == ["Decimal('0.10')", "datetime.date(2026, 1, 2)", "datetime.date(2026, 2, 3)"]
    assert tried["kept"] == [2, True]


@needs_frameworks
def test_what_came_of_a_coroutine_of_crewai_is_reported_once_it_has_run() -> None:
    fake = FakeGuard()
    with serve_guard(fake) as url:
        assert run_frameworks(python_with("crewai_crew"), "typed_tools", url)["told"] == "paid 0.10"
    assert [report["outcome"] for report in fake.reports] == ["paid", "paid 0.10"]
