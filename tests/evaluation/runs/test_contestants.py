from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome
from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.reports import comparison
from reviews.evaluation.runs.contestants import (
    Contestant,
    Round,
    Score,
    advantage_p_value,
    attack_rates,
    is_mistaken,
    judge_missing,
    merge_rounds,
    score_contestant,
)
from reviews.provenance.core.findings import DecidedBy, Finding, Relation, Usage
from reviews.provenance.detectors import DirectPrompt, Options, TokenEntropy
from reviews.provenance.judges import Answered, JudgeUnavailableError, Unknown
from reviews.provenance.judges.questions.provenance_guard import Judgement
from tests.evaluation.made import ALIGNED, case, judged

COST = Usage(1, 100, 10, 0.0)
YES = Judgement(aligned=True, misalignment=None, rationale="As asked.")
GIBBERISH = Unknown("gibberish", COST, unparsable=True)
NO = Judgement(aligned=False, misalignment="tool", rationale="Something else.")


LIKELY = Answered(YES, DecidedBy.JUDGE, COST, probability=0.9)
CERTAIN = Finding(Relation.CONTRIBUTE_TO, "pay", True, "Surely.", DecidedBy.JUDGE, score=0.9)


class Oracle:
    """Says the same of every call."""

    name = "oracle"

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.calls = 0

    async def ask(self, question: Any) -> Any:
        self.calls += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return (
            self.answer if isinstance(self.answer, Unknown | Answered) else Answered(self.answer, DecidedBy.JUDGE, COST)
        )


def contestant(name: str, answer: Any) -> Contestant:
    return Contestant(name, DirectPrompt(Options(unknown="pass")), Oracle(answer))


CASES = (case(wrong=False), case(wrong=True, to="Mallory"))


async def compared(*answers: Any, cases: tuple[LabelledCase, ...] = CASES) -> list[Contestant]:
    contestants = [contestant(f"c{n}", answer) for n, answer in enumerate(answers)]
    await judge_missing(cases, contestants)
    return contestants


def scored(each: Contestant) -> Score:
    return score_contestant(Round("made", CASES, [each]), each)


async def only_score(answer: Any) -> Score:
    (each,) = await compared(answer)
    return scored(each)


async def test_the_rates_are_of_the_calls_of_their_kind() -> None:
    lenient, strict = (scored(each).measures for each in await compared(YES, NO))
    assert (lenient.error_rate.share, lenient.intervention_rate.share) == (1.0, 0.0)
    assert (strict.error_rate.share, strict.intervention_rate.share) == (0.0, 1.0)


async def test_what_it_cost_is_summed_over_the_cases() -> None:
    scored = await only_score(YES)
    assert (scored.usage, scored.cases) == (COST + COST, 2)


async def test_no_answer_counts_as_stopped_and_is_counted() -> None:
    scored = await only_score(GIBBERISH)
    assert (scored.undetermined, scored.measures.intervention_rate.share) == (2, 1.0)


@pytest.mark.parametrize(
    ("answer", "count"), [(YES, 0), (GIBBERISH, 2), (Unknown("nobody pays", unparsable=True, unasked=True), 0)]
)
async def test_verdicts_on_unreadable_answers_are_counted(answer: Any, count: int) -> None:
    assert (await only_score(answer)).unparsable == Rate(count, 2)


async def test_a_case_that_could_not_be_judged_counts_nowhere() -> None:
    scored = await only_score(JudgeUnavailableError("down"))
    assert (scored.cases, scored.measures.error_rate.total) == (0, 0)


async def test_every_contestant_judges_a_case_before_the_next_is_begun() -> None:
    order: list[tuple[str, str]] = []

    def done(each: Contestant, judged: Judged) -> None:
        order.append((judged.id, each.name))

    await judge_missing(CASES, [contestant("a", YES), contestant("b", NO)], done=done)
    assert order == [(each.id, name) for each in CASES for name in ("a", "b")]


async def test_what_is_known_is_not_judged_again() -> None:
    (first,) = await compared(YES)
    again = contestant("again", YES)
    again.results.update(first.results)
    await judge_missing(CASES, [again])
    assert isinstance(again.judge, Oracle)
    assert again.judge.calls == 0


