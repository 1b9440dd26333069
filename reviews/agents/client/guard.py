"""The client. One instance serves any number of concurrent conversations of one agent."""

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4

import httpx

from reviews.agents.client import transport
from reviews.agents.client.errors import (
    ExpiredError,
    MalformedAnswerError,
    RejectedError,
    RespondedError,
    UncheckedPlanError,
    UndecidedError,
    WithdrawnError,
)
from reviews.agents.client.values import RUNNABLE, UNDECIDED, Action, Call, Decision, Page, Plan, PlanAnswer, Submission

# Longest single wait asked of the server; a longer one is made of several. Half of what a server allows unless it is
# configured otherwise, and well below the minute after which many proxies give up on an idle answer.
POLL_SECONDS: Final = 30
# Between two waits: a server that answers at once must not be asked in a tight loop.
PAUSE_SECONDS: Final = 0.2
# How long a guard that cannot be reached is tried again: a server of one machine comes back within that, and an outage
# is told before an agent's user gives up.
PATIENCE_SECONDS: Final = 20.0
# And at the end of a wait, when hardly any time is left: one of a server's processes may just be replaced.
LAST_PATIENCE_SECONDS: Final = 2.0
# What an answer may take on top of the wait that was asked for.
_ANSWER_SECONDS: Final = 15.0
_ACTIONS: Final = "/api/v1/actions"
_PLANS: Final = "/api/v1/plans"


