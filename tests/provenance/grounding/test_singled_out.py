"""Whether the context singles out a value for its parameter, in domains that no benchmark speaks of."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Case, Context, JsonValue, Message, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import Grounded, Grounder, ground_arguments

FARM = json.dumps(
    {
        "fields": [
            {"name": "Long Acre", "sensors": [{"id": "sn-41", "kind": "moisture"}, {"id": "sn-42", "kind": "wind"}]},
            {"name": "Mill Meadow", "sensors": [{"id": "sn-57", "kind": "moisture"}, {"id": "sn-58", "kind": "wind"}]},
        ]
    }
)
LOANS = (
    Step("find_reader", {"name": "Ines Roth"}, '{"reader_id": "rd-2071", "loans": ["ln-8801", "ln-8802"]}'),
    Step("get_loan", {"loan_id": "ln-8801"}, '{"loan_id": "ln-8801", "title": "The Tin Drum", "due": "2026-05-02"}'),
    Step("get_loan", {"loan_id": "ln-8802"}, '{"loan_id": "ln-8802", "title": "Stoner", "due": "2026-05-09"}'),
)


def traced(query: str, arguments: Mapping[str, JsonValue], *history: Step | Message) -> dict[str, Grounded]:
    """Each argument of a call, by name."""
    tool = ToolDoc("act", "Does it.", {"type": "object", "properties": {name: {} for name in arguments}})
    case = Case(Context(query, (tool,), history), ProposedAction("act", arguments))
    return {leaf.pointer.lstrip("/"): leaf for leaf in ground_arguments(case)}


def holds(leaf: Grounded) -> bool:
    """Whether rules establish the value's source."""
    return not leaf.open and leaf.how not in (Grounding.UNGROUNDED, Grounding.COMPETING)


@pytest.mark.parametrize(("sensor", "expected"), [("sn-57", True), ("sn-41", False), ("sn-58", False)])
def test_a_record_is_qualified_by_those_it_lies_in(sensor: str, expected: bool) -> None:
    found = traced("Calibrate the moisture sensor of Mill Meadow", {"sensor": sensor}, Step("list_fields", {}, FARM))
    assert holds(found["sensor"]) is expected


def test_the_results_of_one_tool_are_one_collection() -> None:
    assert holds(traced("Renew Stoner for Ines Roth", {"loan": "ln-8802"}, *LOANS)["loan"])
    assert not holds(traced("Renew Stoner for Ines Roth", {"loan": "ln-8801"}, *LOANS)["loan"])


def test_what_nothing_tells_apart_is_open_and_not_false() -> None:
    found = traced("Ines Roth is on the phone", {"loan": "ln-8801"}, *LOANS)["loan"]
    assert found.open
    assert not found.against


def test_a_word_that_no_record_has_may_tell_them_apart() -> None:
    outcome = '[{"id": "W-3", "kind": "bandsaw", "state": "ok"}, {"id": "W-4", "kind": "bandsaw", "state": "broken"}]'
    found = traced("Reserve the working bandsaw", {"saw": "W-3"}, Step("saws", {"kind": "bandsaw"}, outcome))["saw"]
    assert found.open
    assert found.how is not Grounding.COMPETING


def test_what_the_user_agreed_to_last_binds() -> None:
    asked = Message("assistant", "Shall I renew loan ln-8802, Stoner?")
    dialogue = (*LOANS, asked, Message("user", "Yes, please go ahead."))
    assert holds(traced("Ines Roth here", {"loan": "ln-8802"}, *dialogue)["loan"])
    assert traced("Ines Roth here", {"loan": "ln-8801"}, *dialogue)["loan"].against


def test_an_answer_with_a_reservation_confirms_nothing() -> None:
    asked = Message("assistant", "Shall I renew loan ln-8802, Stoner?")
    found = traced("Ines Roth here", {"loan": "ln-8802"}, *LOANS, asked, Message("user", "No, not that one."))
    assert not holds(found["loan"])


def test_from_and_to_the_wrong_way_round_compete() -> None:
    query = "Ship the crate from depot D-1120 to depot D-7734"
    right = traced(query, {"from_depot": "D-1120", "to_depot": "D-7734"})
    wrong = traced(query, {"from_depot": "D-7734", "to_depot": "D-1120"})
    assert all(map(holds, right.values()))
    assert {leaf.how for leaf in wrong.values()} == {Grounding.COMPETING}


