"""The quickstarts on the documentation page. Those in Python are run by `tests/agents/adapters/test_quickstarts.py`."""

import html
import json
import os
import re
import subprocess
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from reviews.agents.client.provenanceguard.testing import FakeGuard, Judge, approved, edited, rejected
from reviews.api.docs.quickstarts import ADDRESS, FOLDER, KEY, QUICKSTARTS
from reviews.provenance.formats import parse
from tests.agents.guard_site import serve_guard
from tests.api.agent import Agent, read
from tests.jobs import run_checks

MAX_LINES = 10


def test_every_file_is_shown_whole_with_this_guards_address() -> None:
    page = Client().get("/api/v1/docs/").content.decode()
    shown = html.unescape(re.sub(r"</?span[^>]*>", "", page))
    assert {quickstart.file for quickstart in QUICKSTARTS} == {path.name for path in FOLDER.iterdir() if path.is_file()}
    for quickstart in QUICKSTARTS:
        text = (FOLDER / quickstart.file).read_text().strip()
        assert len([line for line in text.splitlines() if line]) <= MAX_LINES
        assert text.replace(ADDRESS, settings.GUARD.public_url) in shown
    assert page.count(f'<span data-agent-key="{KEY}">{KEY}</span>') >= len(QUICKSTARTS)


def run_curl(block: str, url: str, action_id: str) -> Any:
    """What one command answers, as a reader pastes it into a shell."""
    command = block.replace(ADDRESS, url).replace(KEY, "pgr_test_key")
    environment = {**os.environ, "ACTION": action_id, "no_proxy": "*"}
    finished = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=True)
    return json.loads(finished.stdout)


@pytest.mark.parametrize(
    ("judge", "runs_with"),
    [(approved, 30), (edited(amount=3), 3), (rejected(), None)],
    ids=["approve", "edit", "reject"],
)
def test_with_curl_a_call_is_proposed_awaited_and_permitted(judge: Judge, runs_with: int | None) -> None:
    propose, wait, execute, report = (FOLDER / "curl.sh").read_text().split("\n\n")
    fake = FakeGuard(judge, looks_until_checked=1)
    with serve_guard(fake) as url:
        proposed = run_curl(propose, url, "")
        assert proposed["status"] == "checking"
        assert run_curl(wait, url, proposed["id"])["status"] == "decided"
        permission = run_curl(execute, url, proposed["id"])
        if runs_with is not None:
            run_curl(report, url, proposed["id"])
            assert fake.reports == [{"status": "succeeded", "outcome": "Paid."}]
    assert parse(fake.bodies[0]).case.action.arguments == {"to": "Daniel", "amount": 30}
    assert permission.get("arguments", {}).get("amount") == runs_with


def test_the_call_that_curl_proposes_is_approved_and_its_outcome_kept(agent: Agent) -> None:
    """By rules alone, with everything as the page shows it."""
    propose, _, _, report = (FOLDER / "curl.sh").read_text().split("\n\n")
    body, outcome = (json.loads(re.findall(r"-d '(.*)'", block, re.DOTALL)[0]) for block in (propose, report))
    action = agent.submit(body)
    run_checks(action["id"])
    assert read(agent.get(action["links"]["self"]))["decision"]["outcome"] == "approve"
    execution = f"{action['links']['self']}/execution"
    assert agent.post(execution, {}).status_code == 201
    assert agent.put(f"{execution}/outcome", outcome).status_code == 200
