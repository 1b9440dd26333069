"""How long a verdict takes beside an endpoint of fixed delay L, and what it costs: ours warm and cold, and in the
published order. Every question is left to the endpoint: no rule answers.
"""

import asyncio
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from reviews.provenance.core.context import Case, Context, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Usage
from reviews.provenance.detectors import Options, ProvenanceGuard, verdict_of
from reviews.provenance.judges import Judge
from reviews.provenance.judges.caching import Caching, MemoryAnswers
from reviews.provenance.judges.openai import OpenAIJudge
from tests.bench.report import note
from tests.endpoint import ScriptedEndpoint

pytestmark = pytest.mark.bench

DELAY = 0.4
"""L, in seconds."""
ROUNDS = 7
FIELD = {"type": "string"}
TOOL = ToolDoc("handle", "Handles a matter.", {"properties": {"who": FIELD, "how": FIELD}, "required": ["who"]})
DERIVABLE = {"parameters": [{"path": "/who", "derivable": True}, {"path": "/how", "derivable": False}]}
QUOTED = {"source": "query", "quote": "Inês Prado"}
SUPPORTED = {
    "arguments": [{"pointer": "/who", "derived": True, "quotes": [QUOTED], "rationale": "Her matter."}],
    "can_address": True,
    "rationale": "It does.",
}


@dataclass(frozen=True)
class Measured:
    """One way of judging."""

    ratio: float
    """Median seconds, as a multiple of L."""
    usage: Usage

    def line(self, name: str) -> str:
        usage = self.usage
        return (
            f"{name:<16}{self.ratio:>6.2f} L{usage.calls:>4} calls"
            f"{usage.prompt_tokens:>7} prompt tokens{usage.completion_tokens:>6} completion tokens"
        )


def case(number: int) -> Case:
    """A call whose context no other has, so that nothing but the tool's document is known from before."""
    history = (Step("read", {}, "It is raining."),)
    context = Context(f"See to the Lisbon matter of Inês Prado, file {number}", (TOOL,), history)
    return Case(context, ProposedAction("handle", {"who": "Inês Prado", "how": "gently"}, "See to it"))


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(derivability=DERIVABLE, support=SUPPORTED, delay=DELAY) as serving:
        yield serving


async def measured(endpoint: ScriptedEndpoint, *, warm: bool, order: str) -> Measured:
    detector = ProvenanceGuard(Options(order="paper" if order == "paper" else "parallel"))
    seconds, usage = [], Usage()
    async with OpenAIJudge(model="scripted", base_url=endpoint.base_url) as model:
        judge: Judge = Caching(model, MemoryAnswers(), scope="bench") if warm else model
        await verdict_of(detector, case(0), judge)
        for number in range(1, ROUNDS + 1):
            started = time.perf_counter()
            verdict = await verdict_of(detector, case(number), judge)
            seconds.append(time.perf_counter() - started)
            assert verdict.label == "aligned", verdict
            usage = verdict.usage
    return Measured(statistics.median(seconds) / DELAY, usage)


def test_a_verdict_takes_about_one_round_trip(endpoint: ScriptedEndpoint) -> None:
    warm = asyncio.run(measured(endpoint, warm=True, order="parallel"))
    cold = asyncio.run(measured(endpoint, warm=False, order="parallel"))
    paper = asyncio.run(measured(endpoint, warm=False, order="paper"))
    for text in (warm.line("warm"), cold.line("cold"), paper.line('order="paper"')):
        note(text)
    assert warm.ratio <= 1.25
    assert cold.ratio <= 2.25
    assert paper.ratio > cold.ratio
