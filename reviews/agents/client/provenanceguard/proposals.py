"""A call is proposed, decided, and the one permission to run it is taken."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeVar
from uuid import uuid4

from .connections import within
from .conversation import past_of
from .deadlines import deadline_after, rest_of, seconds_left
from .errors import (
    ChangedToolError,
    GuardError,
    NotDecidedError,
    ProblemError,
    UnreachableError,
    UnusableArgumentsError,
)
from .outcomes import NotDecided, Outcome, Reason
from .payloads import build_submission, outcome_json, points_to_arguments
from .permission import outcome_of, require_approval
from .protection import Function, Permit
from .restoring import with_given_values
from .values import ENDED, Action, Execution, Provenance, Submission
from .waiting import Pending, Waiting

T = TypeVar("T")
# How long a task that was cancelled still tries to withdraw its proposal.
WITHDRAWAL_SECONDS = 5.0
# How long a call that has run is held up by its report: its caller waits, and the guard may be away.
REPORT_SECONDS = 5.0
# What is reported of a call whose permission was given too late for it.
NOT_RUN = "The call was not run: its agent gave it up."
CONFLICT = 409
# Why a permission is refused, by the type of the problem.
_REFUSALS: Mapping[str, Reason] = {"expired": "expired", "already-executed": "repeated"}
_log = logging.getLogger("provenanceguard")


class Proposals(Waiting):
    """From a proposal to the permission to run it, and to the report of what came of it."""

    async def check(
        self,
        /,
        call: Any,
        past: Any = None,
        *,
        provenance: Provenance | None = None,
        timeout: float | None = None,
        on_pending: Callable[[Action], Awaitable[None]] | None = None,
        renew: bool = False,
        **fields: Any,
    ) -> Outcome:
        """Propose the call and wait for what becomes of it: `Approved`, `Rejected`, `Responded` or `NotDecided`.

        `call` is what the model made, an object of its SDK, or a pair of tool and arguments. `past` is a mapping
        (`query`, `tools`, `history`; or `messages` and `tools` …), a list of messages, or a `Conversation`; without it
        the one that is entered. `fields` are further ones of the body, such as `trace_id`, `subtask` or `metadata`.
        `on_pending` is awaited once, when a person has to decide: the place to `ask_user`. What it raises is raised,
        and the action stays open. `renew` is for frameworks that run a call again under its name (see `take_permit`).
        After `timeout` seconds, or when the guard cannot be reached, it is `NotDecided`, with the action where it was
        proposed by then. What `on_pending` takes counts, and it is cancelled with the time. When the task is cancelled,
        the proposal is withdrawn. Raises `ProblemError` for what the API refuses, in the kind `UnusableArgumentsError`,
        which a model is told like every other refusal, where that is what the model wrote.
        """
        body = build_submission(call, past_of(past), provenance=provenance, **fields)
        deadline, pending, action = deadline_after(timeout), Pending(on_pending), None
        submit = self._submit_anew if renew else self._submit_once
        submitting = asyncio.ensure_future(submit(body, deadline))
        try:
            action = await asyncio.shield(submitting)
            return outcome_of(await self._settled(action, deadline, pending))
        except UnreachableError as error:
            if error is pending.raised:
                raise
            # The model is told, which may well go on without a word; a wrong address must not be looked for long.
            _log.warning("a call was not decided: the guard cannot be reached (%s)", error)
            return NotDecided(action, "unreachable", f"the guard cannot be reached ({error}).")
        except ProblemError as error:
            # Not the agent's mistake, but its model's, who may write other ones.
            if error.errors and all(points_to_arguments(str(wrong.get("pointer"))) for wrong in error.errors):
                raise UnusableArgumentsError(error.status, error.problem) from None
            raise
        except asyncio.CancelledError:
            await self._outlive(self._withdraw(submitting))
            raise

    async def take_permit(
        self,
        /,
        call: Any,
        past: Any = None,
        function: Function | None = None,
        *,
        timeout: float | None = None,
        renew: bool = False,
        **options: Any,
    ) -> Permit:
        """Propose the call, wait, and take the permission to run it, all within `timeout` seconds; then `finish` it.

        For whoever runs the call elsewhere than `run` does. `function` is what runs it, as in `run`, and `options` are
        those of `check`. Of a pair of tool and arguments the function gets the values that were given, and the like of
        what was edited. A `trace_id` and the call's id name one call, which runs once. With `renew` a call whose name
        stands for one that is over (it ran, was withdrawn, expired, or was another one) is proposed anew, in a
        conversation of its own: frameworks run a call again that was interrupted.
        Raises `NotRunnableError` in one of its kinds for everything but an approval.
        """
        if function is None:
            raise TypeError("a permission is taken for the function to run")
        deadline, past = deadline_after(timeout), past_of(past)
        outcome = await self.check(call, past, timeout=timeout, renew=renew, **options)
        try:
            permit = await self.start(outcome, function, timeout=seconds_left(deadline))
            return with_given_values(permit, call)
        except NotDecidedError as error:
            if not renew or error.outcome.reason != "repeated":
                raise
            # Its past is told as before, and does not say that it ran.
            options["retry_of"] = error.outcome.action.id if error.outcome.action is not None else None
        options["trace_id"] = str(uuid4())
        return await self.take_permit(call, past, function, timeout=seconds_left(deadline), **options)

    async def start(self, outcome: Outcome, function: Function, *, timeout: float | None = None) -> Permit:
        """Take the permission to run what was approved, within `timeout` seconds.

        Raises `NotRunnableError` when it may or can not run here, or the guard does not answer: without its answer
        nobody knows whether the permission is ours.
        """
        approved = require_approval(outcome)
        tools = function if isinstance(function, Mapping) else {approved.action.tool: function}
        _require_function(approved.call.tool, tools, approved.action)
        # Not ended with the task, because a permission that was given by then has to be given back.
        taking = asyncio.ensure_future(self.execute(approved.action.id, timeout=timeout))
        try:
            call = (await asyncio.shield(taking)).call
        except asyncio.CancelledError:
            await self._outlive(self._give_back(approved.action.id, taking))
            raise
        except UnreachableError as error:
            unreachable = NotDecided(approved.action, "unreachable", f"the permission was not given ({error}).")
            raise NotDecidedError(unreachable) from error
        except ProblemError as error:
            # A correction may arrive between the decision and the start, or the permission is over.
            if error.status != CONFLICT:
                raise
            reason = _REFUSALS.get(error.type.rpartition("/")[2], "superseded")
            raise NotDecidedError(NotDecided(approved.action, reason, str(error))) from error
        try:
            # The decision that the permission is of may be a later one.
            _require_function(call.tool, tools, approved.action)
        except ChangedToolError:
            await self._outlive(self._give_back(approved.action.id, taking))
            raise
        return Permit(approved.action.id, call, tools[call.tool])

    async def finish(
        self, permit: Permit, *, succeeded: bool, outcome: Any, arguments: Mapping[str, Any] | None = None
    ) -> Any:
        """Report without failing: the call has run, and whoever asked for it must get what it returned.

        As `report` otherwise. Returns what the guard was, or should have been, told.

        It is tried again for five seconds, and then by nobody: the guard has the call as started, without an outcome,
        and the log warns of it with the action's id. Who keeps what the call returned may `report` it at any time.
        """
        try:
            return await self.report(
                permit.action_id, succeeded=succeeded, outcome=outcome, arguments=arguments, timeout=REPORT_SECONDS
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no reason to lose what the call returned
            _log.warning("the outcome of action %s was not reported: %s", permit.action_id, error)
            return outcome_json(outcome)

    async def finish_for_sure(self, permit: Permit, *, succeeded: bool, outcome: Any) -> Any:
        """As `finish`, and not ended with the caller: the guard must hear that the call has run."""
        return await asyncio.shield(self._keep(self.finish(permit, succeeded=succeeded, outcome=outcome)))

    async def aclose(self) -> None:
        """Close this event loop's connections, once what was cancelled has been withdrawn."""
        loop = asyncio.get_running_loop()
        # Other loops, which a guard may be shared by, have withdrawals of their own.
        if withdrawals := {work for work in self._withdrawals.copy() if work.get_loop() is loop}:
            await asyncio.wait(withdrawals, timeout=WITHDRAWAL_SECONDS)
        await self._http.close()

    @cached_property
    def _withdrawals(self) -> set[asyncio.Future[Any]]:
        """Work that outlives its caller's cancellation; a loop forgets tasks that nobody holds."""
        return set()

    async def _submit_once(self, body: Submission, deadline: float) -> Action:
        return await self.submit(body, timeout=rest_of(deadline))

    async def _submit_anew(self, body: Submission, deadline: float) -> Action:
        """Propose a call whose name may stand for one that is over; then this is another one."""
        try:
            action = await self._submit_once(body, deadline)
        except ProblemError as error:
            if error.type.rpartition("/")[2] != "duplicate-call":
                raise
        else:
            if action.status not in ENDED:
                return action
        return await self._submit_once({**body, "trace_id": str(uuid4())}, deadline)

    async def _withdraw(self, submitting: asyncio.Future[Action]) -> None:
        """Cancel what is proposed, or is just being proposed."""
        with suppress(GuardError, TimeoutError):
            action = await within(WITHDRAWAL_SECONDS, submitting)
            await self.cancel(action.id, timeout=WITHDRAWAL_SECONDS)

    async def _give_back(self, action_id: str, taking: asyncio.Future[Execution]) -> None:
        """Tell that a call was not run whose permission is just being taken."""
        with suppress(GuardError, TimeoutError):
            await within(WITHDRAWAL_SECONDS, taking)
            await self.report(action_id, succeeded=False, outcome=NOT_RUN, timeout=REPORT_SECONDS)

    async def _outlive(self, work: Coroutine[Any, Any, None]) -> None:
        """Finish the work even where the running task is cancelled meanwhile."""
        with suppress(asyncio.CancelledError):
            await asyncio.shield(self._keep(work))

    def _keep(self, work: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
        """Work that goes on whoever waits for it, until the guard is closed."""
        task = asyncio.ensure_future(work)
        self._withdrawals.add(task)
        task.add_done_callback(self._withdrawals.discard)
        return task


def _require_function(tool: str, functions: Mapping[str, Any], action: Action) -> None:
    """Raises ChangedToolError where nothing here runs the tool."""
    if tool not in functions:
        chosen = f"A reviewer chose {tool} instead" if tool != action.tool else f"It calls {tool}"
        raise ChangedToolError(f"The call was not run. {chosen}, for which there is no function here.")
