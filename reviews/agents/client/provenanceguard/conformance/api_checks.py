"""What every client relies on, asked of the guard's API itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import httpx

from ..connections import headers_for, site_address, tls_context
from .results import ARGUMENTS, TOOL, Result, submission

_ACTIONS = "/api/v1/actions"
# Of a forced decision, which no model is asked about; workers may be busy with others' calls.
DECISION_SECONDS = 30


def check_api(url: str, key: str) -> Iterator[Result]:
    """Ask for each promise. `key` has to be a test key of the guard at `url`."""
    options: dict[str, Any] = {"base_url": site_address(url), "headers": headers_for(key), "trust_env": False}
    with httpx.Client(**options, verify=tls_context(url.strip()), timeout=DECISION_SECONDS + 30) as api:
        for name, promise, check in _CHECKS:
            try:
                observed = check(api)
            except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
                observed = repr(error)
            yield Result(name, promise, not observed, observed)


def _submit(api: httpx.Client, forced: Any = None, key: str = "", **fields: Any) -> httpx.Response:
    metadata = {"test_decision": forced} if forced else {}
    headers = {"Idempotency-Key": key or str(uuid4())}
    return api.post(_ACTIONS, json=submission(metadata=metadata, **fields), headers=headers)


def _settled(api: httpx.Client, forced: Any) -> dict[str, Any]:
    """An action that is decided as said."""
    action: dict[str, Any] = _submit(api, forced).raise_for_status().json()
    deadline = time.monotonic() + DECISION_SECONDS
    while action["status"] in ("checking", "pending") and time.monotonic() < deadline:
        action = api.get(f"{_ACTIONS}/{action['id']}", params={"wait": 5}).raise_for_status().json()
    return action


def _execute(api: httpx.Client, action: dict[str, Any], key: str) -> httpx.Response:
    return api.post(f"{_ACTIONS}/{action['id']}/execution", headers={"Idempotency-Key": key})


def _differs(subject: str, expected: Any, observed: Any) -> str:
    return "" if observed == expected else f"{subject}: {observed!r}, not {expected!r}"


def _submission_sent_twice(api: httpx.Client) -> str:
    key = str(uuid4())
    first, second = (_submit(api, "approve", key).raise_for_status().json()["id"] for _ in range(2))
    return _differs("the second action", first, second)


def _key_of_another_body(api: httpx.Client) -> str:
    key = str(uuid4())
    _submit(api, "approve", key).raise_for_status()
    return _differs("status", 422, _submit(api, "reject", key).status_code)


def _call_named_twice(api: httpx.Client) -> str:
    trace, statuses = f"conformance-{uuid4()}", []
    for amount in (30, 31):
        call = {"tool": TOOL, "arguments": {**ARGUMENTS, "amount": amount}, "tool_call_id": "c1"}
        statuses.append(_submit(api, "approve", trace_id=trace, action=call).status_code)
    return _differs("status of the second", 409, statuses[1])


def _permission_asked_twice(api: httpx.Client) -> str:
    action, key = _settled(api, "approve"), str(uuid4())
    first, second = (_execute(api, action, key).raise_for_status().json() for _ in range(2))
    return _differs("the second permission", first, second)


def _permission_for_another(api: httpx.Client) -> str:
    action = _settled(api, "approve")
    _execute(api, action, str(uuid4())).raise_for_status()
    return _differs("status", 409, _execute(api, action, str(uuid4())).status_code)


def _permission_for_refused(api: httpx.Client) -> str:
    refused = (_settled(api, forced) for forced in ("reject", "respond", "expire"))
    return _differs("statuses", [409] * 3, [_execute(api, action, str(uuid4())).status_code for action in refused])


def _cancelled_behind_decision(api: httpx.Client) -> str:
    action = _settled(api, "approve")
    return _differs("status", 409, api.post(f"{_ACTIONS}/{action['id']}/cancel").status_code)


def _decided_behind_cancellation(api: httpx.Client) -> str:
    action = _submit(api, {"outcome": "approve", "after": 1}).raise_for_status().json()
    api.post(f"{_ACTIONS}/{action['id']}/cancel").raise_for_status()
    # Until behind the time at which it would have been decided.
    time.sleep(2)
    read = api.get(f"{_ACTIONS}/{action['id']}").raise_for_status().json()
    return _differs("status and decision", ("cancelled", None), (read["status"], read["decision"]))


def _marked_as_test(api: httpx.Client) -> str:
    return _differs("is_test", True, _submit(api, "approve").raise_for_status().json()["is_test"])


_CHECKS: tuple[tuple[str, str, Callable[[httpx.Client], str]], ...] = (
    ("same key", "the same Idempotency-Key and body are the same action", _submission_sent_twice),
    ("key misused", "an Idempotency-Key with another body is refused", _key_of_another_body),
    ("same call id", "another call under the same trace_id and tool_call_id is refused", _call_named_twice),
    ("same permission", "a permission that is asked for again with its key is the same one", _permission_asked_twice),
    ("one permission", "nobody else is given the permission once more", _permission_for_another),
    ("no permission", "what was rejected, answered or expired has none", _permission_for_refused),
    ("cancelled late", "a decided action cannot be cancelled", _cancelled_behind_decision),
    ("decided late", "a cancelled action is not decided any more", _decided_behind_cancellation),
    ("marked", "what a test key proposes is marked as a test", _marked_as_test),
)
