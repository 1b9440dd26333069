"""What is replaced and what replaces it."""

from reviews.provenance.core.context import Step
from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.test_singled_out import holds, traced

LEASE = Step("get_lease", {"lease_id": "le-771"}, '{"lease_id": "le-771", "unit": {"unit_id": "un-3051", "floor": 2}}')
UNITS = Step("list_free_units", {}, '[{"unit_id": "un-4408", "floor": 5}, {"unit_id": "un-4409", "floor": 6}]')
QUERY = "Move lease le-771 from its unit to un-4408"


def test_what_is_replaced_belongs_to_the_record_that_the_call_is_about() -> None:
    found = traced(QUERY, {"lease": "le-771", "unit_id": "un-4408", "new_unit_id": "un-3051"}, LEASE, UNITS)
    assert found["unit_id"].how is Grounding.COMPETING
    assert found["new_unit_id"].how is Grounding.COMPETING


def test_the_right_way_round_stands() -> None:
    found = traced(QUERY, {"lease": "le-771", "unit_id": "un-3051", "new_unit_id": "un-4408"}, LEASE, UNITS)
    assert holds(found["unit_id"])
    assert holds(found["new_unit_id"])


def test_what_is_replaced_by_itself_is_not_established() -> None:
    arguments = {"lease": "le-771", "unit_id": "un-3051", "new_unit_id": "un-3051"}
    assert not holds(traced("Move lease le-771 to another unit", arguments, LEASE, UNITS)["new_unit_id"])
