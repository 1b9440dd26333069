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
    history = (Message("assistant", "3 crates?"), Message("user", "make it 5"))
    assert not holds(traced("Load 3 crates", {"crates": 3}, *history)["crates"])
    assert holds(traced("Load 3 crates", {"crates": 5}, *history)["crates"])


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
