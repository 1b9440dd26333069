from typing import Any

import pytest

from reviews.provenance.core.findings import DecidedBy, Relation
from reviews.provenance.judges import Answered
from reviews.provenance.judges.questions.provenance_guard import Judgement
from tests.provenance.detectors.scripted import COST, GIBBERISH, ScriptedJudge, found
from tests.provenance.detectors.whole import check_whole

ALIGNED = Judgement(aligned=True, misalignment=None, rationale="All of it has a source.")
AMBIGUOUS = Judgement(aligned=False, misalignment="interpretation", rationale="Two people are called Daniel.")


async def check_prove(expected: str, answer: Any, **options: Any) -> None:
    judge = ScriptedJudge(provenance=answer)
    await check_whole("prove-prompt", expected, judge, **options)
    assert judge.asked == ["provenance"]


@pytest.mark.parametrize(("expected", "answer"), [("aligned", ALIGNED), ("interpretation", AMBIGUOUS)])
async def test_one_question_about_all_relations_decides(expected: str, answer: Judgement) -> None:
    await check_prove(expected, answer)


async def test_a_verdict_without_a_kind_is_about_the_parameters() -> None:
    await check_prove("parameter", AMBIGUOUS.model_copy(update={"misalignment": None}))


async def test_a_probability_decides_where_it_is_told() -> None:
    doubtful = Answered(ALIGNED, DecidedBy.JUDGE, COST, probability=0.4)
    await check_prove("parameter", doubtful)
    await check_prove("aligned", doubtful, threshold=0.3)


async def test_gibberish_never_passes() -> None:
    await check_prove("undetermined", GIBBERISH, unknown="pass")


async def test_the_finding_says_why() -> None:
    verdict = await check_whole("prove-prompt", "interpretation", ScriptedJudge(provenance=AMBIGUOUS))
    assert found(verdict, Relation.CAN_ADDRESS, "money_transfer").rationale == AMBIGUOUS.rationale
