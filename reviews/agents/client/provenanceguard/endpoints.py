"""The API's endpoints, a coroutine each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import uuid4

import httpx

from .connections import Connections, read_answer
from .deadlines import deadline_after, rest_of
from .errors import ProblemError
from .payloads import beginning_of, json_body, outcome_json, to_json
from .sent_history import SentConversations
from .typed_json import read_object
from .values import Action, EventPage, Execution, Page, Provenance, Submission, UserConfirmation

# Longest single wait asked of the server; a longer one is made of several. Half of what a server allows unless it is
# configured otherwise, and well below the minute after which many proxies give up on an idle answer.
POLL_SECONDS = 30
# How long a guard that cannot be reached is tried again: a server of one machine comes back within that, and an outage
# is told before an agent's user gives up.
PATIENCE_SECONDS = 20.0
TOO_LARGE = 413
UNPROCESSABLE = 422
ACTIONS = "/api/v1/actions"
EVENTS = "/api/v1/events"


class Endpoints:
    """The actions at `base_url`, as the agent with this key sees them."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        connections: int = 256,
        patience: float = PATIENCE_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`connections` is how many may be open at once; `base_url` may end in `/api/v1`. Raises `UnusableKeyError`."""
        # Seconds for which a request is sent again while the guard cannot be reached; a caller's time-out is kept.
        self._patience = patience
        self._http = Connections(base_url, key, limit=connections, transport=transport)
        self._sent = SentConversations()

    async def submit(
        self,
        submission: Submission,
        *,
        provenance: Provenance | None = None,
        idempotency_key: str | None = None,
        wait: int = 0,
        timeout: float | None = None,
    ) -> Action:
        """Propose a call; `wait` is how many seconds to let the answer take if that brings a decision with it.

        `provenance` says where values were taken from, by JSON Pointer into the arguments, such as
        `{"/to": {"tool_call_id": "c3", "path": "/0/email"}, "/amount": {"quote": "$30"}}`: words to the character, or a
        place in what a call of the history returned (`step` counts them from 0 where they have no ids). Claim only
        what stands there: a claim that does not verify is shown to whoever decides.

        Always sent with an idempotency key, so that a retry after a lost answer cannot propose twice.
        Raises `ProblemError` and `UnreachableError`.
        """
        # A new key for each proposal: two equal calls may both be meant.
        headers = {"Idempotency-Key": idempotency_key or str(uuid4())}
        body = to_json(submission)
        if provenance is not None:
            body["provenance"] = to_json(provenance)
        holds = wait > 0 and self._http.take_hold()
        if holds:
            headers["Prefer"] = f"wait={min(wait, POLL_SECONDS)}"
        options: dict[str, Any] = {"headers": headers, "wait": wait if holds else 0}
        try:
            # Who names a request may repeat it after a crash, and then as it was.
            sends_whole = idempotency_key is not None
            response = await self._propose(body, options, deadline_after(timeout), sends_whole=sends_whole)
        finally:
            if holds:
                self._http.let_go()
        return read_answer(response, partial(read_object, Action))

    async def _propose(
        self, body: dict[str, Any], options: Mapping[str, Any], deadline: float, *, sends_whole: bool
    ) -> httpx.Response:
        """Send what the guard does not have of the submission, and all of it where it has not what it should."""
        shortened = None if sends_whole else self._sent.shorten(body)
        rest, left_out = shortened or (body, 0)
        try:
            content, limit = json_body(rest), rest_of(deadline)
            response = await self._request("POST", ACTIONS, content=content, limit=limit, **options)
        except ProblemError as error:
            if shortened is None or error.status != UNPROCESSABLE:
                raise
            self._sent.forget(body)
            return await self._propose(body, options, deadline, sends_whole=True)
        self._sent.remember(body, response.headers, left_out=left_out)
        return response

    async def get(self, action_id: str, *, wait: int = 0, timeout: float | None = None) -> Action:
        """Where the action stands, at the latest after `wait` seconds."""
        options: dict[str, Any] = {"params": {"wait": wait}, "wait": wait, "limit": timeout}
        response = await self._request("GET", f"{ACTIONS}/{action_id}", **options)
        return read_answer(response, partial(read_action, action_id))

    async def execute(
        self, action_id: str, *, idempotency_key: str | None = None, timeout: float | None = None
    ) -> Execution:
        """Take the one permission to run, and the exact call to run.

        Always sent with an idempotency key, so that a retry after a lost answer is given the same permission. Name one
        of your own to ask again after a crash; it is good until the outcome is reported.
        Raises `ProblemError` with status 409 when it is not approved, has expired, or was taken with another key.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid4())}
        response = await self._request("POST", f"{ACTIONS}/{action_id}/execution", headers=headers, limit=timeout)
        return read_answer(response, partial(_read_execution, action_id))

    async def report(
        self,
        action_id: str,
        *,
        succeeded: bool,
        outcome: Any,
        arguments: Mapping[str, Any] | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Tell what happened, as text or JSON; it becomes the next step of the trace's history.

        `arguments` are those that it ran with, where they may be others than the approved ones: the guard tells its
        people of a difference. What the guard does not take as it is (too large, nested too deep, a number without
        bounds) is told as text, by its beginning. Returns what it was told.
        """
        report = {"status": "succeeded" if succeeded else "failed", "outcome": outcome_json(outcome)}
        report |= {} if arguments is None else {"arguments": to_json(arguments)}
        path, deadline = f"{ACTIONS}/{action_id}/execution/outcome", deadline_after(timeout)
        try:
            await self._request("PUT", path, content=json_body(report), limit=timeout)
        except ProblemError as error:
            if error.status not in (TOO_LARGE, UNPROCESSABLE):
                raise
            # The call has run, and cannot return anything else, nor have had other arguments.
            report["outcome"] = beginning_of(report["outcome"])
            if arguments and any(str(wrong.get("pointer")).startswith("/arguments") for wrong in error.errors):
                report["arguments"] = {name: beginning_of(value) for name, value in arguments.items()}
            await self._request("PUT", path, content=json_body(report), limit=rest_of(deadline))
        return report["outcome"]

    async def cancel(self, action_id: str, *, timeout: float | None = None) -> Action:
        """Withdraw an open action. Raises `ProblemError` with status 409 when it was decided before."""
        response = await self._request("POST", f"{ACTIONS}/{action_id}/cancel", limit=timeout)
        return read_answer(response, partial(read_action, action_id))

    async def ask_user(self, action_id: str, *, timeout: float | None = None) -> UserConfirmation:
        """Let the user for whom the agent acts confirm or refuse this waiting call, on a page of the guard.

        Whoever opens its address answers for the user: show it in the application, never to a model. Then `wait` for
        the decision as ever. Asking again gives the same page.
        Raises `ProblemError` with status 403 where the workspace lets reviewers alone ask, and 409 where no user may
        be asked about this call, or it waits no longer.
        """
        response = await self._request("POST", f"{ACTIONS}/{action_id}/user-confirmation", limit=timeout)
        return read_answer(response, partial(read_object, UserConfirmation))

    async def list_actions(self, /, *, cursor: str | None = None, timeout: float | None = None, **filters: Any) -> Page:
        """One page of the agent's actions, newest first, such as `list_actions(status="pending")`."""
        params = {**filters, **({"cursor": cursor} if cursor else {})}
        response = await self._request("GET", ACTIONS, params=params, limit=timeout)
        return read_answer(response, partial(read_object, Page))

    async def list_events(
        self, /, *, after: str | None = None, timeout: float | None = None, **filters: Any
    ) -> EventPage:
        """A part of the feed of events behind `after`, such as `list_events(after=cursor, status="decided")`.

        `events` follows the feed and connects anew by itself.
        """
        params = {**filters, **({"after": after} if after else {})}
        response = await self._request("GET", EVENTS, params=params, limit=timeout)
        return read_answer(response, partial(read_object, EventPage))

    async def _request(self, method: str, path: str, *, limit: float | None = None, **options: Any) -> httpx.Response:
        patience = self._patience if limit is None else min(self._patience, limit)
        return await self._http.request(method, path, patience=patience, limit=limit, **options)


def read_action(action_id: str, answer: Any) -> Action:
    """The action that was asked for. Raises KeyError and TypeError."""
    action = read_object(Action, answer)
    _require_asked(action_id, action.id)
    return action


def _read_execution(action_id: str, answer: Any) -> Execution:
    execution = read_object(Execution, answer)
    _require_asked(action_id, execution.action_id)
    return execution


def _require_asked(asked: str, answered: str) -> None:
    """Raises TypeError for another action: what stands between may mix up answers, and another call would run."""
    if answered != str(asked):
        raise TypeError(f"it speaks of action {answered}, which was not asked for")
