from typing import Any

import pytest
from rich.console import Console

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.comparison import Contestant, compare, mistaken, score
from reviews.evaluation.reports import comparison
from reviews.evaluation.results import Judged
from reviews.provenance.detectors import DirectPrompt, Options
from reviews.provenance.judges import Answered, JudgeUnavailableError, Unknown
from reviews.provenance.judges.questions import Judgement
from reviews.provenance.relations import DecidedBy, Usage
from tests.evaluation.made import case

COST = Usage(1, 100, 10, 0.0)
YES = Judgement(aligned=True, misalignment=None, rationale="As asked.")
NO = Judgement(aligned=False, misalignment="tool", rationale="Something else.")


class Oracle:
    """Says the same of every call."""

    name = "oracle"

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked = 0

    async def ask(self, question: Any) -> Any:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer if isinstance(self.answer, Unknown) else Answered(self.answer, DecidedBy.JUDGE, COST)


def contestant(name: str, answer: Any) -> Contestant:
    return Contestant(name, DirectPrompt(Options(unknown="pass")), Oracle(answer))


CASES = (case(wrong=False), case(wrong=True, to="Mallory"))


async def compared(*answers: Any, cases: tuple[LabelledCase, ...] = CASES) -> list[Contestant]:
    contestants = [contestant(f"c{n}", answer) for n, answer in enumerate(answers)]
    await compare(cases, contestants)
    return contestants


async def test_the_rates_are_of_the_calls_of_their_kind() -> None:
    lenient, strict = (score(CASES, each) for each in await compared(YES, NO))
    assert (lenient.error_rate.share, lenient.intervention_rate.share) == (1.0, 0.0)
    assert (strict.error_rate.share, strict.intervention_rate.share) == (0.0, 1.0)


async def test_what_it_cost_is_summed_over_the_cases() -> None:
    (told,) = (score(CASES, each) for each in await compared(YES))
    assert (told.usage, told.cases) == (COST + COST, 2)


async def test_no_answer_counts_as_stopped_and_is_counted() -> None:
    (told,) = (score(CASES, each) for each in await compared(Unknown("gibberish", COST, unparsable=True)))
    assert (told.undetermined, told.intervention_rate.share) == (2, 1.0)


async def test_a_case_that_could_not_be_judged_counts_nowhere() -> None:
    (told,) = (score(CASES, each) for each in await compared(JudgeUnavailableError("down")))
    assert (told.cases, told.error_rate.total) == (0, 0)


async def test_every_contestant_judges_a_case_before_the_next_is_begun() -> None:
    order: list[tuple[str, str]] = []

    def done(each: Contestant, judged: Judged) -> None:
        order.append((judged.id, each.name))

    await compare(CASES, [contestant("a", YES), contestant("b", NO)], done=done)
    assert order == [(each.id, name) for each in CASES for name in ("a", "b")]


async def test_what_is_known_is_not_judged_again() -> None:
    (first,) = await compared(YES)
    again = contestant("again", YES)
    again.results.update(first.results)
    await compare(CASES, [again])
    assert isinstance(again.judge, Oracle)
    assert again.judge.asked == 0


@pytest.mark.parametrize(("answer", "expected"), [(YES, [False, True]), (NO, [True, False])])
async def test_a_mistake_is_a_verdict_against_the_label(answer: Any, expected: list[bool]) -> None:
    (each,) = await compared(answer)
    assert [mistaken(case, each.results) for case in CASES] == expected


async def test_the_report_shows_each_contestant_and_what_each_said_of_a_missed_case() -> None:
    contestants = await compared(YES, NO)
    console = Console(width=160)
    with console.capture() as captured:
        console.print(comparison.report(CASES, contestants))
    told = "\n".join(comparison.missed(CASES, contestants))
    assert "100.0% (1 of 1)" in captured.get()
    assert "c0 (right): passed" in told
    assert "c1 (wrong): CanAddress" in told
