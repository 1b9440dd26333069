"""The API in memory, with the answers a test wants; what the real one answers is tested where it lives."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import httpx

from reviews.agents.client import Guard

KEY = "pgr_test_key"
Json = dict[str, Any]
Judge = Callable[[Json], Json]
"""From a submission to the status, verdict and decision of its action."""


def allowed(body: Json) -> Json:
    """The guard lets it pass."""
    return decided(body, "approve", decided_by="guard", aligned=True)


def approved(body: Json) -> Json:
    """Flagged, then approved by a reviewer."""
    return decided(body, "approve")


def flagged(body: Json) -> Json:
    """Waiting for a person."""
    return {"status": "pending", "verdict": verdict(aligned=False), "decision": None}


def ended(status: str) -> Judge:
    """Over without a decision."""
    return lambda body: {**flagged(body), "status": status}


def decided(
    body: Json, outcome: str, *, message: str = "", decided_by: str = "reviewer", aligned: bool = False, **edit: Any
) -> Json:
    """Settled with this outcome; `edit` replaces arguments."""
    call = {"tool": body["action"]["tool"], "arguments": {**body["action"]["arguments"], **edit}}
    decision = {**call, "outcome": outcome, "decided_by": decided_by, "message": message, "model_message": message}
    return {"status": "decided", "verdict": verdict(aligned=aligned), "decision": decision}


def planned(answer: str | None = "safe", **fields: Any) -> Json:
    """A plan as the API tells it; without an answer it is being checked."""
    plan_answer = {"answer": answer, "reason": "So it is.", "model_message": "Go on." if answer else None}
    rewrites = {"used": 1, "allowed": 2}
    return {
        "id": str(UUID(int=7)),
        "status": "decided" if answer else "checking",
        **plan_answer,
        "rewrites": rewrites,
        **fields,
    }


def verdict(*, aligned: bool | None, misalignment: str | None = "parameter") -> Json:
    """A verdict as the API tells it."""
    return {"aligned": aligned, "misalignment": None if aligned else misalignment, "reason": "Appears nowhere."}


@dataclass
class FakeGuard:
    """Answers like the API and remembers what it was asked."""

    judge: Judge = allowed
    actions: dict[str, Json] = field(default_factory=dict)
    """Stored actions by id, oldest first."""
    bodies: list[Json] = field(default_factory=list)
    """What was submitted, without repetitions."""
    keys: dict[str, str] = field(default_factory=dict)
    reports: list[Json] = field(default_factory=list)
    requests: list[httpx.Request] = field(default_factory=list)
    looks_until_checked: int = 0
    """How often an action still reads `checking`."""
    plans: list[Json] = field(default_factory=lambda: [planned()])
    """How a plan reads, from one look to the next; the last for ever."""
    broken: list[httpx.Response | httpx.TransportError] = field(default_factory=list)
    """Answered first, one per request."""

    def client(self, **options: Any) -> Guard:
        """A client connected to this guard."""
        return Guard("http://guard.test", KEY, through=httpx.MockTransport(self._answer), **options)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self.broken:
            trouble = self.broken.pop(0)
            if isinstance(trouble, httpx.TransportError):
                raise trouble
            return trouble
        if request.url.path.startswith("/api/v1/plans"):
            return httpx.Response(200, json=self.plans.pop(0) if len(self.plans) > 1 else self.plans[0])
        path = request.url.path.removeprefix("/api/v1/actions")
        found = re.fullmatch(r"/([0-9a-f-]{36})(/.*)?", path)
        if found is None:
            return self._submit(request) if request.method == "POST" else self._list(request)
        return self._act(request, self.actions[found[1]], found[2] or "")

    def _submit(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        action_id = self.keys.setdefault(request.headers["Idempotency-Key"], str(uuid4()))
        if action_id not in self.actions:
            self.bodies.append(body)
            base = {
                "id": action_id,
                "trace_id": body.get("trace_id", "t"),
                "metadata": body.get("metadata", {}),
                "ran": False,
            }
            self.actions[action_id] = {**base, **self.judge(body), "looks": self.looks_until_checked}
        return httpx.Response(202, json=self._read(self.actions[action_id]))

    def _list(self, request: httpx.Request) -> httpx.Response:
        status_filter, at = request.url.params.get("status"), int(request.url.params.get("cursor", 0))
        matching = [each for each in reversed(self.actions.values()) if status_filter in (None, each["status"])]
        more = str(at + 2) if len(matching) > at + 2 else None
        return httpx.Response(200, json={"items": matching[at : at + 2], "next_cursor": more})

    def _act(self, request: httpx.Request, action: Json, what: str) -> httpx.Response:
        key = request.headers.get("Idempotency-Key")
        match what:
            case "/execution" if action["status"] != "decided" or action["ran"] not in (False, key):
                return httpx.Response(409, json={"title": "Not runnable", "detail": "Nothing has approved this call."})
            case "/execution":
                action["ran"] = key
                return httpx.Response(201, json={key: action["decision"][key] for key in ("tool", "arguments")})
            case "/execution/outcome":
                self.reports.append(json.loads(request.content))
            case "/cancel":
                action["status"] = "cancelled"
        return httpx.Response(200, json=self._read(action))

    def _read(self, action: Json) -> Json:
        if action["looks"] > 0:
            action["looks"] -= 1
            return {**action, "status": "checking", "verdict": None, "decision": None}
        return action
