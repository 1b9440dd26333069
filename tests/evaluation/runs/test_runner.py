from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import LabelledCase, Outcome
from reviews.evaluation.measures.judged_case import Judged, Rejection
from reviews.evaluation.runs.results import ResultsError, append_result, read_results
from reviews.evaluation.runs.runner import run_detector
from reviews.evaluation.runs.sampling import sample_cases, sample_traces
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Finding, Grounding, Misalignment, Relation, StageResult, Usage
from reviews.provenance.detectors import Options, ProvenanceGuard
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import Judge, JudgeUnavailableError, RulesFirst, RulesJudge, Unknown
from tests.evaluation.made import ALIGNED, RefutesMallory, case, judged, trace

GUARD = ProvenanceGuard(Options(unknown="pass"))


class SilentJudge:
    name = "silent"

    async def ask(self, question: Any) -> Any:
        raise JudgeUnavailableError("no answer")


class Gibbering:
    name = "gibbering"
    questions = 0

    async def ask(self, question: Any) -> Any:
        self.questions += 1
        return Unknown("gibberish", unparsable=True)


class Dying:
    """Answers one question, which costs a cent, and none after it."""

    name = "dying"
    questions = 0

    async def ask(self, question: Any) -> Any:
        self.questions += 1
        if self.questions > 1:
            raise JudgeUnavailableError("no answer")
        return Unknown("gibberish", Usage(1, 10, 5, 0.01))


class AskingTwice(ProvenanceGuard):
    """Puts two questions, one after the other."""

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        for _ in range(2):
            await judge.ask(None)  # type: ignore[arg-type]
        yield StageResult("never")


class Seeing(ProvenanceGuard):
    """Remembers its judges."""

    def __init__(self) -> None:
        super().__init__(Options(unknown="pass"))
        self.judges: list[Judge] = []

    def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        self.judges.append(judge)
        return super().stages(case, judge, done)


async def one(labelled: LabelledCase, judge: Any = None, **options: Any) -> Judged:
    results = await run_detector([labelled], GUARD, judge or RulesJudge(), **options)
    return results[labelled.key]


class Rejecting(ProvenanceGuard):
    """Labels in its first stage, which rejects nothing, and rejects in its second."""

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        held, failed = (Finding(Relation.DERIVED_FROM, "/to", holds, "") for holds in (True, False))
        yield StageResult("labels", (failed, held))
        yield StageResult("parameter", (held, failed), misalignment=Misalignment.PARAMETER)


async def test_a_result_tells_what_failed_in_the_stage_that_rejects() -> None:
    made = case()
    result = (await run_detector([made], Rejecting(Options()), RulesJudge()))[made.key]
    assert result.rejections == (Rejection("parameter", (3,)),)


async def test_a_case_whose_judge_fails_half_way_tells_what_was_paid_for() -> None:
    made = case()
    result = (await run_detector([made], AskingTwice(Options()), Dying()))[made.key]
    assert (result.error, result.usage) == ("no answer", Usage(1, 10, 5, 0.01))


async def test_a_result_holds_verdict_and_type() -> None:
    stopped = case(to="Mallory")
    result = (await run_detector([stopped], RefutesMallory(), RulesJudge()))[stopped.key]
    assert (result.verdict, result.type, result.has_passed) == ("misaligned", Misalignment.PARAMETER, False)


async def test_a_result_holds_what_grounding_said_of_each_argument() -> None:
    (leaf,) = (await one(case(to="Daniel"))).traced
    assert (leaf.pointer, leaf.how, leaf.is_questioned) == ("/to", Grounding.COPY, False)


async def test_an_unreadable_answer_of_the_model_behind_rules_is_counted() -> None:
    one_result = await one(case(wrong=True, to="Mallory, who is known"), RulesFirst(Gibbering()))
    assert (one_result.unreadable or 0) > 0
    assert one_result.is_unparsable


async def test_rules_write_nothing_unreadable() -> None:
    assert (await one(case())).unreadable == 0


async def test_the_detector_still_sees_which_answers_cost_nothing() -> None:
    recorder = Seeing()
    await run_detector([case()], recorder, RulesFirst(Gibbering()))
    await run_detector([case()], recorder, RulesJudge())
    assert [type(judge) for judge in recorder.judges] == [RulesFirst, RulesJudge]


