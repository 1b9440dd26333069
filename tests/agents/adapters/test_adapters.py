"""Each quickstart with its real framework: what is proposed reads as the call, and only what was approved runs.

Most frameworks need environments of their own, of some hundred megabytes, which `make test-frameworks` has built.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

from reviews.agents.client.provenanceguard.conformance.client_checks import SCENARIOS
from reviews.agents.client.provenanceguard.testing import FakeGuard, Judge, approved, edited, rejected
from reviews.provenance.formats import parse
from reviews.workspaces import agent_keys
from tests import stack
from tests.agents.guard_site import serve_guard
from tests.cast import make_cast

HERE: Final = Path(__file__).parent
CLIENT: Final = HERE.parents[2] / "reviews/agents/client"
FRAMEWORKS: Final = os.environ.get("FRAMEWORKS", "")
"""The folder with an environment for each; what needs one is skipped without."""
ARGUMENTS: Final = {"to": "Daniel", "amount": 30}
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


@dataclass(frozen=True)
class Trials:
    """What became of one quickstart's call under each decision, with what its guard was sent."""

    fakes: dict[str, FakeGuard]
    results: dict[str, Any]


@cache
def try_quickstarts(python: str, names: tuple[str, ...]) -> dict[str, Trials]:
    """The quickstarts under each decision, in one process because its libraries take seconds to import."""
    fakes = {name: {decision: FakeGuard(judge) for decision, judge in DECISIONS.items()} for name in names}
    with ExitStack() as sites:
        urls = {name: [sites.enter_context(serve_guard(fake)) for fake in fakes[name].values()] for name in names}
        answers = run_frameworks(python, "decisions", json.dumps(urls))
    return {name: Trials(fakes[name], dict(zip(DECISIONS, answers[name], strict=True))) for name in names}


@pytest.fixture(params=[pytest.param(name, marks=() if name in LIGHT else needs_frameworks) for name in PACKAGES])
def trials(request: pytest.FixtureRequest) -> Trials:
    if not FRAMEWORKS:
        return try_quickstarts(sys.executable, LIGHT)[request.param]
    return try_quickstarts(python_with(request.param), (request.param,))[request.param]


def test_a_quickstart_runs_what_was_approved_and_tells_the_model_and_the_guard(
    trials: Trials,
) -> None:
    ran = {decision: result["ran"] for decision, result in trials.results.items()}
    assert ran == {"approve": [ARGUMENTS], "edit": [{**ARGUMENTS, "amount": 3}], "reject": []}
    for decision, words in (("approve", "paid 30"), ("edit", "paid 3"), ("reject", "Too much.")):
        (told,) = trials.results[decision]["told"]
        assert words in told
    reports = [fake.reports for fake in trials.fakes.values()]
    assert [[report["status"] for report in reported] for reported in reports] == [["succeeded"], ["succeeded"], []]
    assert "paid 3" in str(reports[1])
    for fake in trials.fakes.values():
        (body,) = fake.bodies
        case = parse(body).case
        assert (case.action.tool, case.action.arguments) == ("pay", ARGUMENTS)
        assert "Pay Daniel $30." in case.context.query
        assert case.context.history == ()
        assert [tool.name for tool in case.context.tools] == ["pay"]


@pytest.fixture
def running(transactional_db: None) -> Iterator[tuple[str, str]]:
    """The address of a guard, and a test key of it."""
    key = agent_keys.create_key(make_cast().workspace, name="ci", is_test=True).secret
    with stack.worker(pool="threads", processes="2"), stack.web() as url:
        yield url, key


@needs_frameworks
@pytest.mark.timeout(1800)
def test_every_adapter_keeps_every_promise_of_the_conformance_kit(running: tuple[str, str]) -> None:
    broken = {}
    for name in PACKAGES:
        results = run_frameworks(python_with(name), "scenarios", name, *running)
        assert len(results) == len(SCENARIOS)
        broken[name] = {result["name"]: result["observed"] for result in results if not result["has_held"]}
    assert {name: failures for name, failures in broken.items() if failures} == {}
