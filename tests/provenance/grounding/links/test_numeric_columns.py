"""Sums over a column: of the records that the request names, where it names some."""

import json

import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded, grounded

CATCH = json.dumps(
    [
        {"haul_id": "ha-21", "boat": "Tern", "fish": "herring", "kilos": 310},
        {"haul_id": "ha-22", "boat": "Auk", "fish": "cod", "kilos": 45},
        {"haul_id": "ha-23", "boat": "Tern", "fish": "cod", "kilos": 62},
        {"haul_id": "ha-24", "boat": "Gull", "fish": "herring", "kilos": 128},
    ]
)


@pytest.mark.parametrize(
    ("request_", "value", "quotes"),
    [
        ("Report the total kilos of the Tern", 372, ("310", "62")),
        ("Report the total kilos of cod", 107, ("45", "62")),
        ("Report the total kilos of all hauls", 545, ("310", "45", "62", "128")),
        ("Report the total kilos of ha-22 and ha-24", 173, ("45", "128")),
    ],
)
def test_a_sum_is_over_the_rows_that_are_named(request_: str, value: int, quotes: tuple[str, ...]) -> None:
    found = check_grounded(value, in_text=request_, outputs=(CATCH,), how=Grounding.DERIVE)
    assert {span.quote for span in found.spans} >= set(quotes)


@pytest.mark.parametrize(
    ("request_", "value"),
    [
        # Over all rows, where some are named.
        ("Report the total kilos of the Tern", 545),
        ("Report the total kilos of ha-22 and ha-24", 545),
        # Over other rows than the named ones.
        ("Report the total kilos of cod", 438),
        # An identifier names its row, and no other row that shares a word with the request.
        ("Report the total kilos of ha-22 and ha-24, without the rest of the cod", 107),
    ],
)
def test_a_sum_over_other_rows_has_no_source(request_: str, value: int) -> None:
    assert grounded(value, in_text=request_, outputs=(CATCH,)).how is not Grounding.DERIVE


def test_numbers_that_identify_are_not_summed() -> None:
    rows = json.dumps([{"locker_number": 12, "keys": 2}, {"locker_number": 15, "keys": 3}])
    assert grounded(27, in_text="Report the total", outputs=(rows,)).how is not Grounding.DERIVE
    assert grounded(5, in_text="Report the total of the keys", outputs=(rows,)).how is Grounding.DERIVE
