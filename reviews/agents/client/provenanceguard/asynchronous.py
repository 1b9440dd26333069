"""The client for asyncio; the one for threads is made of it. One instance serves any number of conversations."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, overload

from . import waiting
from .connections import read_answer, within
from .conversation import Conversation, current_conversation
from .deadlines import deadline_after, seconds_left
from .endpoints import POLL_SECONDS
from .errors import BrokenOffError, NotRunnableError, UncheckedPlanError
from .events import follow_events
from .outcomes import Outcome
from .payloads import json_body, outcome_repr, past_json, to_json
from .permission import outcome_of, require_approval
from .plans import PlanAnswer, read_plan
from .proposals import Proposals
from .protection import Function, OnRefusal, Permit, protected_coroutine, require_pieces_taken, require_whole
from .values import Action, Decision, Event, Provenance

_PLANS = "/api/v1/plans"

if TYPE_CHECKING:
    from typing_extensions import Self

P = ParamSpec("P")


class AsyncGuard(Proposals):
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
        renew: bool = False,
        **fields: Any,
    ) -> Any:
        """Propose the call, wait, run the function with the approved arguments, report, and return what it returned.

        `function` is called with the arguments by name and may be a coroutine function; several, by the name of their
        tool, where a reviewer may choose another tool. `timeout` bounds all that comes before the function runs; the
        report of what came of it takes five seconds at most (see `finish`). As in `take_permit` otherwise.
        Raises `NotRunnableError` in one of its kinds for everything but an approval: then nothing has run, but for a
        `BrokenOffError`. Raises TypeError for a function that yields its result, before anything is proposed.
        """
        require_whole(function)
        conversation = past if isinstance(past, Conversation) else current_conversation() if past is None else None
        options: dict[str, Any] = {"provenance": provenance, "timeout": timeout, "on_pending": on_pending}
        with conversation.propose(call) if conversation is not None else nullcontext(past) as call_past:
            permit = await self.take_permit(call, call_past, function, renew=renew, **options, **fields)
            return await self._carry_out(permit, conversation)

    async def resume(
        self,
        action_id: str,
        function: Function,
        *,
        timeout: float | None = None,
    ) -> Any:
        """Go on with a call that was proposed before: wait, run, report. As `run` otherwise."""
        require_whole(function)
        deadline = deadline_after(timeout)
        outcome = await self.settle(action_id, timeout=timeout)
        return await self._carry_out(await self.start(outcome, function, timeout=seconds_left(deadline)), None)

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
        body = json_body({"trace_id": trace_id, "plan": to_json(plan), **past_json(past)})
        try:
            return await within(timeout, self._plan_answer(body))
        except TimeoutError:
            raise UncheckedPlanError(f"The plan was not checked within {timeout} seconds.") from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _plan_answer(self, body: bytes) -> PlanAnswer:
        headers = {"Prefer": f"wait={POLL_SECONDS}"}
        response = await self._request("POST", _PLANS, content=body, headers=headers, wait=POLL_SECONDS)
        while (checked := read_answer(response, read_plan)).answer is None:
            await asyncio.sleep(waiting.PAUSE_SECONDS)
            params = {"wait": POLL_SECONDS}
            response = await self._request("GET", f"{_PLANS}/{checked.id}", params=params, wait=POLL_SECONDS)
        return checked.answer

    async def _carry_out(self, permit: Permit, conversation: Conversation | None) -> Any:
        """Run what was approved, and report it."""
        try:
            result = permit.function(**permit.call.arguments)
            if inspect.isawaitable(result):
                result = await result
            require_pieces_taken(result)
        except BaseException as error:
            if conversation is not None:
                conversation.add_failure(permit.call, error)
            await self._outlive(self.finish(permit, succeeded=False, outcome=outcome_repr(error)))
            if isinstance(error, NotRunnableError):
                raise BrokenOffError(error) from error
            raise
        # Before it is reported, which may be ended; as it is reported, because the next past has to say the same.
        noted = conversation.note_result(permit.call, result) if conversation is not None else {}
        noted["outcome"] = await self.finish_for_sure(permit, succeeded=True, outcome=result)
        return result