class Guard:
    """The guard at `base_url`, as the agent with this key sees it."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        connections: int = 256,
        patience: float = PATIENCE_SECONDS,
        through: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`connections` is how many may be open at once. Raises `UnusableKeyError`."""
        # Seconds for which a request is sent again while the guard cannot be reached; a wait's own time-out is kept.
        self._patience = patience
        self._http = httpx.AsyncClient(
            base_url=base_url,
            headers=transport.headers_for(key),
            # Only reading may last as long as a wait: connecting is quick or fails.
            timeout=httpx.Timeout(_ANSWER_SECONDS, read=POLL_SECONDS + _ANSWER_SECONDS),
            # Every conversation that waits holds one connection, and keeps it for the next wait.
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
            transport=through,
            # The guard is named by its address; a proxy meant for the agent's web access would see its key.
            trust_env=False,
        )

    async def submit(self, submission: Submission, *, idempotency_key: str | None = None, wait: int = 0) -> Action:
        """Propose a call; `wait` is how many seconds to let the answer take if that brings a decision with it.

        Always sent with an idempotency key, so that a retry after a lost answer cannot propose twice.
        Raises `ProblemError` and `UnreachableError`.
        """
        # A new key for each proposal: two equal calls may both be meant.
        headers = {"Idempotency-Key": idempotency_key or str(uuid4())}
        if wait:
            headers["Prefer"] = f"wait={min(wait, POLL_SECONDS)}"
        content = transport.json_body(dict(submission))
        response = await self._request("POST", _ACTIONS, content=content, headers=headers)
        return transport.read(response, Action.read)

    async def get(self, action_id: str, *, wait: int = 0) -> Action:
        """Where the action stands, at the latest after `wait` seconds."""
        return await self._get(action_id, wait=wait, patience=self._patience)

    async def _get(self, action_id: str, *, wait: int, patience: float) -> Action:
        path = f"{_ACTIONS}/{action_id}"
        response = await transport.request(self._http, "GET", path, params={"wait": wait}, patience=patience)
        return transport.read(response, Action.read)

    async def wait(self, action_id: str, *, timeout: float | None = None) -> Decision:  # noqa: ASYNC109  # asked of the server
        """The decision that lets the call run.

        Raises `NotRunnableError` in one of its kinds for everything else; `UndecidedError` after `timeout` seconds.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            # The last wait ends with the time that is left, rounded: the server counts whole seconds.
            rest = math.inf if deadline is None else max(0.0, deadline - time.monotonic())
            patience = min(self._patience, max(rest, LAST_PATIENCE_SECONDS))
            action = await self._get(action_id, wait=round(min(POLL_SECONDS, rest)), patience=patience)
            if action.status not in UNDECIDED:
                return permission(action)
            if deadline is not None and time.monotonic() >= deadline:
                raise UndecidedError(f"Action {action_id} is still {action.status}.")
            await asyncio.sleep(PAUSE_SECONDS)

    async def execute(self, action_id: str, *, idempotency_key: str | None = None) -> Call:
        """Take the one permission to run, and the exact call to run.

        Always sent with an idempotency key, so that a retry after a lost answer is given the same permission. Name one
        of your own to ask again after a crash; it is good until the outcome is reported.
        Raises `ProblemError` with status 409 when it is not approved, has expired, or was taken with another key.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid4())}
        response = await self._request("POST", f"{_ACTIONS}/{action_id}/execution", headers=headers)
        return transport.read(response, Call.read)

    async def report(self, action_id: str, *, succeeded: bool, outcome: str) -> None:
        """Tell what happened; it becomes the next step of the trace's history."""
        body = transport.json_body({"status": "succeeded" if succeeded else "failed", "outcome": outcome})
        await self._request("PUT", f"{_ACTIONS}/{action_id}/execution/outcome", content=body)

    async def cancel(self, action_id: str) -> Action:
        """Withdraw an open action. Raises `ProblemError` with status 409 when it was decided before."""
        response = await self._request("POST", f"{_ACTIONS}/{action_id}/cancel")
        return transport.read(response, Action.read)

    async def actions(self, *, cursor: str | None = None, **filters: Any) -> Page:
        """One page of the agent's actions, newest first, such as `actions(status="pending")`."""
        params = {**filters, **({"cursor": cursor} if cursor else {})}
        response = await self._request("GET", _ACTIONS, params=params)
        return transport.read(response, Page.read)

    async def plan(
        self,
        *,
        trace_id: str,
        plan: Sequence[Mapping[str, Any]],
        timeout: float | None = 60,  # noqa: ASYNC109  # bounds everything, retries too
        **past: Any,
    ) -> PlanAnswer:
        """What the plan gate says of these steps, each a `message` and the `tool_use` it needs.

        `past` is what came before, in any shape the API accepts: `query`, `tools` and `history`, or `messages` and
        `tools`. The same plan again is the same one. Raises `UncheckedPlanError` after `timeout` seconds,
        `UnreachableError`, `ProblemError` and `MalformedAnswerError`: a plan without an answer is not safe.
        """
        body = transport.json_body({"trace_id": trace_id, "plan": [dict(step) for step in plan], **past})
        headers = {"Prefer": f"wait={POLL_SECONDS}"}
        try:
            async with asyncio.timeout(timeout):
                response = await self._request("POST", _PLANS, content=body, headers=headers)
                while (checked := transport.read(response, Plan.read)).answer is None:
                    await asyncio.sleep(PAUSE_SECONDS)
                    path = f"{_PLANS}/{checked.id}"
                    response = await self._request("GET", path, params={"wait": POLL_SECONDS})
                return checked.answer
        except TimeoutError:
            raise UncheckedPlanError(f"The plan was not checked within {timeout} seconds.") from None

    async def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return await transport.request(self._http, method, path, patience=self._patience, **options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()


def permission(action: Action) -> Decision:
    """The action's decision if it lets the call run; every other state raises, also one nobody has heard of."""
    match action.status:
        case "decided" if action.decision is not None:
            return _runnable(action.decision)
        case "expired":
            raise ExpiredError("Nobody decided in time; the call must not run.")
        case "cancelled" | "superseded":
            raise WithdrawnError(f"The action was {action.status}; the call must not run.")
        case "checking" | "pending":
            raise UndecidedError(f"Action {action.id} is still {action.status}.")
        case _:
            raise MalformedAnswerError(f"Action {action.id} has the status {action.status!r} and no decision.")


def _runnable(decision: Decision) -> Decision:
    """The decision if it lets the call run. Raises `NotRunnableError` in one of its kinds."""
    match decision.outcome:
        case outcome if outcome in RUNNABLE:
            return decision
        case "reject":
            raise RejectedError(decision)
        case "respond":
            raise RespondedError(decision)
        case _:
            raise MalformedAnswerError(f"The outcome {decision.outcome!r} is unknown; the call must not run.")
