"""The executable: one event on stdin, the answer on stdout, or a refusal on stderr with exit code 2.

What is told of a call that has run never ends with that code: nothing can be blocked any more, and its model would be
told that the call was not run.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn, TypeAlias

from ..deadlines import deadline_after, seconds_left
from ..errors import GuardError, NotRunnableError
from ..outcomes import NotDecided
from ..permission import require_approval
from ..restoring import is_same_json
from ..synchronous import Guard
from .catalogue import SHELL, is_read_only, tool_document
from .transcript import has_user_words, read_messages

Event: TypeAlias = Mapping[str, Any]
BEFORE, SUCCEEDED, FAILED = "PreToolUse", "PostToolUse", "PostToolUseFailure"
AFTER = (SUCCEEDED, FAILED)
STDOUT, STDERR = 1, 2
# Of a call that must not run: hosts take every other failure for one of the hook, and let the call run.
BLOCKED = 2
# Of a call that has run: a failure of the hook, which hosts show and go on.
NOT_REPORTED = 1
LATE = b"The guard did not answer in time. The call was not run."
WITHDRAWN = "nobody decided in time, and the proposal was withdrawn."
# Below the minute that hosts grant a hook at least unless they are told otherwise.
TIMEOUT_SECONDS = 50.0
# For the process to end by itself, before it is ended.
GRACE_SECONDS = 5.0
# Larger than any call that a model writes.
MAX_EVENT_BYTES = 10_000_000
PIECE_BYTES = 65_536
# The guard asks for words of the user. These are none, and nothing is ever proven by them.
NO_WORDS = "—"
NO_REQUEST = "The host passed on no words of the user: nothing is proven by any."
_BLANK = re.compile(r"[ \t\r\n]*")
_log = logging.getLogger("provenanceguard")


def main() -> None:
    """Answer one event; exit with 2 where the call must not run."""
    options, received = _read_options(), bytearray()
    watchdog = threading.Timer(options.timeout + GRACE_SECONDS, _end_late, [received])
    watchdog.daemon = True
    watchdog.start()
    try:
        answer = answer_event(_read_event(received), options.url, options.key, options.timeout)
        if answer:
            # What does not arrive blocks the call, too: a host without it would run the call as it was before an edit.
            _write(STDOUT, json.dumps(answer))
    except NotRunnableError as refusal:
        _fail(received, refusal.model_message)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the call must not run
        trouble = f"{type(error).__name__}: {error}"
        _fail(received, f"The guard could not be asked ({trouble}). The call was not run.", trouble)


def answer_event(
    event: Event, url: str, key: str, timeout: float, guard_type: Callable[[str, str], Guard] = Guard
) -> dict[str, Any] | None:
    """The host's answer; None where we have nothing to say and the host goes on as without us.

    Raises `NotRunnableError` and every other error for a call that must not run.
    """
    name, tool, arguments = event["hook_event_name"], event["tool_name"], event["tool_input"]
    if name not in (BEFORE, *AFTER) or not isinstance(tool, str) or not isinstance(arguments, Mapping):
        raise ValueError(f"this is no event that the hook knows: {name}")
    # Nothing is said of them, so that the host's own rules of what may be read stay in force. But a command that only
    # reads, and has run, may be what a reviewer made of another one.
    if is_read_only(tool, arguments) and not (name in AFTER and tool == SHELL):
        return None
    if not url or not key:
        raise ValueError("PROVENANCEGUARD_URL and PROVENANCEGUARD_KEY say which guard to ask")
    with guard_type(url, key) as guard:
        if name in AFTER:
            _report(guard, event)
            return None
        return _decide(guard, event, timeout)


def _decide(guard: Guard, event: Event, timeout: float) -> dict[str, Any]:
    """Leave to run the call, as it was approved. Raises `NotRunnableError`."""
    deadline = deadline_after(timeout)
    call = {"type": "tool_use", "name": event["tool_name"], "input": event["tool_input"]}
    identified = {"id": event["tool_use_id"]} if event.get("tool_use_id") else {}
    outcome = guard.check({**call, **identified}, _past_of(event), timeout=timeout)
    if isinstance(outcome, NotDecided) and outcome.action is not None:
        # The agent goes on without it; nobody shall decide what no one waits for.
        with suppress(GuardError):
            withdrawn = guard.cancel(outcome.action.id, timeout=GRACE_SECONDS / 2)
            outcome = NotDecided(withdrawn, "cancelled", WITHDRAWN)
    approved = require_approval(outcome)
    # One that chose another tool raises: a host runs the tool that it has called.
    permit = guard.start(approved, {event["tool_name"]: _run_by_host}, timeout=seconds_left(deadline))
    decision: dict[str, Any] = {
        "hookEventName": BEFORE,
        "permissionDecision": "allow",
        "permissionDecisionReason": f"Approved by the {approved.decision.decided_by}.",
    }
    if not is_same_json(dict(permit.call.arguments), dict(event["tool_input"])):
        decision["updatedInput"] = dict(permit.call.arguments)
    return {"hookSpecificOutput": decision}


def _run_by_host(**arguments: Any) -> None:
    """Stands for the host, which runs the call itself."""


def _past_of(event: Event) -> dict[str, Any]:
    """The conversation so far, as far as the host's file tells it."""
    messages: list[dict[str, Any]] = []
    with suppress(OSError):
        messages = read_messages(str(event.get("transcript_path") or ""))
    past: dict[str, Any] = {"tools": [tool_document(event["tool_name"])], **_named_by_session(event)}
    if not has_user_words(messages):
        # Before what else was said, which may be no beginning of a conversation.
        messages = [{"role": "user", "content": NO_WORDS}]
        past["subtask"] = NO_REQUEST
    return {**past, "messages": messages}


