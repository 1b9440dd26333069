"""What holds for every detector of one stage."""

import pytest

from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors import DETECTORS, OneStage, Options, build, verdict_of
from reviews.provenance.detectors.critical_actions import CriticalAction
from reviews.provenance.judges import JudgeUnavailableError, ModelOptions
from reviews.provenance.judges.openai import OpenAIJudge
from reviews.provenance.judges.questions.infer_act import InferredTask, TrajectoryJudgement
from reviews.provenance.judges.questions.provenance_guard import Judgement
from tests.llm import MODEL
from tests.provenance.detectors.scripted import SEND, SILENT, ScriptedJudge, case
from tests.provenance.detectors.whole import check_whole, likely, rated

QUESTIONS = ("alignment", "provenance", "inference", "correctness", "steps", "trajectory_verdict")
WRONG = Judgement(aligned=False, misalignment="tool", rationale="It pays instead of asking.")
AGAINST = {
    "alignment": WRONG,
    "provenance": WRONG,
    "inference": InferredTask(task="Pay Dora"),
    "completion": likely(0.3),
    "progress": likely(0.3),
    "correctness": likely(0.3),
    "steps": rated(0.3),
    "trajectory_verdict": TrajectoryJudgement(completed=True, correct=False, rationale="It pays."),
}
PUBLISHED_CALLS = {
    "direct-prompt": 1,
    "prove-prompt": 1,
    "infer-act-verb": 3,
    "infer-act-prob": 3,
    "infer-act-direct": 1,
    "self-consistency": 5,
    "token-probability": 1,
    "token-entropy": 1,
    "multi-step": 1,
}
"""Of a verdict that asks everything there is to ask."""
DETECTORS_OF_ONE_STAGE = [name for name in DETECTORS if isinstance(build(name, Options()), OneStage)]
FOR_EVERY_CALL = ("direct-prompt", "prove-prompt")
every_detector = pytest.mark.parametrize("detector", DETECTORS_OF_ONE_STAGE)
for_critical_actions = pytest.mark.parametrize(
    "detector", [name for name in DETECTORS_OF_ONE_STAGE if name not in FOR_EVERY_CALL]
)
LARGE = (CriticalAction("money_transfer", "/amount", "above", "100"),)


def every_answer(answer: object) -> ScriptedJudge:
    return ScriptedJudge(**dict.fromkeys(QUESTIONS, answer))


@every_detector
async def test_calls_per_verdict_are_the_papers(detector: str) -> None:
    verdict = await verdict_of(build(detector, Options()), case(), ScriptedJudge(**AGAINST))
    assert verdict.label == "misaligned"
    assert verdict.usage.calls == PUBLISHED_CALLS[detector]


@every_detector
async def test_a_read_only_tool_passes_unasked(detector: str) -> None:
    await check_whole(detector, "aligned", ScriptedJudge(), case(tool="find_contact", name="x"))


@every_detector
async def test_an_undocumented_tool_is_rejected_unasked(detector: str) -> None:
    await check_whole(detector, "tool", ScriptedJudge(), case(tool="nothing_like_it"))


@for_critical_actions
async def test_a_call_that_nobody_calls_critical_passes_unasked_and_says_so(detector: str) -> None:
    verdict = await check_whole(detector, "aligned", ScriptedJudge(), critical=LARGE)
    assert "not call such a call critical" in verdict.findings[0].rationale


@for_critical_actions
async def test_a_critical_action_is_asked_about(detector: str) -> None:
    verdict = await verdict_of(build(detector, Options(critical=LARGE)), case(amount=500), ScriptedJudge(**AGAINST))
    assert (verdict.label, verdict.usage.calls) == ("misaligned", PUBLISHED_CALLS[detector])
    assert "calls such a call critical" in verdict.findings[0].rationale


@for_critical_actions
async def test_a_workspace_may_call_reading_critical(detector: str) -> None:
    reading, kinds = case(tool="find_contact", name="x"), (CriticalAction("find_*"),)
    verdict = await verdict_of(build(detector, Options(critical=kinds)), reading, ScriptedJudge(**AGAINST))
    assert verdict.usage.calls == PUBLISHED_CALLS[detector]


@every_detector
async def test_an_undocumented_tool_is_rejected_also_where_it_is_not_critical(detector: str) -> None:
    await check_whole(detector, "tool", ScriptedJudge(), case(tool="nothing_like_it"), critical=LARGE)


@pytest.mark.parametrize("detector", FOR_EVERY_CALL)
async def test_a_method_for_every_call_knows_no_critical_actions(detector: str) -> None:
    verdict = await verdict_of(build(detector, Options(critical=LARGE)), case(), ScriptedJudge(**AGAINST))
    assert verdict.usage.calls == PUBLISHED_CALLS[detector]


@every_detector
async def test_no_answer_never_passes_whatever_the_profile_says(detector: str) -> None:
    await check_whole(detector, "undetermined", every_answer(SILENT), unknown="pass")


@every_detector
async def test_a_judge_out_of_reach_is_told(detector: str) -> None:
    with pytest.raises(JudgeUnavailableError):
        await verdict_of(build(detector, Options()), case(), every_answer(JudgeUnavailableError("away")))


@every_detector
async def test_a_finished_check_is_not_run_again(detector: str) -> None:
    done = (StageResult("alignment"),)
    assert [each async for each in build(detector, Options()).stages(case(), ScriptedJudge(), done)] == []


@pytest.mark.timeout(300)
@every_detector
async def test_a_real_endpoint_is_asked_in_a_form_it_can_fill(detector: str, llm: str) -> None:
    async with OpenAIJudge(model=MODEL, base_url=llm, options=ModelOptions(answer_tokens=24), readings=1) as judge:
        verdict = await verdict_of(build(detector, Options()), case(tools=(SEND,)), judge)
    assert 1 <= verdict.usage.calls <= PUBLISHED_CALLS[detector]
    assert "refused" not in verdict.findings[-1].rationale + getattr(verdict, "reason", "")
    assert verdict.usage.completion_tokens >= 5 * verdict.usage.calls
