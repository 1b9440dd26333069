import asyncio
from typing import Any

import pytest

from reviews.provenance.core.findings import DecidedBy, Relation
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.detectors import SelfConsistency, verdict_of
from reviews.provenance.judges import Answered, Caching, JudgeUnavailableError
from reviews.provenance.judges.base import Sampling
from reviews.provenance.judges.caching import MemoryAnswers
from reviews.provenance.judges.questions.infer_act import TrajectoryJudgement
from tests.provenance.detectors.scripted import COST, GIBBERISH, SILENT, case, found
from tests.provenance.detectors.whole import USED_UP

FOR = TrajectoryJudgement(completed=True, correct=True, rationale="As asked.")
AGAINST = TrajectoryJudgement(completed=True, correct=False, rationale="Nobody named that sum.")


class Samples:
    """Gives each draw its own answer, the last one first."""

    name = "samples"

    def __init__(self, *answers: Any) -> None:
        self.answers = answers
        self.drawn: list[Sampling] = []

    async def ask(self, question: Any) -> Any:
        self.drawn.append(question.sampling)
        for _ in range(10 - question.sampling.number):
            await asyncio.sleep(0)
        answer = self.answers[question.sampling.number - 1]
        if isinstance(answer, Exception):
            raise answer
        return Answered(answer, DecidedBy.JUDGE, COST, 0.1) if isinstance(answer, TrajectoryJudgement) else answer


async def check_votes(expected: str, *answers: Any) -> Verdict:
    """Five draws, and the verdict they make."""
    judge = Samples(*answers)
    verdict = await verdict_of(SelfConsistency(), case(), judge)
    assert getattr(verdict, "type", verdict.label) == expected, verdict
    assert judge.drawn == [Sampling(0.7, number) for number in (1, 2, 3, 4, 5)]
    return verdict


async def test_the_majority_decides_by_word_and_not_by_probability() -> None:
    verdict = await check_votes("aligned", FOR, AGAINST, FOR, AGAINST, FOR)
    assert found(verdict, Relation.CONTRIBUTE_TO, "Pay Daniel").score == 0.6


async def test_five_calls_are_made_also_where_three_agree() -> None:
    assert (await check_votes("aligned", FOR, FOR, FOR, FOR, FOR)).usage.calls == 5


async def test_the_first_reason_of_the_majority_is_told() -> None:
    verdict = await check_votes("plan", AGAINST, FOR, AGAINST, AGAINST, FOR)
    told = found(verdict, Relation.CONTRIBUTE_TO, "Pay Daniel").rationale
    assert told == "3 of 5 samples are against the call. Nobody named that sum."


async def test_a_sample_that_cannot_be_read_is_a_vote_against() -> None:
    await check_votes("aligned", FOR, GIBBERISH, FOR, GIBBERISH, FOR)
    await check_votes("plan", FOR, GIBBERISH, FOR, GIBBERISH, AGAINST)
    await check_votes("plan", *[GIBBERISH] * 5)


@pytest.mark.parametrize("answer", [SILENT, USED_UP])
async def test_a_sample_that_nobody_drew_leaves_no_verdict(answer: Any) -> None:
    await check_votes("undetermined", FOR, FOR, FOR, FOR, answer)


async def test_a_judge_out_of_reach_is_told_after_every_draw() -> None:
    judge = Samples(JudgeUnavailableError("away"), FOR, FOR, FOR, FOR)
    with pytest.raises(JudgeUnavailableError):
        await verdict_of(SelfConsistency(), case(), judge)
    assert len(judge.drawn) == 5


async def test_a_cache_keeps_every_draw_by_itself() -> None:
    judge = Samples(FOR, AGAINST, FOR, AGAINST, FOR)
    caching = Caching(judge, MemoryAnswers(), scope="acme")
    verdicts = [await verdict_of(SelfConsistency(), case(), caching) for _ in range(2)]
    assert [verdict.usage.calls for verdict in verdicts] == [5, 0]
    assert len(judge.drawn) == 5
