"""What a client does with each decision and each trouble: what has run, and what the model was told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from ..synchronous import Guard
from ..values import Call
from .interposer import Interposer, Trouble, interposed
from .results import ARGUMENTS, PAST, TOOL, Result

# As told to the model; no client makes these words up.
REASON = "Too much for a lunch."
EDITED = {**ARGUMENTS, "amount": 3}
# Long enough for every retry that gets through, and for a slow test machine.
TIMEOUT_SECONDS = 30.0
# Long enough to be waited for, with more than one look at a guard that grants no wait.
LATE_SECONDS = 3.0
# What a client may take beyond its time-out before it counts as hung.
HANG_SECONDS = 20.0
# Scenarios mostly wait. Few enough that a guard on one machine answers each of them in time.
MAX_AT_ONCE = 4


@dataclass(frozen=True)
class Trial:
    """What a client is given to do."""

    url: str
    key: str
    call: Call
    past: Mapping[str, Any]
    """The user's query and the tools."""
    function: Callable[..., Any]
    """To be called with the arguments by name, where they are approved."""
    timeout: float
    """Seconds after which the client gives up."""


Client: TypeAlias = Callable[[Trial], object]
"""A client or adapter as its user has it: proposes the call, runs the function, returns what the model is told."""


@dataclass(frozen=True)
class Scenario:
    """A decision or a trouble, and what has to come of it."""

    name: str
    promise: str
    forced: Mapping[str, Any] | None
    runs_with: Mapping[str, Any] | None = None
    """The arguments that it has to run with, once; None where nothing may run."""
    trouble: Trouble = ""
    message: str = ""
    """What the model has to be told, among other words."""
    timeout: float = TIMEOUT_SECONDS
    is_reported: bool = False
    """Whether the guard has to learn what came of it."""


_APPROVE: Mapping[str, Any] = {"outcome": "approve"}
_LATE: Mapping[str, Any] = {"outcome": "approve", "after": LATE_SECONDS}
SCENARIOS = (
    Scenario("approve", "an approved call runs once, as it was proposed", _APPROVE, ARGUMENTS),
    Scenario("report", "what came of the call is reported", _APPROVE, ARGUMENTS, is_reported=True),
    Scenario("edit", "an edited call runs as it was edited", {"outcome": "edit", "arguments": EDITED}, EDITED),
    Scenario(
        "reject",
        "a rejected call does not run, and the model is told why",
        {"outcome": "reject", "message": REASON},
        message=REASON,
    ),
    Scenario(
        "respond",
        "a call that is answered instead does not run, and the model is told the answer",
        {"outcome": "respond", "message": REASON},
        message=REASON,
    ),
    Scenario("expire", "a call that nobody decided in time does not run", {"outcome": "expire"}),
    Scenario("cancel", "a call that was cancelled meanwhile does not run", None, trouble="cancelled meanwhile"),
    Scenario(
        "duplicate",
        "a submission whose answer was lost is sent again as the same one",
        _APPROVE,
        ARGUMENTS,
        trouble="submission answer lost",
    ),
    Scenario("late answer", "a decision that takes its time is waited for", _LATE, ARGUMENTS),
    Scenario("too late", "what is decided behind the time-out does not run", _LATE, timeout=1),
    Scenario(
        "conflicting decision",
        "an approval whose execution is refused does not run",
        _APPROVE,
        trouble="execution refused",
    ),
    Scenario("guard down", "nothing runs while the guard cannot be reached", _APPROVE, trouble="down", timeout=5),
    Scenario("poll cut", "a wait whose connection breaks goes on", _LATE, ARGUMENTS, trouble="polls cut"),
    Scenario(
        "execution replayed",
        "a permission whose answer was lost is asked for again, and the call runs once",
        _APPROVE,
        ARGUMENTS,
        trouble="execution answer lost",
    ),
)


def run_with_guard(trial: Trial) -> object:
    """This package's own client."""
    call = trial.call
    with Guard(trial.url, trial.key) as guard:
        return guard.run((call.tool, call.arguments), trial.past, trial.function, timeout=trial.timeout)


def check_client(
    url: str, key: str, client: Client = run_with_guard, *, only: Collection[str] = ()
) -> Iterator[Result]:
    """Play each scenario, or those of these names. `key` has to be a test key of the guard at `url`."""
    chosen = [scenario for scenario in SCENARIOS if not only or scenario.name in only]
    with ThreadPoolExecutor(MAX_AT_ONCE) as threads:
        yield from threads.map(partial(_play, url, key, client), chosen)


def _play(url: str, key: str, client: Client, scenario: Scenario) -> Result:
    with interposed(url, scenario.forced, scenario.trouble) as (address, interposer):
        ran, message = _run_client(client, address, key, scenario.timeout)
        observed = "; ".join(_broken_promises(scenario, interposer, ran, message))
    return Result(scenario.name, scenario.promise, not observed, observed)


def _run_client(client: Client, address: str, key: str, timeout: float) -> tuple[list[dict[str, Any]], str | None]:
    """What ran, and what the model was told; None where the client hangs."""
    ran: list[dict[str, Any]] = []
    messages: list[str] = []

    def pay(**arguments: Any) -> str:
        """Sends money."""
        ran.append(arguments)
        return f"paid {arguments.get('amount')}"

    def run() -> None:
        try:
            trial = Trial(address, key, Call(TOOL, dict(ARGUMENTS)), dict(PAST), pay, timeout)
            messages.append(str(client(trial)))
        except Exception as error:  # noqa: BLE001 - whatever a client raises is its refusal
            messages.append(str(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout + HANG_SECONDS)
    return ran, messages[0] if messages else None


def _broken_promises(
    scenario: Scenario, interposer: Interposer, ran: list[dict[str, Any]], message: str | None
) -> Iterator[str]:
    due = [] if scenario.runs_with is None else [dict(scenario.runs_with)]
    if ran != due:
        yield f"ran with {ran}, not {due}"
    if message is None:
        yield f"had not returned {HANG_SECONDS:g} s behind its time-out of {scenario.timeout:g} s"
    elif scenario.message not in message:
        yield f"the model was told {message!r}"
    if len(interposer.action_ids) > 1:
        yield f"{len(interposer.action_ids)} actions were made of one call"
    if scenario.trouble and not interposer.troubled:
        yield "it never came to the trouble that was to be made"
    if scenario.is_reported and [report.get("status") for report in interposer.reports] != ["succeeded"]:
        yield f"reported was {interposer.reports}"
