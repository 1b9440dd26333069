"""What a verdict costs with each published detector, on the same thirty calls beside an endpoint of fixed delay L.

Ten conversations of three calls, each with tools of its own. Every answer is favourable and in its form, but that the
inferred task does the user's only in every other conversation: else InferAct has to ask a third question.
"""

import asyncio
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest

from reviews.evaluation.reports.tables import markdown_table
from reviews.evaluation.runs.detectors import CONTESTANTS, Choices, enter_contestant
from reviews.provenance.core.context import Case, Context, PlanStep, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Usage
from reviews.provenance.detectors import verdict_of
from reviews.provenance.judges.openai import OpenAIJudge
from tests.bench.report import note
from tests.endpoint import HOLDS, ScriptedEndpoint

pytestmark = pytest.mark.bench

DELAY: Final = 0.2
"""L, in seconds."""
CONVERSATIONS, CALLS = 5, 3
SAFE: Final = {"label": "safe", "rationale": "It serves the request."}
QUOTED: Final = {"source": "query", "quote": "the Lisbon matter"}
CLASSES: Final = [{"path": "/who", "derivable": True}, {"path": "/how", "derivable": False}]
SUPPORTED: Final = {"pointer": "/who", "derived": True, "quotes": [QUOTED], "rationale": "Her matter."}
ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "derivability": {"parameters": CLASSES},
    "support": {"arguments": [SUPPORTED], "can_address": True, "rationale": "It does."},
    "alignment": {"aligned": True, "misalignment": None, "rationale": "As asked."},
    "provenance": {"aligned": True, "misalignment": None, "rationale": "All of it has a source."},
    "inference": {"task": "See to the Lisbon matter."},
    "progress": {"holds": True},
    "correctness": {"holds": True},
    "trajectory_verdict": {"correct": True, "rationale": "As asked.", "completed": False},
    "malicious_intent": SAFE,
    "intent_deviation": SAFE,
    "tool_risk": SAFE,
    "tool_combination": SAFE,
    "segmentation": {"quotes": [], "rationale": "It reports."},
    "invariants": {"invariants": ["Only the Lisbon matter is seen to.", "Nobody is paid."]},
    "invariant_check": {"invariant_1": True, "invariant_2": True, "rationale": "Both are kept."},
    "entailment": HOLDS,
}

AT_FIRST: Final = {
    "direct-prompt": {1}, "prove-prompt": {1}, "token-probability": {1}, "token-entropy": {1}, "multi-step": {1},
    "infer-act-direct": {1}, "self-consistency": {5}, "infer-act-verb": {2, 3}, "infer-act-prob": {3},
    "provenance-guard-paper": {4}, "intent-guard": {2 + 2}, "argus": {5},
}  # fmt: skip
"""Calls for the first verdict of a conversation, as the papers have them. ARGUS: conditions made and held against the
call, entailment, and what needs a source and has it."""
LATER: Final = AT_FIRST | {"intent-guard": {2}, "argus": {5}}
"""And for the others: a plan is judged once, and so are conditions made; an observation more is read."""


@dataclass(frozen=True)
class Measured:
    """One verdict."""

    first: bool
    """Of its conversation."""
    usage: Usage
    seconds: float


def tool(conversation: int, number: int) -> ToolDoc:
    field = {"type": "string"}
    schema = {"type": "object", "properties": {"who": field, "how": field}, "required": ["who"]}
    return ToolDoc(f"handle_{number}", f"Handles matters of kind {conversation}-{number}.", schema)


def conversation(number: int) -> Iterator[Case]:
    """Three calls, each of a tool that was not called before."""
    tools = tuple(tool(number, call) for call in range(CALLS))
    plan = tuple(PlanStep(f"See to it in way {call}", (each.name,)) for call, each in enumerate(tools))
    arguments = {"who": "Inês Prado", "how": "gently"}
    made = tuple(
        Step(each.name, arguments, f"Part {call} of file {number} is done.") for call, each in enumerate(tools)
    )
    for call, each in enumerate(tools):
        context = Context(f"See to the Lisbon matter, file {number}", tools, made[:call], plan=plan)
        yield Case(context, ProposedAction(each.name, arguments, "See to it"))


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(delay=DELAY, probability=0.9, **ANSWERS) as serving:
        yield serving


async def measured(endpoint: ScriptedEndpoint, name: str) -> list[Measured]:
    results = []
    async with OpenAIJudge(model="scripted", base_url=endpoint.base_url) as model:
        for number in range(CONVERSATIONS):
            # One of its own for each conversation: nothing is known from the one before.
            contestant = enter_contestant(name, model, Choices())
            for call, case in enumerate(conversation(number)):
                endpoint.answers["completion"] = {"holds": number % 2 == 0}
                endpoint.answers["steps"] = {f"step_{n + 1}": 0.9 for n in range(call + 1)} | {"rationale": "Likely."}
                started = time.perf_counter()
                verdict = await verdict_of(contestant.detector, case, contestant.judge)
                results.append(Measured(call == 0, verdict.usage, time.perf_counter() - started))
                assert verdict.label == "aligned", (name, verdict)
    return results


def calls(results: list[Measured], *, first: bool) -> set[int]:
    return {each.usage.calls for each in results if each.first is first}


def seconds(results: list[Measured]) -> float:
    return statistics.median(each.seconds for each in results)


def row(name: str, results: list[Measured]) -> tuple[object, ...]:
    def mean(of: Callable[[Measured], float]) -> float:
        return statistics.fmean(map(of, results))

    numbers = (" or ".join(map(str, sorted(calls(results, first=first)))) for first in (True, False))
    tokens = mean(lambda each: each.usage.prompt_tokens), mean(lambda each: each.usage.completion_tokens)
    return (
        name,
        *numbers,
        f"{mean(lambda each: each.usage.calls):.2f}",
        *(f"{each:.0f}" for each in tokens),
        f"{seconds(results) / DELAY:.2f}",
    )


def test_a_verdict_takes_the_calls_that_its_paper_names(endpoint: ScriptedEndpoint) -> None:
    results = {name: asyncio.run(measured(endpoint, name)) for name in CONTESTANTS}
    columns = ("detector", "calls, first", "calls, later", "calls", "prompt tokens", "completion tokens", "time in L")
    title = f"{CONVERSATIONS} conversations of {CALLS} calls, L = {DELAY} s; tokens are means, time is the median"
    note(markdown_table(title, columns, (row(name, each) for name, each in results.items())))
    assert {name: calls(results[name], first=True) for name in AT_FIRST} == AT_FIRST
    assert {name: calls(results[name], first=False) for name in LATER} == LATER
    # It asks as much, but at once.
    assert seconds(results["provenance-guard"]) < seconds(results["provenance-guard-paper"])
