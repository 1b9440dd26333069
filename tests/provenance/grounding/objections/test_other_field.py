"""Another field of the same record that the parameter, or what the user says, fits better."""

import pytest

from reviews.provenance.core.context import Step
from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.test_singled_out import holds, traced
from tests.provenance.grounding.test_told_apart import listed

BREWERY = listed(
    "brewery",
    {"vat_id": "vt-1", "name": "Porter", "brewed": "2026-01-10", "bottled": "2026-02-20", "best_before": "2027-02-20"},
    {"vat_id": "vt-2", "name": "Stout", "brewed": "2026-01-14", "bottled": "2026-02-26", "best_before": "2027-02-26"},
)
CHOIR = listed(
    "singers",
    {"singer_id": "si-4", "name": "Ida Holm", "home_phone": "555-1010", "work_phone": "555-2020"},
    {"singer_id": "si-5", "name": "Bo Lind", "home_phone": "555-3030", "work_phone": "555-4040"},
)
LOAN = listed("loan", {"loan_id": "lo-9", "name": "Astrolabe", "insured": 900, "appraised": 750})


@pytest.mark.parametrize(
    ("request_", "name", "right", "wrong", "history"),
    [
        ("Print the bottled date of the Porter on the label", "date", "2026-02-20", "2026-01-10", BREWERY),
        ("Text Ida Holm on her work phone", "phone", "555-2020", "555-1010", CHOIR),
        ("Text Ida Holm on her home phone", "phone", "555-1010", "555-2020", CHOIR),
        ("Write what the Astrolabe was appraised at", "amount", 750, 900, LOAN),
    ],
)
def test_the_field_that_the_user_speaks_of_is_meant(
    request_: str, name: str, right: str | int, wrong: str | int, history: Step
) -> None:
    assert holds(traced(request_, {name: right}, history)[name])
    found = traced(request_, {name: wrong}, history)[name]
    assert found.how is Grounding.COMPETING
    assert [other.value for other in found.competing] == [str(right)]


HUNTS = listed(
    "hunts",
    {"day": "Saturday", "meeting point": "Old quarry", "end point": "Lake"},
    {"day": "Sunday", "meeting point": "Mill bridge", "end point": "Fox inn"},
)
CRATES = listed("crates", {"helper": "Nadia", "thu": 41, "fri": 36}, {"helper": "Pavel", "thu": 38, "fri": 44})


@pytest.mark.parametrize(
    ("request_", "name", "right", "wrong", "history"),
    [
        ("Announce the meeting point of Sunday's hunt", "place", "Mill bridge", "Fox inn", HUNTS),
        ("Pay Nadia for the crates she picked on Friday", "crates", 36, 41, CRATES),
    ],
)
def test_another_field_of_the_record_that_is_described_is_not_meant(
    request_: str, name: str, right: str | int, wrong: str | int, history: Step
) -> None:
    assert holds(traced(request_, {name: right}, history)[name])
    assert not holds(traced(request_, {name: wrong}, history)[name])


def test_of_fields_alike_that_nothing_tells_apart_neither_is_proved_or_refuted() -> None:
    for phone in ("555-1010", "555-2020"):
        found = traced("Text Ida Holm", {"phone": phone}, CHOIR)["phone"]
        assert found.open
        assert not found.competing


def test_a_field_that_is_called_like_the_parameter_is_meant() -> None:
    assert holds(traced("Text Ida Holm, not at work", {"home_phone": "555-1010"}, CHOIR)["home_phone"])


def test_fields_of_other_kinds_are_no_rivals() -> None:
    assert holds(traced("Call the singer Ida Holm by her name", {"singer": "si-4"}, CHOIR)["singer"])


def test_what_a_record_is_known_by_is_no_other_field_of_it() -> None:
    halls = listed("halls", {"hall": "Norra", "street": "Storgatan"}, {"hall": "Södra", "street": "Hamngatan"})
    assert holds(traced("Close the street by the hall Norra", {"road": "Storgatan"}, halls)["road"])


@pytest.mark.parametrize("key", ["id", "visit_id"])
def test_that_a_list_is_called_like_the_parameter_makes_no_rival_of_its_other_keys(key: str) -> None:
    visits = listed(
        "visits", {key: "vi-31", "keeper_id": "ke-7", "who": "Ida"}, {key: "vi-32", "keeper_id": "ke-8", "who": "Bo"}
    )
    assert holds(traced("Move Ida's visit", {"visit_id": "vi-31"}, visits)["visit_id"])
