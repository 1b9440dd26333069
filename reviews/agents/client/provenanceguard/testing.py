"""A guard in memory for the tests of an agent: it answers like the API, with the decisions that a test wants.

```python
fake = FakeGuard(rejected("Too much."))
guard = fake.guard()
```
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, TypeAlias
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

import httpx

from .asynchronous import AsyncGuard
from .payloads import FORMATS, read_call
from .synchronous import Guard

KEY = "pgr_test_key"
JsonObject: TypeAlias = "dict[str, Any]"
Judge: TypeAlias = Callable[[JsonObject], JsonObject]
"""From a submission to the status, verdict and decision of its action."""
_NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def allowed(body: JsonObject) -> JsonObject:
    """The guard lets it pass."""
    return decided(body, "approve", decided_by="guard", aligned=True)


def approved(body: JsonObject) -> JsonObject:
    """Flagged, then approved by a reviewer."""
    return decided(body, "approve")


def edited(**arguments: Any) -> Judge:
    """Approved with other arguments."""
    return lambda body: decided(body, "edit", **arguments)


def rejected(message: str = "No.") -> Judge:
    """Rejected by a reviewer."""
    return lambda body: decided(body, "reject", message=message)


def responded(message: str) -> Judge:
    """A reviewer answers instead."""
    return lambda body: decided(body, "respond", message=message)


def flagged(body: JsonObject) -> JsonObject:
    """Waiting for a person."""
    judged = verdict(aligned=False)
    return {"status": "pending", "waits_because": judged["reason"], "verdict": judged, "decision": None}


def ended(status: str) -> Judge:
    """Over without a decision: `expired`, `cancelled` or `superseded`."""
    return lambda body: {**flagged(body), "status": status, "waits_because": None}


def proposed_call(body: JsonObject) -> tuple[JsonObject, str]:
    """Tool and arguments that a submission proposes, and the call's id."""
    form = next(name for name in FORMATS if name in body)
    call, call_id = read_call(body[form])
    return {"tool": call.tool, "arguments": dict(call.arguments)}, call_id


def decided(
    body: JsonObject,
    outcome: str,
    *,
    message: str = "",
    decided_by: str = "reviewer",
    aligned: bool = False,
    tool: str = "",
    **edit: Any,
) -> JsonObject:
    """Settled with this outcome; `edit` replaces arguments, and `tool` the tool."""
    call, _ = proposed_call(body)
    decision = {
        "id": str(uuid4()),
        "outcome": outcome,
        "decided_by": decided_by,
        "tool": tool or call["tool"],
        "arguments": {**call["arguments"], **edit},
        "digest": "0" * 64,
        "message": message,
        "interpretation": None,
        "model_message": message,
        "decided_at": _NOW.isoformat(),
        "executable_until": (_NOW + timedelta(days=1)).isoformat(),
    }
    return {"status": "decided", "verdict": verdict(aligned=aligned), "decision": decision}


def planned(answer: str | None = "safe", **fields: Any) -> JsonObject:
    """A plan as the API tells it; without an answer it is being checked."""
    return {
        "id": str(UUID(int=7)),
        "trace_id": "t",
        "status": "decided" if answer else "checking",
        "answer": answer,
        "reason": "So it is.",
        "model_message": "Go on." if answer else None,
        "rewrites": {"used": 1, "allowed": 2},
        "steps": [],
        "findings": [],
        "created_at": _NOW.isoformat(),
        "links": {"self": f"/api/v1/plans/{UUID(int=7)}"},
        **fields,
    }


def verdict(*, aligned: bool | None, misalignment: str | None = "parameter") -> JsonObject:
    """A verdict as the API tells it."""
    return {
        "aligned": aligned,
        "misalignment": None if aligned else misalignment,
        "reason": "Appears nowhere.",
        "detector": "provenance-guard",
        "detector_version": "1",
        "judge": "rules",
        "prompts": {},
        "usage": {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "cost_usd": 0.0},
        "seconds": 0.1,
        "score": None,
        "findings": [],
        "interpretations": [],
    }


# Where submissions have what came before the call. The guard refuses one without: the field may be misspelt.
_PASTS = frozenset({"query", "messages", "input", "contents", "request", "continues"})


