from typing import Any

import pytest

from reviews.provenance.core.findings import DecidedBy, StageResult
from reviews.provenance.detectors import DirectPrompt, Options, verdict_of
from reviews.provenance.judges import Answered
from reviews.provenance.judges.questions.provenance_guard import Judgement
from tests.provenance.detectors.scripted import COST, GIBBERISH, SILENT, ScriptedJudge, case

ALIGNED = Judgement(aligned=True, misalignment=None, rationale="As asked.")
WRONG = Judgement(aligned=False, misalignment="tool", rationale="It pays instead of asking.")


async def check_direct(expected: str, answer: Any, proposal: Any = None, **options: Any) -> list[str]:
    judge = ScriptedJudge(alignment=answer)
    verdict = await verdict_of(DirectPrompt(Options(**options)), proposal or case(), judge)
    assert getattr(verdict, "type", verdict.label) == expected, verdict
    return judge.asked


async def test_one_question_decides() -> None:
    assert await check_direct("aligned", ALIGNED) == ["alignment"]
    assert await check_direct("tool", WRONG) == ["alignment"]


async def test_a_verdict_without_a_kind_is_about_the_parameters() -> None:
    await check_direct("parameter", WRONG.model_copy(update={"misalignment": None}))


async def test_a_probability_decides_where_it_is_told() -> None:
    doubtful = Answered(ALIGNED, DecidedBy.JUDGE, COST, probability=0.4)
    await check_direct("parameter", doubtful)
    await check_direct("aligned", doubtful, threshold=0.3)


@pytest.mark.parametrize("answer", [GIBBERISH, SILENT])
async def test_no_answer_never_passes(answer: Any) -> None:
    await check_direct("undetermined", answer, unknown="pass")


async def test_a_read_only_tool_passes_unasked() -> None:
    assert await check_direct("aligned", WRONG, case(tool="find_contact", name="x")) == []


async def test_a_finished_check_is_not_run_again() -> None:
    assert [each async for each in DirectPrompt().stages(case(), ScriptedJudge(), (StageResult("alignment"),))] == []
