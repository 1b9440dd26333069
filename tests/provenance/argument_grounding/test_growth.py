"""The work grows with what there is to read, in every dimension, and ends."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Final

import pytest

from reviews.provenance.argument_grounding import GroundedCall, Grounder
from reviews.provenance.argument_grounding.grounder import OUT_OF_BUDGET
from reviews.provenance.core.context import Context, Message, ProposedAction, Step, ToolDoc
from reviews.provenance.core.work_budget import Budget
from tests.provenance.growth import TWICE, growth

Traced = tuple[Context, ProposedAction]
# Numbers that are no run of one counter.
_STEP: Final = 7919
# What a check of any size may take, here by itself on a slow machine.
MAX_SECONDS, MAX_BYTES = 2.0, 300 * 2**20


def sending(query: str, *history: Step | Message, schema: object = None, tools: int = 0, **arguments: object) -> Traced:
    document = ToolDoc("send_money", "Send money.", {"type": "object", "properties": schema or {}})
    others = tuple(ToolDoc(f"send_thing_{n}", "Send a thing.", {}) for n in range(tools))
    return Context(query, (document, *others), history), ProposedAction("send_money", arguments or {"amount": 30})


DIMENSIONS: dict[str, tuple[int, Callable[[int], Traced]]] = {
    "numbers of a message": (2_000, lambda n: sending(" ".join(str(i * _STEP % 10_007) for i in range(n)))),
    "numbers of a result": (8_000, lambda n: sending("Send 30.", Step("list", {}, json.dumps(list(range(100, n)))))),
    "records": (
        2_000,
        lambda n: sending(
            "Send 30 to Ann Lee.",
            Step("list", {}, json.dumps([{"id": f"ab{i}x{i}", "name": f"Ann Lee {i}"} for i in range(n)])),
            to="ab7x7",
        ),
    ),
    "sentences": (15, lambda n: sending("Send money 30. The weather is fine. " * n)),
    # Of more than 64 places that say a value no further one is looked at.
    "quotations": (30, lambda n: sending("Send 'x' to \"y\". " * n, to="x")),
    "quoted texts": (
        100,
        lambda n: sending(
            "Send 30. " + "".join(f"Note 'ab {i}'. " for i in range(n)),
            schema={"note": {"type": "string"}}, note=" ".join(f"ab {i}" for i in range(n)),
        ),
    ),
    "words that describe": (300, lambda n: sending("Send the last money " + "from 'bob' of ann " * n, to="ab7x7")),
    "arguments": (100, lambda n: sending("Send 30 to Ann.", **{f"p{i}": i * _STEP for i in range(n)})),
    # The words of a message are read once, however many values may be spoken of by them.
    "switches and other words": (
        60,
        lambda n: sending(
            "Send 30. " + " ".join(f"{chr(97 + i % 26)}wor{i}d" for i in range(100 * n)),
            **{f"p{i}": True for i in range(n)},
        ),
    ),
    "nested arguments": (
        100, lambda n: sending("Send 30.", items=[{"id": f"ab{i}x{i}", "amount": i} for i in range(n)])
    ),
    "enum items": (
        500,
        lambda n: sending("Send 30 to o7.", schema={"to": {"enum": [f"o{i}" for i in range(n)]}}, to="o7"),
    ),
    "schema properties": (
        500, lambda n: sending("Send 30.", schema={f"field_{i}": {"type": "string"} for i in range(n)}, field_7="30")
    ),
    "messages": (500, lambda n: sending("Send 30.", *(Message("user", f"Send {i}.") for i in range(n)))),
    "agreements": (
        200, lambda n: sending("Send 30.", *(Message(("assistant", "user")[i % 2], "Yes.") for i in range(2 * n)))
    ),
    "look-ups": (300, lambda n: sending("Send 30.", *(Step("list", {"n": i}, f'{{"amount": {i}}}') for i in range(n)))),
    "tools": (500, lambda n: sending("Please send money 30.", tools=n)),
}  # fmt: skip


def trace(case: Traced, budget: Budget | None = None) -> GroundedCall:
    # The sources are made once by whoever reads them first.
    asked = Context(case[0].query, case[0].tools, case[0].history)
    return Grounder(asked, budget or Budget(steps=10**9)).trace_call(case[1])


@pytest.mark.bench
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_twice_as_much_takes_twice_as_long(dimension: str) -> None:
    size, make = DIMENSIONS[dimension]
    assert growth(make, trace, size) <= TWICE


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_what_is_larger_spends_more_of_the_budget(dimension: str) -> None:
    """A loop that spends nothing is found here before it is found by an attacker."""
    size, make = DIMENSIONS[dimension]
    assert spent(make(2 * size)) > 1.2 * spent(make(size))


def spent(case: Traced) -> int:
    budget = Budget(steps=10**9)
    trace(case, budget)
    return 10**9 - budget.steps


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_budget_that_runs_out_leaves_everything_unknown(dimension: str) -> None:
    size, make = DIMENSIONS[dimension]
    call = trace(make(size), Budget(steps=5))
    assert not call.is_proven
    assert {(leaf.holds, leaf.rule) for leaf in call.leaves} == {(None, OUT_OF_BUDGET)}


@pytest.mark.bench
@pytest.mark.parametrize("kind", ["JSON", "text"])
def test_five_megabytes_are_read_or_left_within_seconds(kind: str) -> None:
    rows = [{"id": f"ab{i}x{i}", "name": f"Ann {i}", "total": i * _STEP} for i in range(90_000)]
    outcome = json.dumps(rows) if kind == "JSON" else "It was 30 dollars and 17 cents for Ann. " * 125_000
    start = time.process_time()
    Grounder(*_context(outcome)).trace_call(ProposedAction("send_money", {"to": "ab7x7", "amount": 30}))
    assert time.process_time() - start <= 5 * MAX_SECONDS


def _context(outcome: str) -> tuple[Context]:
    return (Context("Send 30 to Ann.", (ToolDoc("send_money", "Send money."),), (Step("list", {}, outcome),)),)


NESTED = """
import time
from reviews.provenance.core.context import Context, ProposedAction, Step, ToolDoc
from reviews.provenance.argument_grounding import Grounder
context = Context("Send 30 to Ann.", (ToolDoc("send_money", "Send money."),), (Step("list", {}, "[1," * 128_000),))
start = time.process_time()
Grounder(context).trace_call(ProposedAction("send_money", {"to": "ab7x7", "amount": 30}))
seconds = time.process_time() - start
# Of this program alone: what `getrusage` tells includes the test process that it was forked from.
kilobytes = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, kilobytes)
"""


@pytest.mark.bench
def test_brackets_without_end_stay_within_time_and_memory() -> None:
    run = subprocess.run([sys.executable, "-c", NESTED], capture_output=True, text=True, check=True)
    seconds, kilobytes = map(float, run.stdout.split())
    assert seconds <= MAX_SECONDS
    assert kilobytes * 1024 <= MAX_BYTES
