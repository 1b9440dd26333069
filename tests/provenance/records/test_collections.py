"""What qualifies a record beside the words of its fields: what it says yes to, what lies in it, shortened days."""

import json

import pytest

from reviews.provenance.core.context import Step
from tests.provenance.grounding.test_singled_out import holds, traced
from tests.provenance.grounding.test_told_apart import listed

CABINS = listed(
    "cabins",
    {"cabin": "cb-4", "sauna": True, "berths": 2},
    {"cabin": "cb-5", "sauna": False, "berths": 2},
)


@pytest.mark.parametrize("yes", [True, "yes", "ja", "oui", "sí", "x", "✓", "はい", "是"])
def test_what_says_yes_under_a_key_has_what_the_key_names(yes: str | bool) -> None:
    cabins = listed("cabins", {"cabin": "cb-4", "sauna": yes}, {"cabin": "cb-5", "sauna": "-"})
    assert holds(traced("Book the cabin with the sauna", {"cabin": "cb-4"}, cabins)["cabin"])
    assert not holds(traced("Book the cabin with the sauna", {"cabin": "cb-5"}, cabins)["cabin"])


@pytest.mark.parametrize("no", [False, "no", None, 0, "unknown"])
def test_what_says_anything_else_under_a_key_does_not(no: str | bool | None) -> None:
    cabins = listed("cabins", {"cabin": "cb-4", "sauna": no}, {"cabin": "cb-5", "sauna": True})
    assert not holds(traced("Book the cabin with the sauna", {"cabin": "cb-4"}, cabins)["cabin"])


def test_a_yes_under_a_key_that_nobody_mentions_tells_nothing() -> None:
    assert traced("Book a cabin", {"cabin": "cb-4"}, CABINS)["cabin"].open


PARCELS = listed("parcels", {"parcel": "pa-1", "sealed": True}, {"parcel": "pa-2", "sealed": False})


@pytest.mark.parametrize("parcel", ["pa-1", "pa-2"])
def test_what_something_is_to_become_is_not_said_of_what_it_is(parcel: str) -> None:
    assert not holds(traced("Set the parcel to sealed", {"parcel": parcel}, PARCELS)["parcel"])


def test_what_something_is_is_said_of_it() -> None:
    assert holds(traced("Weigh the sealed parcel", {"parcel": "pa-1"}, PARCELS)["parcel"])


BASKETS = json.dumps(
    {
        "baskets": [
            {"basket": "ba-70", "filled": {"by": "Ida"}, "items": [{"fruit": "quince"}, {"fruit": "pear"}]},
            {"basket": "ba-71", "filled": {"by": "Ida"}, "items": [{"fruit": "plum"}, {"fruit": "pear"}]},
        ]
    }
)


@pytest.mark.parametrize(("basket", "expected"), [("ba-70", True), ("ba-71", False)])
def test_a_record_is_known_by_what_lies_in_it(basket: str, expected: bool) -> None:
    found = traced("Send the basket with the quince", {"basket": basket}, Step("list_baskets", {}, BASKETS))
    assert holds(found["basket"]) is expected


def test_what_lies_in_both_tells_neither() -> None:
    for basket in ("ba-70", "ba-71"):
        found = traced("Send the basket with the pears", {"basket": basket}, Step("list_baskets", {}, BASKETS))
        assert not holds(found["basket"])
        assert not found["basket"].against


@pytest.mark.parametrize(
    ("request_", "days"),
    [
        ("Cancel the choir on Thursday", ("Thu", "Tue")),
        ("Cancel the choir on Tuesday", ("TUE", "THU")),
        ("Cancel the choir in October", ("Oct", "Nov")),
    ],
)
def test_a_day_or_month_is_also_its_first_three_letters(request_: str, days: tuple[str, str]) -> None:
    choirs = listed("choirs", {"choir": "ch-1", "when": days[0]}, {"choir": "ch-2", "when": days[1]})
    assert holds(traced(request_, {"choir": "ch-1"}, choirs)["choir"])
    assert not holds(traced(request_, {"choir": "ch-2"}, choirs)["choir"])


def test_other_words_are_not_shortened() -> None:
    choirs = listed("choirs", {"choir": "ch-1", "voice": "sop"}, {"choir": "ch-2", "voice": "alt"})
    assert traced("Cancel the soprano choir", {"choir": "ch-1"}, choirs)["choir"].open


def test_three_letters_inside_a_word_are_no_day() -> None:
    choirs = listed("choirs", {"choir": "ch-1", "hall": "Thule"}, {"choir": "ch-2", "hall": "Norra"})
    assert traced("Cancel the choir on Thursday", {"choir": "ch-1"}, choirs)["choir"].open
