import asyncio
from dataclasses import replace
from typing import Any

import pytest

from reviews.provenance.core.context import Case, Context, ProposedAction, ToolDoc
from reviews.provenance.core.findings import DecidedBy, Usage
from reviews.provenance.judges import Answered, Caching, JudgeUnavailableError, Unknown
from reviews.provenance.judges.base import Sampling
from reviews.provenance.judges.caching import MemoryAnswers, key_of
from reviews.provenance.judges.questions.infer_act import TrajectoryJudgement, TrajectoryVerdict
from reviews.provenance.judges.questions.provenance_guard import (
    Derivability,
    ParameterClass,
    ParameterClasses,
    Relevance,
)
from reviews.provenance.judges.questions.question_forms import Held
from reviews.provenance.prompts.prompt import Prompt
from tests.provenance.judges.scripted import GIBBERISH, OTHER, QUESTION, YES, Scripted

TOOL = ToolDoc("pay")
FREE = replace(YES, usage=Usage())
CORRECT = Answered(TrajectoryJudgement(completed=False, correct=True, rationale="As asked."), DecidedBy.JUDGE)


async def check_asked(judge: Scripted, *questions: Any, times: int, scope: str = "acme") -> list[Any]:
    """Asking these one after the other reaches the judge so many times."""
    caching = Caching(judge, MemoryAnswers(), scope=scope)
    replies = [await caching.ask(question) for question in questions]
    assert len(judge.asked) == times
    return replies


async def test_the_same_question_is_asked_once() -> None:
    assert await check_asked(Scripted(YES), QUESTION, QUESTION, times=1) == [YES, FREE]


async def test_another_question_is_asked() -> None:
    await check_asked(Scripted(YES), QUESTION, OTHER, times=2)


async def test_the_occasion_of_a_question_makes_no_difference() -> None:
    await check_asked(Scripted(YES), QUESTION, replace(QUESTION, occasion="another check"), times=1)


async def test_each_sample_is_a_draw_of_its_own_and_kept_as_such() -> None:
    case = Case(Context("Pay Daniel"), ProposedAction("money_transfer", {}))
    once, first, second = (TrajectoryVerdict(case, draw) for draw in (None, Sampling(0.7, 1), Sampling(0.7, 2)))
    await check_asked(Scripted(CORRECT), once, first, second, first, once, times=3)


async def test_the_classes_of_one_tool_document_are_asked_once() -> None:
    classes = ParameterClasses(parameters=[ParameterClass(path="/zing", derivable=None)])
    document = ToolDoc("send", "Sends.", {"type": "object", "properties": {"zing": {"type": "string"}}})
    again = ToolDoc("send", "Sends.", {"properties": {"zing": {"type": "string"}}, "type": "object"})
    judge = Scripted(Answered(classes, DecidedBy.JUDGE, Usage(calls=1)))
    replies = await check_asked(judge, *(Derivability(tool, ("/zing",)) for tool in (document, again)), times=1)
    assert [reply.answer for reply in replies] == [classes, classes]


async def test_what_is_no_answer_is_not_kept() -> None:
    assert await check_asked(Scripted(GIBBERISH, YES), QUESTION, QUESTION, times=2) == [GIBBERISH, YES]


async def test_an_error_is_not_kept() -> None:
    caching = Caching(Scripted(JudgeUnavailableError("away"), YES), MemoryAnswers(), scope="acme")
    with pytest.raises(JudgeUnavailableError):
        await caching.ask(QUESTION)
    assert await caching.ask(QUESTION) == YES


async def test_what_fits_the_form_no_longer_is_asked_again() -> None:
    store, judge = MemoryAnswers(), Scripted(YES)
    await store.put(key_of(QUESTION, model="model", scope="acme"), b'{"answer": {"holds": "maybe"}}')
    assert await Caching(judge, store, scope="acme").ask(QUESTION) == YES


async def test_a_workspace_never_finds_what_another_asked() -> None:
    store, judge = MemoryAnswers(), Scripted(YES)
    for scope in ("acme", "elsewhere"):
        await Caching(judge, store, scope=scope).ask(QUESTION)
    assert len(judge.asked) == 2


async def test_another_model_is_asked_anew() -> None:
    store, judge = MemoryAnswers(), Scripted(YES)
    for judge.name in ("small", "large"):
        await Caching(judge, store, scope="acme").ask(QUESTION)
    assert len(judge.asked) == 2


def test_another_wording_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(QUESTION, model="m", scope="s")
    monkeypatch.setattr(Prompt, "version", "another")
    assert key_of(QUESTION, model="m", scope="s") != before


def test_moving_text_from_one_block_to_the_next_is_another_key() -> None:
    keys = {key_of(Relevance(TOOL, "b", (query,)), model="m", scope="s") for query in ("a", "ab")}
    moved = key_of(Relevance(TOOL, "", ("ab",)), model="m", scope="s")
    assert len(keys | {moved}) == 3


def test_half_a_surrogate_pair_has_a_key() -> None:
    assert key_of(Relevance(TOOL, "\ud800", ("\udfff",)), model="m", scope="s")


async def together(judge: Scripted, *, number: int) -> tuple[Caching, list["asyncio.Task[Answered[Held] | Unknown]"]]:
    """So many identical questions in flight, none answered yet."""
    judge.hang()
    caching = Caching(judge, MemoryAnswers(), scope="acme")
    tasks = [asyncio.create_task(caching.ask(QUESTION)) for _ in range(number)]
    await judge.reached.wait()
    return caching, tasks


async def test_identical_questions_in_flight_are_asked_once_and_paid_once() -> None:
    judge = Scripted(YES)
    _, tasks = await together(judge, number=3)
    judge.answering.set()
    assert await asyncio.gather(*tasks) == [YES, FREE, FREE]
    assert len(judge.asked) == 1


async def test_an_error_reaches_everybody_who_waits() -> None:
    judge = Scripted(JudgeUnavailableError("away"))
    _, tasks = await together(judge, number=2)
    judge.answering.set()
    errors = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(error) for error in errors] == [JudgeUnavailableError, JudgeUnavailableError]


async def test_who_is_cancelled_leaves_the_others_waiting_and_paying() -> None:
    judge = Scripted(YES)
    _, (first, second) = await together(judge, number=2)
    first.cancel()
    judge.answering.set()
    assert await second == YES


async def test_the_last_who_leaves_cancels_the_call() -> None:
    judge = Scripted(YES)
    caching, tasks = await together(judge, number=2)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    judge.answering.set()
    assert await caching.ask(QUESTION) == YES
    assert len(judge.asked) == 2


class Reluctant(Scripted):
    """Takes its time to be cancelled, as one does that has something to put back."""

    async def ask(self, question: Any) -> Any:
        try:
            return await super().ask(question)
        finally:
            for _ in range(5):
                await asyncio.sleep(0)


async def test_a_call_that_takes_its_time_to_end_does_not_hide_the_next_one() -> None:
    judge = Reluctant(YES)
    caching, (left,) = await together(judge, number=1)
    left.cancel()
    await asyncio.gather(left, return_exceptions=True)
    second = asyncio.create_task(caching.ask(QUESTION))
    for _ in range(20):
        await asyncio.sleep(0)
    third = asyncio.create_task(caching.ask(QUESTION))
    await asyncio.sleep(0)
    judge.answering.set()
    assert [await second, await third] == [YES, FREE]
    assert len(judge.asked) == 2
