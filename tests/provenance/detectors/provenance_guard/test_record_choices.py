"""Where several records answer the request by rule, one question tells which is meant, if the user's words do."""

import json
from typing import Any

import pytest

from reviews.provenance.core.context import Case, Step
from reviews.provenance.core.findings import DecidedBy, Relation, Verdict
from reviews.provenance.judges.questions.provenance_guard import Quote, RecordChoiceAnswer
from tests.provenance.detectors.scripted import GIBBERISH, SILENT, ScriptedJudge, case, check, found

CONTACTS = json.dumps([{"name": "Alex Wu", "account": "AW-1"}, {"name": "Alex Chen", "account": "AC-2"}])
HISTORY = (Step("find_contact", {"name": "Alex"}, CONTACTS),)
WORDS = ("query", "Alex")
DATA = ("history/1/outcome", "Alex Wu")


def paying(to: str) -> Case:
    return case("Pay Alex $30", history=HISTORY, to=to, amount=30)


def meant(record: int | None, *quotes: tuple[str, str]) -> RecordChoiceAnswer:
    quoted = [Quote(source=source, quote=quote) for source, quote in quotes]
    return RecordChoiceAnswer(record=record, quotes=quoted, rationale="The first is meant.")


async def choose(expected: str, answer: Any, to: str = "AW-1") -> tuple[Verdict, ScriptedJudge]:
    judge = ScriptedJudge(record_choice=answer)
    return await check(expected, paying(to), judge), judge


async def test_the_record_in_the_call_is_the_one_that_is_meant() -> None:
    verdict, judge = await choose("aligned", meant(1, WORDS, DATA))
    finding = found(verdict, Relation.DERIVED_FROM, "/to")
    assert (finding.holds, finding.decided_by) == (True, DecidedBy.JUDGE)
    assert [span.quote for span in finding.evidence] == ["Alex", "Alex Wu"]
    assert judge.asked.count("record_choice") == 1


async def test_another_record_that_is_meant_is_a_wrong_parameter_and_the_first_reading() -> None:
    verdict, _ = await choose("parameter", meant(1, WORDS), to="AC-2")
    assert "“AW-1” is meant, not “AC-2”" in found(verdict, Relation.DERIVED_FROM, "/to").rationale


@pytest.mark.parametrize(
    "answer",
    [
        meant(None),
        meant(1),
        meant(1, DATA),
        meant(1, ("query", "Alex Wu")),
        meant(3, WORDS),
        meant(0, WORDS),
        SILENT,
        GIBBERISH,
    ],
    ids=["none", "no quotes", "data alone", "not the user's words", "no such record", "from 1", "silent", "gibberish"],
)
async def test_what_the_users_words_do_not_single_out_competes(answer: Any) -> None:
    verdict, _ = await choose("interpretation", answer)
    assert [reading.arguments["to"] for reading in verdict.interpretations] == ["AC-2"]


async def test_the_judge_is_not_told_which_record_is_proposed() -> None:
    materials = []
    for to in ("AW-1", "AC-2"):
        _, judge = await choose("interpretation", SILENT, to=to)
        (question,) = {
            question.records: question for question in judge.questions if question.name == "record_choice"
        }.values()
        materials.append(question.material)
    assert materials[0] == materials[1]
