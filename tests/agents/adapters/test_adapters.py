"""Each adapter around a real agent of its framework: what is proposed reads as the call, only what was approved runs.

The frameworks need an environment of their own, of some hundred megabytes, which `make test-frameworks` has built.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from reviews.provenance.formats import parse

HERE: Final = Path(__file__).parent
CLIENT: Final = HERE.parents[2] / "reviews/agents/client"
FRAMEWORKS: Final = os.environ.get("FRAMEWORKS_PYTHON", "")
"""The Python of the environment with the frameworks; the tests are skipped without."""
ARGUMENTS: Final = {"to": "Daniel", "amount": 30}

pytestmark = pytest.mark.skipif(not FRAMEWORKS, reason="FRAMEWORKS_PYTHON names no environment with the frameworks")


@pytest.fixture(
    params=["openai_agents", "langchain", "anthropic", "pydantic_ai", "google_adk", "crewai", "inspect_ai"],
    scope="module",
)
def results(request: pytest.FixtureRequest) -> Any:
    """What became of the call of one framework's agent, by the decision."""
    finished = subprocess.run(
        [FRAMEWORKS, "-W", "ignore", HERE / "frameworks.py", request.param],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(CLIENT), "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"},
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout.splitlines()[-1])


def test_what_is_proposed_reads_as_the_call_that_was_made(results: Any) -> None:
    for result in results.values():
        (body,) = result["bodies"]
        case = parse(body).case
        assert (case.action.tool, case.action.arguments) == ("pay", ARGUMENTS)
        assert case.context.query == "Pay Daniel 30."
        assert case.context.history == ()
        assert [tool.name for tool in case.context.tools] == ["pay"]


def test_only_what_was_approved_runs(results: Any) -> None:
    assert {name: result["ran"] for name, result in results.items()} == {
        "approve": [ARGUMENTS],
        "edit": [{**ARGUMENTS, "amount": 3}],
        "reject": [],
    }


def test_the_model_is_told_the_result_or_why_there_is_none(results: Any) -> None:
    assert "paid 30" in results["approve"]["told"]
    assert "paid 3" in results["edit"]["told"]
    assert "Too much." in results["reject"]["told"]


def test_what_came_of_it_is_reported(results: Any, request: pytest.FixtureRequest) -> None:
    if "inspect_ai" in request.node.name:
        pytest.skip("Inspect runs the call behind its approver")
    reports = [result["reports"] for result in results.values()]
    assert [[report["status"] for report in reported] for reported in reports] == [["succeeded"], ["succeeded"], []]
    assert "paid 3" in str(reports[1])