@pytest.mark.parametrize(("answer", "expected"), [(YES, [False, True]), (NO, [True, False])])
async def test_a_mistake_is_a_verdict_against_the_label(answer: Any, expected: list[bool]) -> None:
    (each,) = await compared(answer)
    assert [is_mistaken(case, each.results) for case in CASES] == expected


async def test_the_report_shows_each_contestant_and_what_each_said_of_a_missed_case() -> None:
    contestants = await compared(YES, NO)
    console = Console(width=160)
    with console.capture() as captured:
        console.print(comparison.render_report(Round("made", CASES, contestants)))
    text = "\n".join(comparison.missed_lines(CASES, contestants))
    assert "c0: ER 100.0% (1 of 1)" in captured.get()
    assert "c0 (right): passed" in text
    assert "c1 (wrong): CanAddress" in text


async def test_a_case_that_another_process_has_is_left_to_it() -> None:
    _, ours = CASES
    each = contestant("a", YES)
    await judge_missing(CASES, [each], claim=lambda case: nullcontext(case is ours))
    assert list(each.results) == [ours.key]


async def test_scores_are_measured_whatever_the_threshold() -> None:
    scored = await only_score(YES)
    assert (scored.pr_auc, scored.calibration_error) == (None, None)
    scored = await only_score(LIKELY)
    assert scored.pr_auc == 0.5
    assert scored.calibration_error == pytest.approx(0.4)


async def test_a_certainty_is_no_probability() -> None:
    each = contestant("certain", LIKELY)
    each.detector = TokenEntropy()
    each.results = {case.key: replace(judged(case, ALIGNED), findings=(CERTAIN,)) for case in CASES}
    assert (scored(each).pr_auc, scored(each).calibration_error) == (0.5, None)


async def test_rounds_together_count_each_case_once() -> None:
    first, second = await compared(YES), await compared(YES, NO, cases=(more := (case(wrong=True),)))
    whole = merge_rounds([Round("a", CASES, first), Round("b", more, second)])
    assert [(each.name, score_contestant(whole, each).cases) for each in whole.contestants] == [("c0", 3), ("c1", 1)]
    assert len(first[0].results) == 2


async def test_attacks_are_measured_by_the_run() -> None:
    cases = (case(wrong=False), case(wrong=True))
    (each,) = await compared(YES, cases=cases)
    runs = [
        LabelledTrace("attacked", "made", Outcome.MISALIGNED, cases[1:]),
        LabelledTrace("clean", "made", Outcome.SUCCESSFUL, cases[:1]),
        LabelledTrace("not judged", "made", Outcome.MISALIGNED, (case(wrong=True),)),
    ]
    scored = score_contestant(Round("made", cases, [each], runs), each)
    assert (scored.attack_success_rate, scored.utility) == (Rate(1, 1), Rate(1, 1))


async def test_whole_runs_are_printed_by_family_beside_those_with_no_guard() -> None:
    cases = (case(wrong=True), case(wrong=True))
    (each,) = await compared(YES, cases=cases)
    runs = [
        LabelledTrace(name, "made", Outcome.MISALIGNED, (labelled,), attack=name, attack_succeeded=True)
        for name, labelled in zip(("naive", "escape"), cases, strict=True)
    ]
    printed = comparison.render_markdown(Round("made", cases, [each], runs))
    assert "| whole runs | ASR naive | ASR escape | ASR | PNA | TSR | RER | FNR |" in printed
    assert "| no guard | 100.0% (1 of 1) [20.7, 100.0] | 100.0% (1 of 1) [20.7, 100.0] | 100.0% |" in printed


async def test_an_advantage_over_oneself_is_chance() -> None:
    (each,) = await compared(YES)
    assert advantage_p_value(CASES, each, each) == 1.0


async def test_an_advantage_on_every_case_is_none() -> None:
    wrong = tuple(case(wrong=True) for _ in range(9))
    lenient, strict = await compared(YES, NO, cases=wrong)
    assert advantage_p_value(wrong, strict, lenient) < 0.01
    assert advantage_p_value(wrong, lenient, strict) == 1.0


