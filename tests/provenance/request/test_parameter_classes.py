from typing import Any

import pytest

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.request.parameter_classes import derivable, parameter_paths, path_of

CREATE, DELETE = ToolDoc("create_task"), ToolDoc("delete_task")


def check(name: str, expected: bool | None, tool: ToolDoc = CREATE, **schema: Any) -> None:
    assert derivable(f"/{name}", schema, tool) is expected


@pytest.mark.parametrize(
    "name",
    "to recipient participant_email event_id eventId amount due_date start account_number phone callback_url file_path "
    "status promo_code quantity user_name recipients assigned_to_email".split(),
)
def test_what_points_at_something_must_have_a_source(name: str) -> None:
    check(name, True, DELETE)


@pytest.mark.parametrize("name", "subject body message email_body description notes title code reason".split())
def test_what_is_composed_needs_none(name: str) -> None:
    check(name, False)


def test_a_number_and_what_is_deleted_name_something_that_exists() -> None:
    check("message", True, type="integer")
    check("message", True, ToolDoc("delete_message"))
    check("reason", False, ToolDoc("delete_message"))


@pytest.mark.parametrize("name", "zing limit urgent new_value board".split())
def test_what_names_do_not_tell_is_open(name: str) -> None:
    check(name, None)


def test_the_name_of_a_thing_that_is_being_made_is_open() -> None:
    check("task_name", None, CREATE)
    check("task_name", True, DELETE)


@pytest.mark.parametrize("schema", [{"enum": ["a", "b"]}, {"format": "email"}, {"type": "integer"}, {"type": "number"}])
def test_formats_and_types_tell(schema: dict[str, Any]) -> None:
    check("zing", True, **schema)


@pytest.mark.parametrize("name", ["time_min", "date_max", "max_price", "min_date"])
def test_the_bound_of_a_time_or_a_price_must_have_a_source(name: str) -> None:
    check(name, True)


@pytest.mark.parametrize("name", ["max_results", "min", "page_size", "max_tokens", "timeout_seconds"])
def test_how_much_of_something_is_open(name: str) -> None:
    check(name, None)


def test_options_listed_in_the_description_are_as_good_as_an_enum() -> None:
    check("zing", True, description='Can be "bar", "line" or "pie"')
    check("zing", None, description='Anything, such as "bar" or "line"')


def test_paths_reach_into_objects_and_lists() -> None:
    people = {"type": "array", "items": {"properties": {"email": {"type": "string"}}}}
    tool = ToolDoc("t", parameters={"properties": {"a/b": {}, "people": people}})
    assert list(parameter_paths(tool)) == ["/a~1b", "/people", "/people/email"]


def test_the_path_of_a_leaf_leaves_list_positions_out() -> None:
    assert path_of("/people/12/email") == "/people/email"


@pytest.mark.parametrize("schema", [{"properties": []}, {"properties": {"a": 1}}, {"properties": None}, {"items": {}}])
def test_a_broken_schema_has_no_paths(schema: dict[str, Any]) -> None:
    assert not parameter_paths(ToolDoc("t", parameters=schema))


def test_a_schema_without_end_is_read_so_far() -> None:
    schema: dict[str, Any] = {"properties": {}}
    for _ in range(500):
        schema = {"properties": {"x": schema, "y": schema}}
    assert len(parameter_paths(ToolDoc("t", parameters=schema))) == 256
