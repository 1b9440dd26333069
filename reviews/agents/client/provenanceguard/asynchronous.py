"""The client for asyncio; the one for threads is made of it. One instance serves any number of conversations."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, overload

from . import waiting
from .connections import read_answer, within
from .conversation import Conversation, current_conversation, past_of
from .endpoints import POLL_SECONDS
from .errors import (
    ChangedToolError,
    GuardError,
    NotDecidedError,
    ProblemError,
    UncheckedPlanError,
    UnreachableError,
)
from .events import follow_events
from .outcomes import NotDecided, Outcome, Reason
from .payloads import build_submission, json_body, to_json
from .permission import outcome_of, require_approval
from .plans import PlanAnswer, read_plan
from .protection import Function, OnRefusal, Permit, protected_coroutine
from .values import Action, Decision, Event, Provenance
from .waiting import Waiting, deadline_after, seconds_left

# How long a task that was cancelled still tries to withdraw its proposal.
WITHDRAWAL_SECONDS = 5.0
# How long a call that has run is held up by its report: its caller waits, and the guard may be away.
REPORT_SECONDS = 5.0
CONFLICT = 409
_PLANS = "/api/v1/plans"

if TYPE_CHECKING:
    from typing_extensions import Self

P = ParamSpec("P")
_log = logging.getLogger("provenanceguard")


class AsyncGuard(Waiting):
    """The guard at `base_url`, as the agent with this key sees it."""

    async def run(
        self,
        call: Any,
        past: Any = None,
        function: Function | None = None,
        *,
        provenance: Provenance | None = None,
        timeout: float | None = None,
        on_pending: Callable[[Action], Awaitable[None]] | None = None,
        **fields: Any,
    ) -> Any:
        """Propose the call, wait, run the function with the approved arguments, report, and return what it returned.

        `function` is called with the arguments by name and may be a coroutine function; several, by the name of their
        tool, where a reviewer may choose another tool. `timeout` bounds all that comes before the function runs; the
        report of what came of it takes five seconds at most (see `finish`). As in `check` otherwise.
        Raises `NotRunnableError` in one of its kinds for everything but an approval: then nothing has run.
        """
        if function is None:
            raise TypeError("run takes the function to run")
        conversation = past if isinstance(past, Conversation) else current_conversation() if past is None else None
        deadline = deadline_after(timeout)
        options: dict[str, Any] = {"provenance": provenance, "timeout": timeout, "on_pending": on_pending}
        outcome = await self.check(call, past, **options, **fields)
        return await self._carry_out(outcome, function, conversation, deadline)

    async def check(
        self,
        /,
        call: Any,
        past: Any = None,
        *,
        provenance: Provenance | None = None,
        timeout: float | None = None,
        on_pending: Callable[[Action], Awaitable[None]] | None = None,
        **fields: Any,
    ) -> Outcome:
        """Propose the call and wait for what becomes of it: `Approved`, `Rejected`, `Responded` or `NotDecided`.

        `call` is what the model made, an object of its SDK, or a pair of tool and arguments. `past` is a mapping
        (`query`, `tools`, `history`; or `messages` and `tools` …), a list of messages, or a `Conversation`; without it
        the one that is entered. `fields` are further ones of the body, such as `trace_id`, `subtask` or `metadata`.
        `on_pending` is awaited once, when a person has to decide: the place to `ask_user`. What it raises is raised,
        and the action stays open.
        After `timeout` seconds, or when the guard cannot be reached, it is `NotDecided`. When the task is cancelled,
        the proposal is withdrawn. Raises `ProblemError` for what the API refuses.
        """
        body = build_submission(call, past_of(past), provenance=provenance, **fields)
        deadline = deadline_after(timeout)
        submitting = asyncio.ensure_future(self.submit(body, timeout=timeout))
        try:
            action = await asyncio.shield(submitting)
            return outcome_of(await self._settled(action, deadline, on_pending))
        except UnreachableError as error:
            return NotDecided(None, "unreachable", f"the guard cannot be reached ({error}).")
        except asyncio.CancelledError:
            await self._outlive(self._withdraw(submitting))
            raise

    async def resume(
        self,
        action_id: str,
        function: Function,
        *,
        timeout: float | None = None,
    ) -> Any:
        """Go on with a call that was proposed before: wait, run, report. As `run` otherwise."""
        deadline = deadline_after(timeout)
        return await self._carry_out(await self.settle(action_id, timeout=timeout), function, None, deadline)

    def events(self, /, *, after: str | None = None, **filters: Any) -> AsyncGenerator[Event, None]:
        """What becomes of calls, as it happens, such as `events(status="decided", agent="payer")`. It never ends.

        It begins behind the event with the id `after`, or behind all with `latest`; without it with the oldest that the
        guard keeps. Where the connection breaks it goes on behind the last event, without one lost or repeated. An
        event permits nothing: `resume` runs what was approved. Raises `ProblemError` for what the API refuses, such as
        a revoked key, `UnreachableError` where no later try would end differently, and `MalformedAnswerError`.
        """
        return follow_events(self._http, after, filters)

    def conversation(self, query: str, tools: Any = (), **fields: Any) -> Conversation:
        """A conversation that keeps its history by itself while it is entered with `with`."""
        return Conversation(query, tools, **fields)

    @overload
    def protect(self, function: Callable[P, Any]) -> Callable[P, Coroutine[Any, Any, Any]]: ...

    @overload
    def protect(
        self,
        *,
        tool: str | None = None,
        past: Callable[[], Any] | None = None,
        timeout: float | None = None,
        on_refusal: OnRefusal = None,
    ) -> Callable[[Callable[P, Any]], Callable[P, Coroutine[Any, Any, Any]]]: ...

    def protect(
        self,
        function: Callable[..., Any] | None = None,
        *,
        tool: str | None = None,
        past: Callable[[], Any] | None = None,
        timeout: float | None = None,
        on_refusal: OnRefusal = None,
    ) -> Any:
        """Decorate a tool, so that every call of it is decided first and runs with the approved arguments.

        The tool is called as the function is, or `tool`. What came before is the conversation that is entered, or what
        `past` returns. A refusal raises; with `on_refusal="message"` what the model is told is returned instead.
        """
        options: dict[str, Any] = {"tool": tool, "past": past, "timeout": timeout, "on_refusal": on_refusal}
        if function is None:
            return partial(self.protect, **options)
        return protected_coroutine(self.run, function, **options)

    async def wait(self, action_id: str, *, timeout: float | None = None) -> Decision:
        """The decision that lets the call run.

        Raises `NotRunnableError` in one of its kinds for everything else; `UndecidedError` after `timeout` seconds.
        """
        return require_approval(await self.settle(action_id, timeout=timeout)).decision

    async def settle(self, action_id: str, *, timeout: float | None = None) -> Outcome:
        """What becomes of an action, as a value; `NotDecided` after `timeout` seconds."""
        deadline = deadline_after(timeout)
        return outcome_of(await self._settled(await self._look(action_id, deadline), deadline))

    async def check_plan(
        self,
        /,
        *,
        trace_id: str,
        plan: Sequence[Mapping[str, Any]],
        timeout: float | None = 60,
        **past: Any,
    ) -> PlanAnswer:
        """What the plan gate says of these steps, each a `message` and the `tool_use` it needs.

        `past` is what came before, in any shape the API accepts: `query`, `tools` and `history`, or `messages` and
        `tools`. The same plan again is the same one. Raises `UncheckedPlanError` after `timeout` seconds,
        `UnreachableError`, `ProblemError` and `MalformedAnswerError`: a plan without an answer is not safe.
        """
        body = json_body(to_json({"trace_id": trace_id, "plan": plan, **past}))
        try:
            return await within(timeout, self._plan_answer(body))
        except TimeoutError:
            raise UncheckedPlanError(f"The plan was not checked within {timeout} seconds.") from None

    async def start(self, outcome: Outcome, function: Function, *, timeout: float | None = None) -> Permit:
        """Take the permission to run what was approved, within `timeout` seconds.

        Raises `NotRunnableError` when it may or can not run here, or the guard does not answer: without its answer
        nobody knows whether the permission is ours.
        """
        approved = require_approval(outcome)
        tools = function if isinstance(function, Mapping) else {approved.action.tool: function}
        if approved.call.tool not in tools:
            raise ChangedToolError(f"A reviewer chose {approved.call.tool} instead, which cannot be run here.")
        try:
            call = (await self.execute(approved.action.id, timeout=timeout)).call
        except UnreachableError as error:
            unreachable = NotDecided(approved.action, "unreachable", f"the permission was not given ({error}).")
            raise NotDecidedError(unreachable) from error
        except ProblemError as error:
            # A correction may arrive between the decision and the start, or the permission is over.
            if error.status != CONFLICT:
                raise
            reason: Reason = "expired" if error.type.endswith("/expired") else "superseded"
            raise NotDecidedError(NotDecided(approved.action, reason, str(error))) from error
        return Permit(approved.action.id, call, tools[call.tool])

    async def finish(self, permit: Permit, *, succeeded: bool, outcome: Any) -> None:
        """Report without failing: the call has run, and whoever asked for it must get what it returned.

        It is tried again for five seconds, and then by nobody: the guard has the call as started, without an outcome,
        and the log warns of it with the action's id. Who keeps what the call returned may `report` it at any time.
        """
        try:
            await self.report(permit.action_id, succeeded=succeeded, outcome=outcome, timeout=REPORT_SECONDS)
        except GuardError as error:
            _log.warning("the outcome of action %s was not reported: %s", permit.action_id, error)

    async def aclose(self) -> None:
        """Close this event loop's connections, once what was cancelled has been withdrawn."""
        if self._withdrawals:
            await asyncio.wait(set(self._withdrawals), timeout=WITHDRAWAL_SECONDS)
        await self._http.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @cached_property
    def _withdrawals(self) -> set[asyncio.Future[None]]:
        """Work that outlives its caller's cancellation; a loop forgets tasks that nobody holds."""
        return set()

    async def _plan_answer(self, body: bytes) -> PlanAnswer:
        headers = {"Prefer": f"wait={POLL_SECONDS}"}
        response = await self._request("POST", _PLANS, content=body, headers=headers, wait=POLL_SECONDS)
        while (checked := read_answer(response, read_plan)).answer is None:
            await asyncio.sleep(waiting.PAUSE_SECONDS)
            params = {"wait": POLL_SECONDS}
            response = await self._request("GET", f"{_PLANS}/{checked.id}", params=params, wait=POLL_SECONDS)
        return checked.answer

    async def _carry_out(
        self, outcome: Outcome, function: Function, conversation: Conversation | None, deadline: float
    ) -> Any:
        """Run what was approved, once, if it starts by the deadline, and report it. Raises `NotRunnableError`."""
        permit = await self.start(outcome, function, timeout=seconds_left(deadline))
        try:
            result = permit.function(**permit.call.arguments)
            if inspect.isawaitable(result):
                result = await result
        except BaseException as error:
            await self._outlive(self.finish(permit, succeeded=False, outcome=repr(error)))
            raise
        if conversation is not None:
            conversation.add_result(permit.call, result)
        # Not ended with the caller: the guard must hear that the call has run.
        await asyncio.shield(self._keep(self.finish(permit, succeeded=True, outcome=result)))
        return result

    async def _withdraw(self, submitting: asyncio.Future[Action]) -> None:
        """Cancel what is proposed, or is just being proposed."""
        with suppress(GuardError, TimeoutError):
            action = await within(WITHDRAWAL_SECONDS, submitting)
            await self.cancel(action.id, timeout=WITHDRAWAL_SECONDS)

    async def _outlive(self, work: Coroutine[Any, Any, None]) -> None:
        """Finish the work even where the running task is cancelled meanwhile."""
        with suppress(asyncio.CancelledError):
            await asyncio.shield(self._keep(work))

    def _keep(self, work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        """Work that goes on whoever waits for it, until the guard is closed."""
        task = asyncio.ensure_future(work)
        self._withdrawals.add(task)
        task.add_done_callback(self._withdrawals.discard)
        return task
