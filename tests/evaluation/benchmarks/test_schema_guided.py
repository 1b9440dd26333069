from pathlib import Path
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.benchmarks.schema_guided import NOW, SchemaGuided
from reviews.provenance.core.context import Message, Step
from tests.evaluation.conversations import DIALOGUE, cases_in, guided_folder


def test_every_call_is_right_and_a_service_says_which_only_look_up(tmp_path: Path) -> None:
    cases = cases_in(SchemaGuided(guided_folder(tmp_path)))
    assert [(case.label, case.wrong, case.look_up) for case in cases] == [
        ("right", False, True),
        ("right", False, False),
    ]


def test_a_call_is_judged_in_what_was_said_and_returned_before(tmp_path: Path) -> None:
    find, book = (case.case for case in cases_in(SchemaGuided(guided_folder(tmp_path))))
    assert (find.context.query, find.context.history) == ("A room in Bath for two nights.", ())
    step, offer, answer = book.context.history
    assert isinstance(step, Step)
    assert (step.tool, step.outcome) == ("Hotels_1.FindRoom", '[{"city": "Bath", "room": "R-12"}]')
    assert (offer, answer) == (
        Message("assistant", "There is one. Shall I book it?"),
        Message("user", "Yes, a quiet one."),
    )
    assert book.context.now == NOW


def test_values_have_the_types_of_their_choices_and_what_is_left_open_is_not_sent(tmp_path: Path) -> None:
    find, book = (case.case for case in cases_in(SchemaGuided(guided_folder(tmp_path))))
    assert find.action.arguments == {"city": "Bath"}
    assert book.action.arguments == {"city": "Bath", "nights": 2, "quiet": True}
    document = book.context.tool("Hotels_1.BookRoom")
    assert document is not None
    types = {name: schema["type"] for name, schema in document.properties.items()}
    assert types == {"city": "string", "nights": "integer", "quiet": "boolean"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"services": ["Flights_1"]}, "dialogues_001.json, dialogue 1: the field 'Flights_1' is missing"),
        ({"turns": []}, "dialogues_001.json, dialogue 1"),
        ({"turns": [*DIALOGUE["turns"], {"speaker": "USER"}]}, "the field 'frames' is missing"),
    ],
)
def test_unexpected_data_is_refused_by_place(changed: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(TraceDataError, match=message):
        cases_in(SchemaGuided(guided_folder(tmp_path, **changed)))


def test_a_folder_without_dialogues_is_refused(tmp_path: Path) -> None:
    (guided_folder(tmp_path) / "dialogues_001.json").unlink()
    with pytest.raises(TraceDataError, match=r"called dialogues_\*\.json"):
        cases_in(SchemaGuided(tmp_path))


def test_a_folder_without_its_schema_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceDataError, match=r"schema\.json cannot be read"):
        cases_in(SchemaGuided(tmp_path))
