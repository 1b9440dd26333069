"""A guard in memory for the tests of an agent: it answers like the API, with the decisions that a test wants.

```python
fake = FakeGuard(rejected("Too much."))
guard = fake.guard()
```
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, TypeAlias
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

import httpx

from .asynchronous import AsyncGuard
from .endpoints import ACTIONS, EVENTS
from .payloads import FORMATS, FREE_TEXT_TYPES, read_call, written_arguments
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
    return {"status": "decided", "waits_because": None, "verdict": verdict(aligned=aligned), "decision": decision}


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

# Whose arguments are an object; those of all others may be text that holds one.
_WRITTEN_AS_OBJECT = frozenset({"action", "call", "tool_use"})
_SCHEMAS = ("parameters", "inputSchema", "input_schema", "args_schema")


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
    events: list[JsonObject] = field(default_factory=list)
    """What the feed has told of the actions, oldest first."""
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
        if request.url.path == EVENTS:
            return self._tell_events(request)
        action_id, _, path = request.url.path[len(f"{ACTIONS}/") :].partition("/")
        if not action_id:
            return self._submit(request) if request.method == "POST" else self._list(request)
        if action_id not in self.actions:
            detail = "There is no such action of this agent."
            return httpx.Response(404, json={"type": "/problems/not-found", "title": "Not found", "detail": detail})
        return self._act(request, self.actions[action_id], path)

    def _submit(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if not _PASTS & body.keys():
            return _unusable("", f"What came before stands in {' or '.join(sorted(_PASTS))}.")
        form = next(name for name in FORMATS if name in body)
        if trouble := _trouble_with_arguments(form, body):
            return _unusable(f"/{form}/arguments", trouble)
        call, call_id = proposed_call(body)
        key, trace_id = request.headers["Idempotency-Key"], body.get("trace_id")
        name = (str(trace_id), call_id, str(body.get("retry_of"))) if trace_id and call_id else (key,)
        action_id = self.keys.setdefault(key, self.names.setdefault(name, str(uuid4())))
        existing = self.actions.get(action_id)
        if existing is not None and {"tool": existing["tool"], "arguments": existing["arguments"]} != call:
            return _conflict("duplicate-call", "Another call of this name", action=action_id)
        if existing is None:
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

    def _tell_events(self, request: httpx.Request) -> httpx.Response:
        """The feed behind a place, as a page or as a stream, which ends where no more has happened."""
        self._note_events()
        query = request.url.params
        after = request.headers.get("Last-Event-ID") or query.get("after", "")
        wanted = {name: query[name] for name in ("agent", "status", "tool_call_id", "trace_id") if name in query}
        behind = [] if after == "latest" else [event for event in self.events if event["id"] > after]
        events = [event for event in behind if wanted.items() <= event["data"].items()]
        end = self.events[-1]["id"] if self.events else after
        if "text/event-stream" not in request.headers.get("Accept", ""):
            return httpx.Response(200, json={"items": events, "cursor": end, "has_more": False})
        lines = [f"id: {event['id']}\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
        stream = "".join([*lines, f"id: {end}\n\n"])
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, text=stream)

    def _note_events(self) -> None:
        """Note what became of each action since the last look: a test may have decided on it itself."""
        last = {event["data"]["id"]: event["data"]["status"] for event in self.events}
        for action in self.actions.values():
            if action["status"] not in ("checking", last.get(action["id"])):
                self.events.append(_event(f"{len(self.events) + 1:048x}", action))

    def _act(self, request: httpx.Request, action: JsonObject, path: str) -> httpx.Response:
        key = request.headers.get("Idempotency-Key")
        if path == "execution":
            return self._execute(action, key)
        if path == "user-confirmation":
            return self._ask_user(action)
        if path == "execution/outcome":
            self.reports.append(json.loads(request.content))
        if path == "cancel":
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


def _event(event_id: str, action: JsonObject) -> JsonObject:
    status, decision = action["status"], action["decision"] or {}
    copied = {
        name: action[name] for name in ("id", "status", "trace_id", "tool_call_id", "tool", "metadata", "expires_at")
    }
    links = {name: f"http://guard.test{action['links'][name]}" for name in ("self", "review")}
    decided_as = {"outcome": decision.get("outcome"), "decided_by": decision.get("decided_by")}
    kind = "action.waiting" if status == "pending" else f"action.{status}"
    data = {**copied, **decided_as, "agent": "agent", "links": links}
    return {"id": event_id, "type": kind, "timestamp": _NOW.isoformat(), "data": data}


def _trouble_with_arguments(form: str, body: JsonObject) -> str:
    """What the API would find wrong with the arguments as the model wrote them; empty where nothing is."""
    described, raw = body[form], written_arguments(body[form])
    if described.get("type") in FREE_TEXT_TYPES:
        return ""
    if isinstance(raw, str) and form in _WRITTEN_AS_OBJECT:
        return "Must be an object."
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        is_meant = _takes_nothing(body, read_call({**described, "arguments": {}})[0].tool)
        return "" if is_meant else "This field is required; {} stands for a call without arguments."
    try:
        arguments = json.loads(raw) if isinstance(raw, str) else raw
    except ValueError:
        arguments = None
    return "" if isinstance(arguments, dict) else "Must be a JSON object, as text."


def _takes_nothing(body: JsonObject, tool: str) -> bool:
    """Whether a call of the tool may leave its arguments out: its schema says that there are none."""
    schemas = [
        document[name] for document in _documents(body.get("tools"), tool) for name in _SCHEMAS if document.get(name)
    ]
    return bool(schemas) and not any(schema.get("properties") for schema in schemas)


def _documents(listed: Any, tool: str) -> Iterator[JsonObject]:
    """The documents of this tool, in any of the shapes in which tools are listed."""
    if isinstance(listed, dict) and listed.get("name") == tool:
        yield listed
    elif isinstance(listed, (list, dict)):
        for inner in listed.values() if isinstance(listed, dict) else listed:
            yield from _documents(inner, tool)


def _unusable(pointer: str, detail: str) -> httpx.Response:
    errors = [{"pointer": pointer, "detail": detail}]
    return httpx.Response(422, json={"title": "Unprocessable Content", "errors": errors})


def _conflict(slug: str, detail: str, **members: str) -> httpx.Response:
    return httpx.Response(409, json={"type": f"/problems/{slug}", "title": slug, "detail": detail, **members})
