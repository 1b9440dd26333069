"""The client for threads: `AsyncGuard` on an event loop of its own, so that there is one of everything."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import nullcontext
from functools import partial, wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

import httpx

from .asynchronous import AsyncGuard
from .conversation import Conversation, current_conversation, past_of
from .deadlines import deadline_after, seconds_left
from .endpoints import PATIENCE_SECONDS
from .errors import BrokenOffError, ClosedError, NotRunnableError
from .loop_thread import LoopThread
from .outcomes import Outcome
from .payloads import outcome_json, outcome_repr
from .protection import Function, OnRefusal, Permit, protected_function, require_plain, require_result
from .values import Action, Event

if TYPE_CHECKING:
    from typing_extensions import Self

P = ParamSpec("P")
T = TypeVar("T")
_log = logging.getLogger("provenanceguard")


def _blocking(
    method: Callable[Concatenate[AsyncGuard, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Guard, P], T]:
    """A coroutine method of `AsyncGuard` as a method of `Guard`."""

    @wraps(method)
    def call(guard: Guard, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return guard._thread.run(method(guard._guard, *args, **kwargs))  # noqa: SLF001  # part of the class

    return call


def _in_thread(on_pending: Callable[[Action], None] | None) -> Callable[[Action], Awaitable[None]] | None:
    """The same beside the loop: it may well ask the guard, whose loop must not wait for itself."""
    return None if on_pending is None else lambda action: asyncio.to_thread(on_pending, action)


class Guard:
    """The guard at `base_url`, as the agent with this key sees it; for any number of threads."""

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
        self._guard = AsyncGuard(base_url, key, connections=connections, patience=patience, transport=transport)
        self._thread = LoopThread(self._guard.aclose)

    @property
    def asynchronous(self) -> AsyncGuard:
        """The same guard for asyncio."""
        return self._guard

    submit = _blocking(AsyncGuard.submit)
    get = _blocking(AsyncGuard.get)
    wait = _blocking(AsyncGuard.wait)
    settle = _blocking(AsyncGuard.settle)
    execute = _blocking(AsyncGuard.execute)
    report = _blocking(AsyncGuard.report)
    cancel = _blocking(AsyncGuard.cancel)
    ask_user = _blocking(AsyncGuard.ask_user)
    start = _blocking(AsyncGuard.start)
    list_actions = _blocking(AsyncGuard.list_actions)
    list_events = _blocking(AsyncGuard.list_events)
    check_plan = _blocking(AsyncGuard.check_plan)

    def check(
        self,
        /,
        call: Any,
        past: Any = None,
        *,
        on_pending: Callable[[Action], None] | None = None,
        **options: Any,
    ) -> Outcome:
        """Propose the call and wait for what becomes of it. As `AsyncGuard.check`; `on_pending` gets a thread."""
        return self._thread.run(self._guard.check(call, past, on_pending=_in_thread(on_pending), **options))

    def take_permit(
        self,
        /,
        call: Any,
        past: Any = None,
        function: Function | None = None,
        *,
        on_pending: Callable[[Action], None] | None = None,
        **options: Any,
    ) -> Permit:
        """Propose the call, wait, and take the permission to run it. As `AsyncGuard.take_permit` otherwise."""
        # Where the entered conversation can be seen: the loop's thread has none.
        past = past_of(past)
        taking = self._guard.take_permit(call, past, function, on_pending=_in_thread(on_pending), **options)
        return self._thread.run(taking)

    def run(
        self,
        call: Any,
        past: Any = None,
        function: Function | None = None,
        **options: Any,
    ) -> Any:
        """Propose the call, wait, run the function with the approved arguments, report, and return what it returned.

        The function runs in the calling thread. As `AsyncGuard.run` otherwise; raises TypeError for a coroutine
        function, before anything is proposed.
        """
        require_plain(function)
        conversation = past if isinstance(past, Conversation) else current_conversation() if past is None else None
        with conversation.propose(call) if conversation is not None else nullcontext(past) as call_past:
            return self._carry_out(self.take_permit(call, call_past, function, **options), conversation)

    def resume(
        self,
        action_id: str,
        function: Function,
        *,
        timeout: float | None = None,
    ) -> Any:
        """Go on with a call that was proposed before: wait, run, report. As `run` otherwise."""
        require_plain(function)
        deadline = deadline_after(timeout)
        outcome = self.settle(action_id, timeout=timeout)
        return self._carry_out(self.start(outcome, function, timeout=seconds_left(deadline)), None)

    def events(self, /, *, after: str | None = None, **filters: Any) -> Iterator[Event]:
        """What becomes of calls, as it happens. As `AsyncGuard.events` otherwise."""
        events = self._guard.events(after=after, **filters)

        async def next_event() -> Event:
            return await anext(events)

        try:
            while True:
                yield self._thread.run(next_event())
        finally:
            self._thread.run(events.aclose())

    def conversation(self, query: str, tools: Any = (), **fields: Any) -> Conversation:
        """A conversation that keeps its history by itself while it is entered with `with`."""
        return Conversation(query, tools, **fields)

    @overload
    def protect(self, function: Callable[P, T]) -> Callable[P, T]: ...

    @overload
    def protect(
        self,
        *,
        tool: str | None = None,
        past: Callable[[], Any] | None = None,
        timeout: float | None = None,
        on_refusal: OnRefusal = None,
    ) -> Callable[[Callable[P, T]], Callable[P, T]]: ...

    def protect(
        self,
        function: Callable[..., Any] | None = None,
        *,
        tool: str | None = None,
        past: Callable[[], Any] | None = None,
        timeout: float | None = None,
        on_refusal: OnRefusal = None,
    ) -> Any:
        """Decorate a tool, so that every call of it is decided first. As `AsyncGuard.protect` otherwise."""
        options: dict[str, Any] = {"tool": tool, "past": past, "timeout": timeout, "on_refusal": on_refusal}
        if function is None:
            return partial(self.protect, **options)
        return protected_function(self.run, function, **options)

    def finish(self, permit: Permit, *, succeeded: bool, outcome: Any) -> Any:
        """Report without failing, also where the guard is closed meanwhile. As `AsyncGuard.finish` otherwise."""
        try:
            return self._thread.run(self._guard.finish_for_sure(permit, succeeded=succeeded, outcome=outcome))
        except ClosedError:
            # Closing it waits for the report.
            pass
        except Exception as error:  # noqa: BLE001 - as there
            _log.warning("the outcome of action %s was not reported: %s", permit.action_id, error)
        return outcome_json(outcome)

    def _carry_out(self, permit: Permit, conversation: Conversation | None) -> Any:
        """Run what was approved in this thread, and report it."""
        try:
            result = require_result(permit.function(**permit.call.arguments))
        except BaseException as error:
            if conversation is not None:
                conversation.add_failure(permit.call, error)
            self.finish(permit, succeeded=False, outcome=outcome_repr(error))
            if isinstance(error, NotRunnableError):
                raise BrokenOffError(error) from error
            raise
        # Before it is reported, which may be interrupted; as it is reported, because the next past has to say the same.
        noted = conversation.note_result(permit.call, result) if conversation is not None else {}
        noted["outcome"] = self.finish(permit, succeeded=True, outcome=result)
        return result

    def close(self) -> None:
        """Close all connections; the next call opens new ones.

        What other threads wait for is over: they get a `ClosedError`, and what they have proposed is withdrawn.
        """
        self._thread.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
