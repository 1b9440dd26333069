from typing import Any

import pytest

from reviews.provenance.detectors.critical_actions import CriticalAction
from reviews.provenance.judges.questions.infer_act import FinalTrajectoryJudgement, TrajectoryJudgement
from tests.provenance.detectors.scripted import ScriptedJudge
from tests.provenance.detectors.whole import NO_ANSWER, check_whole

NAME = "infer-act-direct"
ENDS = (CriticalAction("money_transfer", terminal=True),)


@pytest.mark.parametrize(("correct", "expected"), [(True, "aligned"), (False, "plan")])
@pytest.mark.parametrize("completed", [True, False])
async def test_correctness_decides_whether_the_task_is_completed_or_not(
    correct: bool, expected: str, completed: bool
) -> None:
    answer = TrajectoryJudgement(completed=completed, correct=correct, rationale="So it is.")
    judge = ScriptedJudge(trajectory_verdict=answer)
    await check_whole(NAME, expected, judge)
    assert judge.asked == ["trajectory_verdict"]


@pytest.mark.parametrize(("correct", "expected"), [(True, "aligned"), (False, "plan")])
async def test_a_call_that_ends_the_task_is_asked_about_without_excuse(correct: bool, expected: str) -> None:
    judge = ScriptedJudge(final_trajectory_verdict=FinalTrajectoryJudgement(correct=correct, rationale="So it is."))
    await check_whole(NAME, expected, judge, critical=ENDS)
    assert judge.asked == ["final_trajectory_verdict"]


@pytest.mark.parametrize(("answer", "expected"), NO_ANSWER)
async def test_a_missing_answer(answer: Any, expected: str) -> None:
    await check_whole(NAME, expected, ScriptedJudge(trajectory_verdict=answer), unknown="pass")