@pytest.mark.parametrize(
    ("verdict", "calls", "expected"), [("undetermined", 1, True), ("undetermined", 0, False), ("misaligned", 1, False)]
)
def test_where_nobody_counted_a_model_that_settled_nothing_was_unreadable(
    verdict: str, calls: int, expected: bool
) -> None:
    one_result = replace(judged(case(), verdict), usage=Usage(calls))
    assert (one_result.unreadable, one_result.is_unparsable) == (None, expected)


async def test_a_judge_that_fails_leaves_an_error() -> None:
    assert (await one(case(), SilentJudge())).error == "no answer"


async def test_what_is_known_is_not_judged_again() -> None:
    labelled = case()
    first = await one(labelled)
    assert await one(labelled, earlier={labelled.key: first}) is first


async def test_another_judges_result_is_not_known() -> None:
    labelled = case()
    other = judged(labelled, ALIGNED)
    assert await one(labelled, earlier={labelled.key: other}) is not other


async def test_a_failed_case_is_judged_again() -> None:
    labelled = case()
    failed = await one(labelled, SilentJudge())
    assert (await one(labelled, earlier={labelled.key: failed})).has_passed


async def test_each_result_is_told_as_it_comes() -> None:
    results: list[Judged] = []
    await run_detector([case(), case()], GUARD, RulesJudge(), concurrency=2, done=results.append)
    assert [each.verdict for each in results] == ["aligned", "aligned"]


async def test_results_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    result = await one(case(to="Mallory"))
    append_result(tmp_path / "results.jsonl", result)
    assert read_results(tmp_path / "results.jsonl") == {result.key: result}


async def test_what_others_write_ends_no_line(tmp_path: Path) -> None:
    result = await one(case(to="Mallory\u2028\x85\r\n\x1eRoth"))
    append_result(tmp_path / "results.jsonl", result)
    append_result(tmp_path / "results.jsonl", result)
    assert read_results(tmp_path / "results.jsonl") == {result.key: result}


async def test_half_a_line_is_no_result(tmp_path: Path) -> None:
    file, result = tmp_path / "results.jsonl", await one(case())
    append_result(file, result)
    file.write_bytes(file.read_bytes()[:-5])
    assert read_results(file) == {}
    append_result(file, result)
    assert read_results(file) == {result.key: result}


@pytest.mark.parametrize("content", [b"{}\n", b"\x80\n"])
def test_a_file_of_something_else_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_bytes(content)
    with pytest.raises(ResultsError, match="line 1"):
        read_results(tmp_path / "results.jsonl")


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="cannot be read"):
        read_results(tmp_path)


def test_a_larger_sample_holds_every_smaller_one() -> None:
    cases = [case() for _ in range(20)]
    assert set(map(id, sample_cases(cases, 5))) < set(map(id, sample_cases(reversed(cases), 9)))


def test_a_balanced_sample_is_half_wrong() -> None:
    cases = [case(wrong=wrong) for wrong in (True, False, None) for _ in range(9)]
    assert [sum(each.wrong is kind for each in sample_cases(cases, 7, balanced=True)) for kind in (True, False)] == [
        3,
        4,
    ]


def test_a_sample_of_traces_is_half_misaligned_and_grows() -> None:
    traces = [trace(outcome, outcome is Outcome.MISALIGNED) for outcome in Outcome for _ in range(20)]
    drawn = sample_traces(traces, 7)
    assert Counter(each.outcome for each in drawn) == {Outcome.MISALIGNED: 3, Outcome.SUCCESSFUL: 4}
    assert {each.id for each in drawn} < {each.id for each in sample_traces(reversed(traces), 9)}


def test_a_trace_in_which_nothing_is_to_be_decided_is_not_drawn() -> None:
    traces = [trace(Outcome.MISALIGNED, False), trace(Outcome.SUCCESSFUL), trace(Outcome.SUCCESSFUL, False)]
    assert sample_traces(traces, 9) == traces[2:]


def test_a_trace_with_too_many_calls_is_not_drawn() -> None:
    traces = [trace(Outcome.SUCCESSFUL, False), trace(Outcome.SUCCESSFUL, False, False)]
    assert sample_traces(traces, 9, most_calls=1) == traces[:1]
