from typing import Any

import pytest

from reviews.provenance.core.context import Case, Step
from reviews.provenance.core.findings import Finding
from tests.provenance.detectors.scripted import ScriptedJudge, case
from tests.provenance.detectors.whole import NO_ANSWER, check_whole, rated

LOOKED_UP = (Step("find_contact", {"name": "Daniel"}, "id 7"), Step("find_contact", {"name": "Dora"}, "id 8"))


async def check_steps(expected: str, *probabilities: float, proposal: Case | None = None, **options: Any) -> Finding:
    judge = ScriptedJudge(steps=rated(*probabilities))
    verdict = await check_whole("multi-step", expected, judge, proposal or case(history=LOOKED_UP), **options)
    assert judge.asked == ["steps"]
    return verdict.findings[-1]


@pytest.mark.parametrize(("aggregate", "score"), [("product", 0.36), ("min", 0.5), ("max", 0.9), ("mean", 0.7333)])
async def test_the_numbers_make_one_score(aggregate: str, score: float) -> None:
    told = await check_steps("aligned", 0.9, 0.5, 0.8, aggregate=aggregate, threshold=0.3)
    assert told.score == pytest.approx(score, abs=1e-4)
    await check_steps("plan", 0.9, 0.5, 0.8, aggregate=aggregate, threshold=0.95)


async def test_the_product_is_what_counts_unless_told_otherwise() -> None:
    await check_steps("plan", 0.7, 0.7, 0.7)
    await check_steps("aligned", 0.8, 0.8, 0.8)


async def test_the_weakest_call_is_named() -> None:
    told = await check_steps("plan", 0.9, 0.2, 0.8)
    assert "The weakest is call 2 of 3 with 0.2. The second is odd." in told.rationale


async def test_a_first_call_is_rated_alone() -> None:
    await check_steps("aligned", 0.5, proposal=case())


@pytest.mark.parametrize(("answer", "expected"), NO_ANSWER)
async def test_a_missing_answer(answer: Any, expected: str) -> None:
    await check_whole("multi-step", expected, ScriptedJudge(steps=answer), unknown="pass")
