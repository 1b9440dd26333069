"""A value under the name of another argument."""

from reviews.provenance.core.context import Step
from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.test_singled_out import holds, traced

HERD = Step("get_animal", {"tag": "ow-118"}, '{"tag": "ow-118", "breed": "Gotland", "pasture": "Rimfrost"}')


def test_a_value_that_records_hold_as_another_argument_is_misplaced() -> None:
    arguments = {"tag": "ow-118", "breed": "Rimfrost", "pasture": "Rimfrost"}
    found = traced("Register ow-118 on Rimfrost", arguments, HERD)
    assert found["breed"].how is Grounding.UNGROUNDED
    assert found["breed"].against


def test_a_value_under_its_own_name_stands() -> None:
    arguments = {"tag": "ow-118", "breed": "Gotland", "pasture": "Rimfrost"}
    found = traced("Register ow-118 as a Gotland on Rimfrost", arguments, HERD)
    assert all(holds(leaf) for leaf in found.values())
