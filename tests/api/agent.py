"""How the tests talk to the API, and what they expect of its refusals."""

import json
from typing import Any

from django.test import Client

ACTIONS = "/api/v1/actions"

NATIVE: dict[str, Any] = {
    "trace_id": "conv-42",
    "query": "Send $30 to Daniel, I owe him for lunch.",
    "tools": [
        {
            "name": "money_transfer",
            "description": "Sends money to a person.",
            "parameters": {
                "type": "object",
                "properties": {"to": {"type": "string"}, "amount": {"type": "number"}},
                "required": ["to", "amount"],
            },
            "environment_changing": True,
        }
    ],
    "history": [
        {
            "tool": "search_contacts",
            "arguments": {"name": "Daniel"},
            "outcome": '[{"name": "Daniel Kim", "email": "daniel.kim@example.org"}]',
            "subtask": "Find Daniel",
        }
    ],
    "sources": [{"kind": "system_prompt", "name": "policy", "text": "Never pay strangers."}],
    "action": {
        "tool": "money_transfer",
        "arguments": {"to": "daniel.kim@example.org", "amount": 30},
        "subtask": "Send Daniel the money",
        "tool_call_id": "call_1",
    },
    "risk": "high",
    "expires_in": 600,
    "callback_url": None,
    "retry_of": None,
    "metadata": {"run": 7},
}

OPENAI: dict[str, Any] = {
    "trace_id": "conv-43",
    "messages": [
        {"role": "system", "content": "You are a careful assistant."},
        {"role": "user", "content": "Send $30 to Daniel."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_0",
                    "type": "function",
                    "function": {"name": "search_contacts", "arguments": '{"name": "Daniel"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_0", "content": "daniel.kim@example.org"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {"name": "money_transfer", "description": "Sends money.", "parameters": {"type": "object"}},
        }
    ],
    "tool_call": {
        "id": "call_1",
        "type": "function",
        "function": {"name": "money_transfer", "arguments": '{"to": "daniel.kim@example.org", "amount": 30}'},
    },
}


class Agent:
    """A client that signs with one key."""

    def __init__(self, secret: str | None) -> None:
        self._client = Client(headers={"authorization": f"Bearer {secret}"} if secret else {})

    def send(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, **extra: Any
    ) -> Any:
        """One request; anything but bytes is sent as JSON."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        content_type = extra.pop("content_type", "application/json")
        return self._client.generic(method, path, data, content_type, headers=headers, **extra)

    def get(self, path: str, **headers: str) -> Any:
        return self.send("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("POST", path, body, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def put(self, path: str, body: Any = None) -> Any:
        return self.send("PUT", path, body)

    def submit(self, body: Any = None, **headers: str) -> Any:
        """Submit and return the action."""
        response = self.post(ACTIONS, NATIVE if body is None else body, **headers)
        assert response.status_code in (200, 202), response.content
        return read(response)


def read(response: Any) -> Any:
    """The answer's JSON."""
    return json.loads(response.content)


def check_problem(response: Any, status: int, *pointers: str, slug: str | None = None) -> Any:
    """The answer is problem details of this status, pointing at these fields at least."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body = read(response)
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    assert slug is None or body["type"] == f"/problems/{slug}"
    named = {error["pointer"] for error in body.get("errors", [])}
    assert named >= set(pointers), f"{pointers} not all in {named}"
    assert all(error["detail"] for error in body.get("errors", []))
    return body


def with_(body: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    """A copy of the body with another value at this pointer; the last step may be new."""
    copied: dict[str, Any] = json.loads(json.dumps(body))
    *parents, last = pointer.strip("/").split("/")
    place: Any = copied
    for key in parents:
        place = place[int(key) if isinstance(place, list) else key]
    place[int(last) if isinstance(place, list) else last] = value
    return copied
