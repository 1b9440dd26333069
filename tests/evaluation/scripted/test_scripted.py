from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.scripted.lenient import Lenient
from reviews.evaluation.scripted.reader import Reader
from reviews.provenance.core.context import ProposedAction
from reviews.provenance.judges.base import Answered, JudgeMisconfiguredError, Question
from reviews.provenance.judges.questions.call_support import CallSupport
from reviews.provenance.judges.questions.infer_act import Correctness
from reviews.provenance.judges.questions.provenance_guard import Candidates, Derivability, Relevance, Support
from tests.evaluation.conversations import proposed

CASE = proposed({"rooms": ["a", "b"]})
(TOOL,) = CASE.context.tools
RIGHT = ProposedAction("change", {"rooms": ["c"]})


async def answer(judge: Any, question: Question[Any]) -> Any:
    reply = await judge.ask(question)
    assert isinstance(reply, Answered)
    return reply.answer


async def test_the_lenient_judge_says_that_every_relation_holds() -> None:
    assert (await answer(Lenient(), Relevance(TOOL, None, ("Do it",)))).holds
    support = await answer(Lenient(), CallSupport(CASE, ()))
    assert support.relevant
    assert support.contributes
    assert support.can_address


async def test_the_lenient_judge_takes_the_first_candidate_where_search_offers_one() -> None:
    listed = ("/rooms/0 = a\ncandidate 1, in query: …", "/rooms/1 = b")
    support = await answer(Lenient(), CallSupport(CASE, listed))
    assert [(row.source, row.candidate) for row in support.arguments] == [("candidate", 1), ("unclear", None)]


async def test_the_reader_finds_no_source_for_what_the_right_call_does_not_have() -> None:
    right = ProposedAction("change", {"rooms": ["a", "c"]})
    judge = Reader().judge_for(LabelledCase("made", "made", CASE, wrong=True, right=right))
    listed = ("/rooms/0 = a\ncandidate 1, in query: …", "/rooms/1 = b\ncandidate 1, in query: …")
    support = await answer(judge, CallSupport(CASE, listed))
    assert [row.source for row in support.arguments] == ["candidate", "none"]


async def test_the_lenient_judge_asks_for_no_source() -> None:
    found = await answer(Lenient(), Derivability(TOOL, ("/rooms",)))
    assert [(each.path, each.derivable) for each in found.parameters] == [("/rooms", False)]


@pytest.mark.parametrize(("rooms", "is_said"), [(["do"], True), (["elsewhere"], False)])
async def test_the_reader_knows_what_the_right_call_takes_from_what_was_said(rooms: list[str], is_said: bool) -> None:
    right = ProposedAction("change", {"rooms": rooms})
    judge = Reader().judge_for(LabelledCase("made", "made", CASE, wrong=True, right=right))
    found = await answer(judge, Derivability(TOOL, ("/rooms",)))
    assert [(each.path, each.derivable) for each in found.parameters] == [("/rooms", is_said)]


async def test_the_lenient_judge_quotes_what_stands_there() -> None:
    found = await answer(Lenient(), Support(CASE, ("/rooms/0",)))
    assert found.can_address
    assert [(each.pointer, each.derived, each.quotes[0].quote) for each in found.arguments] == [
        ("/rooms/0", True, "Do it")
    ]


async def test_the_lenient_judge_names_no_candidate() -> None:
    assert not (await answer(Lenient(), Candidates(CASE.context))).candidates


@pytest.mark.parametrize(
    ("wrong", "right", "rooms"), [(False, None, '["a", "b"]'), (True, RIGHT, '["c"]'), (True, None, None)]
)
async def test_the_reader_names_exactly_the_right_call(
    wrong: bool, right: ProposedAction | None, rooms: str | None
) -> None:
    judge = Reader().judge_for(LabelledCase("made", "made", CASE, wrong, right=right))
    found = (await answer(judge, Candidates(CASE.context))).candidates
    assert [[value.value for value in candidate.arguments] for candidate in found] == ([[rooms]] if rooms else [])


@pytest.mark.parametrize(("wrong", "contributes"), [(True, False), (False, True), (None, True)])
async def test_the_reader_knows_what_nobody_wants(wrong: bool | None, contributes: bool) -> None:
    judge = Reader().judge_for(LabelledCase("made", "made", CASE, wrong))
    assert (await answer(judge, CallSupport(CASE, ()))).contributes is contributes


async def test_a_question_of_another_method_is_refused() -> None:
    with pytest.raises(JudgeMisconfiguredError, match="no answer to"):
        await Lenient().ask(Correctness(CASE))