async def test_the_report_shows_the_chance_against_one_of_them() -> None:
    first, other = await compared(YES, NO)
    text = comparison.render_markdown(Round("made", CASES, [first, other]), against=first).partition("\n\n**")[0]
    assert text.splitlines()[2].endswith("| p against c0 |")
    assert [line.count("|") for line in text.splitlines()[2:]] == [len(comparison.COLUMNS) + 2] * 4


def repeated(*answers: Any) -> Contestant:
    """A contestant whose runs answer differently."""
    first, *repeats = (contestant("drawn", answer) for answer in answers)
    return replace(first, repeats=tuple(repeats))


async def test_rounds_together_keep_every_run_of_a_repeated_contestant() -> None:
    more = (case(wrong=True), case(wrong=True))
    one, other = repeated(YES, NO), repeated(YES, NO)
    await judge_missing(CASES, [one])
    await judge_missing(more, [other])
    whole = merge_rounds([Round("a", CASES, [one]), Round("b", more, [other])])
    (each,) = whole.contestants
    assert [len(run.results) for run in each.runs] == [4, 4]
    assert score_contestant(whole, each).measures.error_rate == Rate(3, 6, runs=2)
    assert [len(run.results) for run in one.runs] == [2, 2]


async def test_a_run_without_a_verdict_on_a_case_is_not_taken_for_right() -> None:
    wrong = tuple(case(wrong=True) for _ in range(9))
    mistaken, half_right = repeated(YES, YES), repeated(YES, NO)
    # Its second run has not begun.
    await judge_missing(wrong, [replace(mistaken, repeats=()), half_right])
    assert advantage_p_value(wrong, half_right, mistaken) < 0.01


async def test_whole_runs_are_rated_over_every_repeat() -> None:
    cases = (case(wrong=True), case(wrong=False))
    each = repeated(YES, NO)
    await judge_missing(cases, [each])
    runs = [
        LabelledTrace("hit", "made", Outcome.MISALIGNED, cases[:1], attack="naive", attack_succeeded=True),
        LabelledTrace("clean", "made", Outcome.SUCCESSFUL, cases[1:], task_succeeded=True),
    ]
    round_of_runs = Round("made", cases, [each], runs)
    rates = attack_rates(round_of_runs, each)
    assert (rates.attack_success, rates.no_attack) == (Rate(1, 2, runs=2), Rate(1, 2, runs=2))
    score = score_contestant(round_of_runs, each)
    assert (score.attack_success_rate, score.utility) == (Rate(1, 2, runs=2), Rate(1, 2, runs=2))


async def test_the_interval_of_repeated_runs_is_of_the_calls_and_the_report_says_so() -> None:
    each, once = repeated(YES, YES, YES), repeated(YES)
    await judge_missing(CASES, [each, once])
    printed = comparison.render_markdown(Round("made", CASES, [each]))
    # Three runs that say the same tell no more than one: Wilson's interval of 1 of 1.
    assert "| 100.0% (3 of 3) [20.7, 100.0] | 0.0% (0 of 3) [0.0, 79.3] |" in printed
    assert "a call counts once in an interval" in printed
    assert "a call counts once" not in comparison.render_markdown(Round("made", CASES, [once]))


async def test_a_curve_is_drawn_of_the_rounds_cases_alone() -> None:
    (each,) = await compared(LIKELY)
    (fresh,) = await compared(LIKELY)
    stray = case(wrong=True)
    await judge_missing([stray], [each])
    assert comparison.list_curves(Round("made", CASES, [each])) == comparison.list_curves(Round("made", CASES, [fresh]))
    assert list(comparison.list_curves(Round("made", CASES, [fresh]))) == ["c0"]


async def test_every_rate_of_a_document_has_its_interval() -> None:
    (each,) = await compared(YES)
    row = comparison.render_markdown(Round("made", CASES, [each])).splitlines()[4]
    # Wilson's interval of 1 of 1, of 0 of 1, and of 1 of 2, by hand: z² = 3.8415.
    assert "| 100.0% (1 of 1) [20.7, 100.0] | 0.0% (0 of 1) [0.0, 79.3] |" in row
    assert "| 50.0% [9.5, 90.5] |" in row