@dataclass
class FakeGuard:
    """Answers like the API and remembers what it was asked."""

    judge: Judge = allowed
    actions: dict[str, JsonObject] = field(default_factory=dict)
    """Stored actions by id, oldest first."""
    bodies: list[JsonObject] = field(default_factory=list)
    """What was submitted, without repetitions."""
    keys: dict[str, str] = field(default_factory=dict)
    """Which action each idempotency key stands for."""
    names: dict[tuple[str, ...], str] = field(default_factory=dict)
    """Which action each call stands for that has a `trace_id` and an id."""
    reports: list[JsonObject] = field(default_factory=list)
    """What came of the calls."""
    requests: list[httpx.Request] = field(default_factory=list)
    looks_until_checked: int = 0
    """How often an action still reads `checking`."""
    plans: list[JsonObject] = field(default_factory=lambda: [planned()])
    """How a plan reads, from one look to the next; the last for ever."""
    broken: list[httpx.Response | httpx.TransportError] = field(default_factory=list)
    """Answered first, one per request."""

    def guard(self, **options: Any) -> Guard:
        """A client for threads, connected to this guard."""
        return Guard("http://guard.test", KEY, transport=httpx.MockTransport(self.answer), **options)

    def async_guard(self, **options: Any) -> AsyncGuard:
        """A client for asyncio, connected to this guard."""
        return AsyncGuard("http://guard.test", KEY, transport=httpx.MockTransport(self.answer), **options)

    def answer(self, request: httpx.Request) -> httpx.Response:
        """What the API would answer to this request."""
        self.requests.append(request)
        if self.broken:
            trouble = self.broken.pop(0)
            if isinstance(trouble, httpx.TransportError):
                raise trouble
            return trouble
        if request.url.path.startswith("/api/v1/plans"):
            return httpx.Response(200, json=self.plans.pop(0) if len(self.plans) > 1 else self.plans[0])
        path = request.url.path[len("/api/v1/actions") :]
        matched = re.fullmatch(r"/([0-9a-f-]{36})(/.*)?", path)
        if matched is None:
            return self._submit(request) if request.method == "POST" else self._list(request)
        return self._act(request, self.actions[matched[1]], matched[2] or "")

    def _submit(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if not _PASTS & body.keys():
            return _unusable("", f"What came before stands in {' or '.join(sorted(_PASTS))}.")
        try:
            call, call_id = proposed_call(body)
        except ValueError:
            form = next(name for name in FORMATS if name in body)
            return _unusable(f"/{form}/arguments", "Must be a JSON object, as text.")
        key, trace_id = request.headers["Idempotency-Key"], body.get("trace_id")
        name = (str(trace_id), call_id, str(body.get("retry_of"))) if trace_id and call_id else (key,)
        action_id = self.keys.setdefault(key, self.names.setdefault(name, str(uuid4())))
        named = self.actions.get(action_id)
        if named is not None and {"tool": named["tool"], "arguments": named["arguments"]} != call:
            return _conflict("duplicate-call", "Another call of this name", action=action_id)
        if named is None:
            self.bodies.append(body)
            judged = {**self._proposal(action_id, body), "ran": False, **self.judge(body)}
            self.actions[action_id] = {**judged, "looks": self.looks_until_checked}
        return httpx.Response(202, json=self._read(self.actions[action_id]))

    def _proposal(self, action_id: str, body: JsonObject) -> JsonObject:
        call, call_id = proposed_call(body)
        path = f"/api/v1/actions/{action_id}"
        links = {"self": path, "execution": f"{path}/execution", "outcome": f"{path}/execution/outcome"}
        return {
            **call,
            "id": action_id,
            "digest": "0" * 64,
            "trace_id": body.get("trace_id") or "t",
            "subtask": body.get("subtask", ""),
            "tool_call_id": call_id,
            "risk": body.get("risk", "medium"),
            "retry_of": body.get("retry_of"),
            "attempt": 1,
            "metadata": body.get("metadata", {}),
            "is_test": True,
            "created_at": _NOW.isoformat(),
            "expires_at": (_NOW + timedelta(days=1)).isoformat(),
            "settled_at": None,
            "waits_because": None,
            "links": {
                **links,
                "provenance": f"{path}/provenance",
                "cancel": f"{path}/cancel",
                "review": f"/actions/{action_id}",
            },
        }

    def _list(self, request: httpx.Request) -> httpx.Response:
        query, start = request.url.params, int(request.url.params.get("cursor", 0))
        wanted = {name: query[name] for name in ("status", "tool_call_id", "trace_id") if name in query}
        matching = [action for action in reversed(self.actions.values()) if wanted.items() <= action.items()]
        more = str(start + 2) if len(matching) > start + 2 else None
        return httpx.Response(200, json={"items": matching[start : start + 2], "next_cursor": more})

    def _act(self, request: httpx.Request, action: JsonObject, path: str) -> httpx.Response:
        key = request.headers.get("Idempotency-Key")
        if path == "/execution":
            return self._execute(action, key)
        if path == "/user-confirmation":
            return self._ask_user(action)
        if path == "/execution/outcome":
            self.reports.append(json.loads(request.content))
        if path == "/cancel":
            if action["status"] not in ("pending", "checking"):
                return _conflict("not-open", "The action was decided.")
            action.update(status="cancelled", waits_because=None)
        return httpx.Response(200, json=self._read(action))

    def _ask_user(self, action: JsonObject) -> httpx.Response:
        if action["status"] != "pending":
            return _conflict("not-open", "The call does not wait.")
        url = f"http://guard.test/confirm/{action['id']}"
        return httpx.Response(200, json={"url": url, "expires_at": action["expires_at"]})

    def _execute(self, action: JsonObject, key: str | None) -> httpx.Response:
        runnable = action["status"] == "decided" and action["decision"]["outcome"] in ("approve", "edit")
        if not runnable:
            return _conflict("not-runnable", "Nothing has approved this call.")
        if action["ran"] not in (False, key):
            return _conflict("already-executed", "The permission was handed out before.")
        action["ran"] = key
        decision = action["decision"]
        return httpx.Response(
            201,
            json={
                "id": str(uuid5(NAMESPACE_OID, action["id"])),
                "action_id": action["id"],
                "decision_id": decision["id"],
                "tool": decision["tool"],
                "arguments": decision["arguments"],
                "digest": decision["digest"],
                "started_at": _NOW.isoformat(),
                "status": "started",
                "reported_at": None,
                "replaced_characters": 0,
                "deviates": False,
            },
        )

    def _read(self, action: JsonObject) -> JsonObject:
        if action["looks"] > 0:
            action["looks"] -= 1
            return {**action, "status": "checking", "waits_because": None, "verdict": None, "decision": None}
        return action


def _unusable(pointer: str, detail: str) -> httpx.Response:
    errors = [{"pointer": pointer, "detail": detail}]
    return httpx.Response(422, json={"title": "Unprocessable Content", "errors": errors})


def _conflict(slug: str, detail: str, **members: str) -> httpx.Response:
    return httpx.Response(409, json={"type": f"/problems/{slug}", "title": slug, "detail": detail, **members})