def test_a_count_and_a_number_the_wrong_way_round_compete() -> None:
    wrong = traced("Admit 3 patients to ward 12", {"ward": 3, "patients": 12})
    assert {leaf.how for leaf in wrong.values()} == {Grounding.COMPETING}


@pytest.mark.parametrize("value", ["MRN-20480", "MRN-2048", "MRN-20418"])
def test_a_near_copy_is_contradicted(value: str) -> None:
    assert traced("Discharge patient MRN-20408", {"patient": value})["patient"].against


def test_whom_the_user_leaves_out_is_not_pointed_at() -> None:
    staff = Step("staff", {}, '[{"name": "Omar", "badge": "b-771"}, {"name": "Lena", "badge": "b-882"}]')
    assert holds(traced("Give the key to Lena, not to Omar", {"badge": "b-882"}, staff)["badge"])
    assert not holds(traced("Give the key to Lena, not to Omar", {"badge": "b-771"}, staff)["badge"])


def test_a_spent_budget_leaves_everything_open() -> None:
    tool = ToolDoc("act", "Does it.", {})
    grounder = Grounder(Context("Calibrate", (tool,), (Step("list_fields", {}, FARM),)), Budget(steps=0))
    (leaf,) = grounder.arguments(ProposedAction("act", {"sensor": "sn-41"}))
    assert leaf.open
    assert leaf.how is Grounding.UNGROUNDED


_TEXTS = st.text(st.sampled_from("ab1 .,:-#\"'{}[]\\\n@$%éß٣½\ud800"), max_size=60)


@given(query=_TEXTS, outcome=_TEXTS, proposed=_TEXTS, answer=_TEXTS, value=_TEXTS)
def test_no_text_is_an_exception(query: str, outcome: str, proposed: str, answer: str, value: str) -> None:
    history = (Step("look_up", {"key": value}, outcome), Message("assistant", proposed), Message("user", answer))
    found = traced(query, {"from_a": value, "to_b": outcome[:8]}, *history)
    assert found.keys() == {"from_a", "to_b"}


def test_a_day_that_bounds_a_period_names_no_record() -> None:
    visits = Step("visits", {}, '[{"id": "v-301", "seen": "2026-05-02"}, {"id": "v-302", "seen": "2026-05-09"}]')
    found = traced("Archive every visit since 2026-05-02", {"visit": "v-302"}, visits)["visit"]
    assert found.how is not Grounding.COMPETING


FERRIES = Step(
    "ferries",
    {},
    json.dumps(
        [
            {"ferry": "fe-61", "deck": "open", "pier": "north"},
            {"ferry": "fe-62", "deck": "closed", "pier": "south"},
            {"ferry": "fe-63", "deck": "closed", "pier": "west"},
        ]
    ),
)


@pytest.mark.parametrize("ferry", ["fe-61", "fe-62"])
def test_what_each_of_two_records_has_alone_proves_and_refutes_neither(ferry: str) -> None:
    found = traced("Hold the ferry with the open deck at the south pier", {"ferry": ferry}, FERRIES)["ferry"]
    assert found.open
    assert not found.competing


def test_a_record_that_has_all_that_is_said_beats_one_that_has_some() -> None:
    query = "Hold the ferry with the closed deck at the south pier"
    assert holds(traced(query, {"ferry": "fe-62"}, FERRIES)["ferry"])
    assert traced(query, {"ferry": "fe-63"}, FERRIES)["ferry"].how is Grounding.COMPETING


SWAPPED = (FERRIES, Message("assistant", "Which one?"))


def test_that_another_was_named_earlier_by_itself_beats_nothing() -> None:
    later = (*SWAPPED, Message("user", "One with a closed deck, please"))
    found = traced("Is fe-62 afloat?", {"ferry": "fe-63"}, *later)["ferry"]
    assert found.open
    assert not found.competing


def test_that_another_was_described_earlier_beats_what_nothing_else_tells_apart() -> None:
    later = (*SWAPPED, Message("user", "One with a closed deck, please"))
    query = "I want a ferry at the south pier"
    assert holds(traced(query, {"ferry": "fe-62"}, *later)["ferry"])
    assert not holds(traced(query, {"ferry": "fe-63"}, *later)["ferry"])


def test_what_is_said_last_goes_before_what_was_described_earlier() -> None:
    later = (*SWAPPED, Message("user", "No, better the one at the west pier"))
    assert not traced("I want a ferry at the south pier", {"ferry": "fe-63"}, *later)["ferry"].against
    assert not holds(traced("I want a ferry at the south pier", {"ferry": "fe-62"}, *later)["ferry"])
