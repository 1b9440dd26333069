import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.measures.moved_verdicts import MoveKind, Moves
from reviews.evaluation.perturbations.registry import PERTURBATIONS, select_perturbations
from reviews.evaluation.reports import moved_verdicts as report
from reviews.evaluation.runs.perturbing import judge_perturbed
from reviews.evaluation.runs.runner import judge_case
from reviews.provenance.core.context import Case, Message
from reviews.provenance.core.findings import DecidedBy, Finding, Misalignment, Relation, StageResult
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import Judge, JudgeUnavailableError, RulesJudge
from tests.evaluation.made import case
from tests.evaluation.test_reports import text_of


class LastWord:
    """Takes any later message for a correction: what it says to a call, by what the user said last."""

    name, version = "last-word", "1"

    def __init__(self, otherwise: bool | None = False, by: DecidedBy = DecidedBy.RULE) -> None:
        self.otherwise, self.by = otherwise, by

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        said = [case.context.query, *(item.text for item in case.context.history if isinstance(item, Message))]
        holds = True if str(case.action.arguments["to"]) in said[-1] else self.otherwise
        finding = Finding(Relation.DERIVED_FROM, "/to", holds, "The last word.", self.by, rule="last_word")
        yield StageResult("only", (finding,), misalignment=Misalignment.PARAMETER if holds is False else None)


class Absent(LastWord):
    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        if case.context.history:
            raise JudgeUnavailableError("no answer")
        async for stage in super().stages(case, judge, done):
            yield stage


async def moved(detector: Any, *cases: LabelledCase, kinds: tuple[str, ...], **options: Any) -> Moves:
    originals = [(labelled, await judge_case(labelled, detector, RulesJudge())) for labelled in cases]
    return await judge_perturbed(originals, select_perturbations(kinds), detector, RulesJudge(), **options)


async def test_a_right_call_refuted_after_a_later_sentence_moved_where_it_must_not() -> None:
    moves = await moved(LastWord(), case(wrong=False), kinds=("later-sentence",))
    tally = moves.by_change["later-sentence: a hurry"]
    assert (tally.cases, tally.moves, tally.of_right_calls) == (1, {MoveKind.TO_FALSE: 1}, 1)
    assert moves.forbidden.share == 1
    assert "DerivedFrom /to does not hold, last_word: The last word." in next(report.missed_lines(moves))


async def test_a_later_message_may_leave_a_question() -> None:
    moves = await moved(LastWord(otherwise=None), case(wrong=False), kinds=("later-sentence",))
    assert moves.by_change["later-sentence: a hurry"].moves == {MoveKind.TO_UNKNOWN: 1}
    assert (moves.forbidden.count, list(report.missed_lines(moves))) == (0, [])


@pytest.mark.parametrize("kind", ["later-sentence", "appended-sentence", "look-up", "withdrawal"])
async def test_no_addition_clears_a_value_of_which_nothing_was_known(kind: str) -> None:
    class Counting(LastWord):
        async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
            longer = len(case.context.history) > 0 or case.context.query != "Pay Daniel"
            yield StageResult("only", (Finding(Relation.DERIVED_FROM, "/to", longer or None, ""),))

    moves = await moved(Counting(), case(wrong=True), kinds=(kind,))
    assert moves.forbidden.share == 1
    assert {kind for tally in moves.by_change.values() for kind in tally.forbidden} == {MoveKind.TO_TRUE}


async def test_nothing_may_move_under_another_name() -> None:
    class Knowing(LastWord):
        async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
            holds = True if case.action.arguments["to"] == "Daniel" else None
            yield StageResult("only", (Finding(Relation.DERIVED_FROM, "/to", holds, ""),))

    moves = await moved(Knowing(), case(wrong=False), kinds=("renaming",))
    assert moves.by_change["renaming"].forbidden == {MoveKind.TO_UNKNOWN: 1}


async def test_what_reads_by_place_and_not_by_name_passes_a_renaming() -> None:
    moves = await moved(LastWord(), case(wrong=False), case(wrong=True, to="Mallory"), kinds=("renaming",))
    assert (moves.by_change["renaming"].cases, moves.forbidden.count) == (2, 0)


@pytest.mark.parametrize(
    ("by", "look_up", "count"), [(DecidedBy.RULE, False, 3), (DecidedBy.JUDGE, False, 0), (DecidedBy.RULE, True, 0)]
)
async def test_a_withdrawn_call_must_not_stay_established_by_rules(by: DecidedBy, look_up: bool, count: int) -> None:
    class Deaf(LastWord):
        async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
            yield StageResult("only", (Finding(Relation.DERIVED_FROM, "/to", True, "", self.by),))

    withdrawn = replace(case(wrong=False), look_up=look_up)
    moves = await moved(Deaf(by=by), withdrawn, kinds=("withdrawal",))
    assert sum(tally.forbidden[MoveKind.STAYED_TRUE] for tally in moves.by_change.values()) == count


async def test_changed_cases_are_made_one_after_the_other() -> None:
    judged: list[Judged] = []
    seen_before: list[int] = []
    original = case(wrong=False)
    verdict = await judge_case(original, LastWord(), RulesJudge())

    def originals() -> Iterator[tuple[LabelledCase, Judged]]:
        for _ in range(3):
            seen_before.append(len(judged))
            yield original, verdict

    await judge_perturbed(
        originals(), select_perturbations(("withdrawal",)), LastWord(), RulesJudge(), done=judged.append
    )
    assert seen_before == [0, 3, 6]


async def test_results_of_an_earlier_run_are_taken_over() -> None:
    judged: list[Judged] = []
    original = case(wrong=False)
    first = await moved(LastWord(), original, kinds=("withdrawal",), done=judged.append)
    again: list[Judged] = []
    earlier = {result.key: result for result in judged}
    second = await moved(LastWord(), original, kinds=("withdrawal",), earlier=earlier, done=again.append)
    assert (len(judged), again, second.by_change) == (3, [], first.by_change)


async def test_a_changed_case_that_cannot_be_judged_counts_as_failed() -> None:
    moves = await moved(Absent(), case(wrong=False), kinds=("withdrawal",))
    assert [(tally.cases, tally.failed) for tally in moves.by_change.values()] == [(0, 1)] * 3
    assert moves.errors == ["no answer"] * 3


async def test_examples_are_few_however_many_verdicts_move() -> None:
    cases = [case(wrong=False) for _ in range(8)]
    moves = await moved(LastWord(), *cases, kinds=("withdrawal",), concurrency=3)
    assert (moves.forbidden.count, len(moves.examples)) == (24, 15)


async def test_many_changes_of_few_cases_narrow_no_interval() -> None:
    cases = [case(wrong=False) for _ in range(4)]
    moves = await moved(LastWord(otherwise=None), *cases, kinds=("later-sentence",))
    assert (moves.forbidden.count, moves.forbidden.total) == (0, 40)
    assert moves.forbidden.interval == Rate(0, 4).interval


async def test_moves_are_told_by_change_and_by_kind() -> None:
    text = text_of(report.render_report(await moved(LastWord(), case(wrong=False), kinds=("withdrawal",))))
    assert re.search(r"withdrawal: never mind +1 +1 +0 +0 +0 +1 +1 *\n", text)
    assert "Moved where they must not: 100.0% (3 of 3)" in text
    assert "By kind: to false 3." in text


def test_every_kind_can_be_chosen_alone() -> None:
    kinds = {perturbation.kind for perturbation in PERTURBATIONS}
    assert sum(len(select_perturbations([kind])) for kind in kinds) == len(PERTURBATIONS)
