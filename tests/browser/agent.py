"""An agent in a thread of its own, as its developer would write it: submit, wait, obey."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx

from reviews.records.store import tool_to_json
from tests.cast import CONTEXT, WRONG, Cast

SUBMISSION: dict[str, Any] = {
    "trace_id": "conv-42",
    "query": CONTEXT.query,
    "tools": [tool_to_json(tool) for tool in CONTEXT.tools],
    "history": [
        {
            "tool": "search_contacts",
            "arguments": {"name": "Daniel"},
            "outcome": '[{"name": "Daniel Kim", "email": "daniel.kim@example.org"}]',
            "subtask": "Find Daniel",
        }
    ],
    "action": {"tool": WRONG.tool, "arguments": dict(WRONG.arguments), "subtask": WRONG.subtask},
}


def submit(site: str, cast: Cast, **changes: Any) -> dict[str, Any]:
    """Propose a call and return the action."""
    return _request(site, cast, "POST", "/api/v1/actions", json=SUBMISSION | changes)


def submit_and_wait(site: str, cast: Cast, **changes: Any) -> Future[dict[str, Any]]:
    """Propose a call in the background; the result is the action once it is settled."""
    return ThreadPoolExecutor(1).submit(_settled, site, cast, changes)


def execute(site: str, cast: Cast, action: dict[str, Any]) -> dict[str, Any]:
    """Ask for the one-time permission."""
    return _request(site, cast, "POST", f"/api/v1/actions/{action['id']}/execution")


def _settled(site: str, cast: Cast, changes: dict[str, Any]) -> dict[str, Any]:
    action = submit(site, cast, **changes)
    while action["status"] in ("checking", "pending"):
        action = _request(site, cast, "GET", f"/api/v1/actions/{action['id']}?wait=20")
    return action


def _request(site: str, cast: Cast, method: str, path: str, **more: Any) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {cast.agent_secret}"}
    response = httpx.request(method, site + path, headers=headers, timeout=40, **more)
    response.raise_for_status()
    answer: dict[str, Any] = response.json()
    return answer
