"""The latest word on a thing counts."""

import pytest

from reviews.provenance.core.context import JsonValue, Message, Step
from tests.provenance.grounding.test_singled_out import holds, traced

CREW = Step(
    "list_crew",
    {},
    '[{"name": "Omar Haddad", "badge": "cr-301"}, {"name": "Ann Lee", "badge": "cr-302"}, '
    '{"name": "Bo Ek", "badge": "cr-303"}]',
)


@pytest.mark.parametrize(
    ("request_", "name", "value", "expected"),
    [
        ("Reserve berths for four at eight, sorry, make it five", "berths", 5, True),
        ("Reserve berths for four at eight, sorry, make it five", "berths", 4, False),
        ("Reserve berths for four at eight, sorry, make it five", "time", "20:00", True),
        ("Weigh anchor on Monday, no, sorry, Tuesday", "day", "Tuesday", True),
        ("Weigh anchor on Monday, no, sorry, Tuesday", "day", "Monday", False),
        ("Load 3 crates of 12 jars, sorry, make it 5", "jars", 12, True),
        ("Load 4 crates. Sorry for the late notice, 2 of us are ill", "crates", 4, True),
    ],
)
def test_a_value_that_is_corrected_has_lost_its_source(
    request_: str, name: str, value: JsonValue, *, expected: bool
) -> None:
    assert holds(traced(request_, {name: value})[name]) is expected


def test_a_message_that_only_corrects_takes_back_what_was_said_before_it() -> None:
    for answer in ("make it 5", "Sorry, make it five. Then yes, please."):
        history = (Message("assistant", "3 crates?"), Message("user", answer))
        assert not holds(traced("Load 3 crates", {"crates": 3}, *history)["crates"])
    assert holds(traced("Load 3 crates", {"crates": 5}, *history)["crates"])


@pytest.mark.parametrize("value", ["Not Ann", "ne AA", "Nicht Bo"])
def test_a_word_inside_a_value_takes_none_of_it_out(value: str) -> None:
    assert holds(traced(f"Call the boat “{value}”", {"name": value})["name"])


def test_a_number_that_is_corrected_behind_a_name_takes_no_name_out() -> None:
    found = traced("Pack three jars for Mrs Pohl, sorry, make it five", {"jars": 5, "customer": "Mrs Pohl"})
    assert all(map(holds, found.values()))


def test_a_sentence_that_opens_with_no_corrects_the_one_before_it() -> None:
    history = (Message("assistant", "Wie viele Gläser?"), Message("user", "Drei. Nein, Oma kommt mit, also vier."))
    assert not holds(traced("Ich möchte Gläser leihen", {"glasses": 3}, *history)["glasses"])
    assert holds(traced("Ich möchte Gläser leihen", {"glasses": 4}, *history)["glasses"])


@pytest.mark.parametrize(
    "answer",
    ["No, eleven jars, the rest is fine", "No, rather eleven jars. Then yes"],
)
def test_an_answer_corrects_the_number_of_what_it_speaks_of(answer: str) -> None:
    history = (Message("assistant", "4 jars on shelf 12, shall I?"), Message("user", answer))
    found = {jars: traced("Put 4 jars on shelf 12", {"jars": jars}, *history)["jars"] for jars in (4, 11)}
    assert {jars: holds(leaf) for jars, leaf in found.items()} == {4: False, 11: True}


@pytest.mark.parametrize(
    ("request_", "badge"),
    [
        ("Call in everyone except Omar", "cr-301"),
        ("Call in Ann, no wait, Bo", "cr-302"),
        ("Relieve Bo, not Ann", "cr-302"),
    ],
)
def test_whoever_is_taken_out_is_not_meant(request_: str, badge: str) -> None:
    found = traced(request_, {"badge": badge}, CREW)["badge"]
    assert not holds(found)
    assert found.against


@pytest.mark.parametrize(
    ("request_", "badge"), [("Call in Ann, no wait, Bo", "cr-303"), ("Relieve Bo, not Ann", "cr-303")]
)
def test_whoever_is_meant_instead_stands(request_: str, badge: str) -> None:
    assert holds(traced(request_, {"badge": badge}, CREW)["badge"])


@pytest.mark.parametrize(
    ("request_", "first", "second", "new"),
    [
        ("prenota per due adulti e due bambini, anzi tre", "adulti", "bambini", 3),
        ("zwei Zimmer und zwei Betten bitte, nein warte, vier", "zimmer", "betten", 4),
        ("Quiero dos mesas y dos sillas, por favor, mejor dicho cinco", "mesas", "sillas", 5),
        ("Two rooms and two cots, no, sorry, three", "rooms", "cots", 3),
    ],
)
def test_a_correction_takes_back_the_nearest_mention_alone(request_: str, first: str, second: str, new: int) -> None:
    found = traced(request_, {first: 2, second: new})
    assert holds(found[first])
    assert holds(found[second])
    assert not holds(traced(request_, {second: 2})[second])


CATS = Step(
    "list_cats",
    {},
    '[{"name": "Copo", "coat": "blanco", "cat_id": "g-61"}, {"name": "Sombra", "coat": "negro", "cat_id": "g-63"}]',
)
PEOPLE = Step("find", {}, '[{"user_id": "u-1", "name": "田中 恵"}, {"user_id": "u-2", "name": "田村 亮"}]')


@pytest.mark.parametrize(
    ("request_", "name", "meant", "spared", "listed"),
    [
        ("lleva el gato blanco al veterinario, el negro no, que ya fue", "cat_id", "g-61", "g-63", CATS),
        ("田村さんを招待して。田中さんじゃないよ", "user_id", "u-2", "u-1", PEOPLE),
        ("Relieve Bo, Ann stays as she is", "badge", "cr-303", "cr-302", CREW),
        ("Ruf bitte Ann an, nur Bo nicht", "badge", "cr-302", "cr-303", CREW),
        ("Appelle Ann pour moi, Bo non, il est malade", "badge", "cr-302", "cr-303", CREW),
        ("Chiama Ann per favore, Bo no, che è malato", "badge", "cr-302", "cr-303", CREW),
        ("Bel Ann voor mij, Bo niet, want die is ziek", "badge", "cr-302", "cr-303", CREW),
    ],
)
def test_what_stays_or_is_not_meant_is_left_out(
    request_: str, name: str, meant: str, spared: str, listed: Step
) -> None:
    assert holds(traced(request_, {name: meant}, listed)[name])
    assert not holds(traced(request_, {name: spared}, listed)[name])


@pytest.mark.parametrize(
    ("request_", "coat"),
    [("el gato negro no tiene casa, búscale una", "g-63"), ("llama por el negro, que no come", "g-63")],
)
def test_what_is_said_of_a_thing_does_not_leave_it_out(request_: str, coat: str) -> None:
    assert holds(traced(request_, {"cat_id": coat}, CATS)["cat_id"])