def _named_by_session(event: Event) -> dict[str, str]:
    """What the conversation is called at the guard."""
    return {"trace_id": str(event["session_id"])} if event.get("session_id") else {}


def _report(guard: Guard, event: Event) -> None:
    """Tell what came of a call that the guard let run; a call that it was not asked about has nothing to report."""
    call_id = event.get("tool_use_id")
    # Of this session alone: the calls of another may have the same ids.
    wanted = {"tool_call_id": call_id, "status": "decided", **_named_by_session(event)}
    # Without failing: the call has run.
    try:
        page = guard.list_actions(**wanted, timeout=GRACE_SECONDS) if call_id else None
        for action in page.items[:1] if page else ():
            succeeded = event["hook_event_name"] == SUCCEEDED
            outcome = event.get("tool_response" if succeeded else "error")
            # Other hooks of the host, and its user, may have changed what the guard has approved.
            ran: Mapping[str, Any] = event["tool_input"]
            guard.report(action.id, succeeded=succeeded, outcome=outcome, arguments=ran, timeout=GRACE_SECONDS)
    except GuardError as error:
        _log.warning("what came of call %s was not reported: %s", call_id, error)


def _read_event(received: bytearray) -> Event:
    """The event, which is received piece by piece: what does not come to its end may still tell what it is of."""
    while len(received) < MAX_EVENT_BYTES and (piece := os.read(sys.stdin.fileno(), PIECE_BYTES)):
        received += piece
    event = json.loads(received, object_pairs_hook=_named_once)
    if not isinstance(event, Mapping):
        raise TypeError("an event is an object")
    return event


def _named_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Raises ValueError for one with two members of a name: its host may take another of them than we do."""
    named = dict(members)
    if len(named) < len(members):
        raise ValueError("two members have one name")
    return named


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="provenanceguard-hook", description=__doc__)
    parser.add_argument("--url", default=os.environ.get("PROVENANCEGUARD_URL", ""), help="address of the guard")
    parser.add_argument("--timeout", type=float, default=TIMEOUT_SECONDS, help="seconds; below the host's own time-out")
    options = parser.parse_args()
    # Not as an option: other users of the machine see those.
    options.key = os.environ.get("PROVENANCEGUARD_KEY", "")
    return options


def has_run(received: bytes | bytearray) -> bool:
    """Whether an event is told behind its call; what does not say so itself is of a call that is yet to run."""
    return _event_name(received.decode(errors="replace")).startswith("Post")


def _event_name(text: str) -> str:
    """The event's name, where it stands before whatever is broken, cut off or missing.

    Member by member, because a call's arguments may have one of that name too.
    """
    decoder, place, before = json.JSONDecoder(), _next(text, 0), "{"
    with suppress(ValueError, RecursionError):
        while text[place : place + 1] == before:
            name, place = decoder.raw_decode(text, _next(text, place + 1))
            colon = _next(text, place)
            if text[colon : colon + 1] != ":":
                break
            value, place = decoder.raw_decode(text, _next(text, colon + 1))
            if name == "hook_event_name":
                return str(value)
            place, before = _next(text, place), ","
    return ""


def _next(text: str, place: int) -> int:
    """Where the blanks are over."""
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place


def _write(number: int, text: str) -> None:
    """Write all of it at once: what a buffer of Python's cannot get rid of at the end changes the exit code."""
    unwritten = text.encode(errors="backslashreplace")
    while unwritten:
        unwritten = unwritten[os.write(number, unwritten) :]


def _fail(received: bytes | bytearray, refusal: str, trouble: str = "") -> NoReturn:
    is_over = has_run(received)
    words = f"What came of the call was not reported ({trouble or refusal})." if is_over else refusal
    with suppress(OSError):
        _write(STDERR, words)
    sys.exit(NOT_REPORTED if is_over else BLOCKED)


def _end_late(received: bytearray) -> None:
    """The last resort: something hangs, and the host would let the call run behind its own time-out."""
    is_over = has_run(bytes(received))
    words = b"What came of the call was not reported in time." if is_over else LATE
    with suppress(Exception):
        os.write(STDERR, words)
    os._exit(NOT_REPORTED if is_over else BLOCKED)
