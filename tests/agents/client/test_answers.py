"""What the client reads of an answer is all that the published OpenAPI document says of it, however deep."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest

from reviews.agents.client.provenanceguard.plans import PlanAnswer
from reviews.agents.client.provenanceguard.values import Action, EventPage, Execution, Page, UserConfirmation
from tests.api.docs.test_openapi import document

# Every answer that the client reads, by the operation that gives it.
ANSWERS = {
    "actions_submit": Action,
    "actions_read": Action,
    "actions_list": Page,
    "actions_cancel": Action,
    "actions_ask_user": UserConfirmation,
    "execution_start": Execution,
    "plans_submit": PlanAnswer,
    "plans_read": PlanAnswer,
    "events_list": EventPage,
}


def answered_by(operation_id: str) -> list[Mapping[str, Any]]:
    """The schemas of an operation's successful answers."""
    (operation,) = (
        operation
        for path in document()["paths"].values()
        for operation in path.values()
        if operation["operationId"] == operation_id
    )
    answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    return [answer["content"]["application/json"]["schema"] for answer in answers]


def objects_of(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The schemas of objects with named fields that such a value is, may be, or is a list of."""
    if "$ref" in schema:
        yield from objects_of(document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "properties" in schema:
        yield schema
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from objects_of(choice)
    if "items" in schema:
        yield from objects_of(schema["items"])


def values_of(annotation: Any) -> Iterator[type]:
    """The client's values that stand in such an annotation."""
    if isinstance(annotation, type) and is_dataclass(annotation):
        yield annotation
    for argument in get_args(annotation):
        yield from values_of(argument)


def check_fields(client: type, schema: Mapping[str, Any]) -> None:
    """The value has the fields of the object, and so have all values in it."""
    assert {field.name for field in fields(client)} == set(schema["properties"]), client
    for name, annotation in get_type_hints(client).items():
        objects, values = list(objects_of(schema["properties"][name])), list(values_of(annotation))
        assert len(objects) == len(values), f"{client.__name__}.{name}"
        for value, inner in zip(values, objects, strict=True):
            check_fields(value, inner)


@pytest.mark.parametrize("operation_id", ANSWERS)
def test_every_field_of_an_answer_is_known(operation_id: str) -> None:
    for schema in answered_by(operation_id):
        (answer,) = objects_of(schema)
        check_fields(ANSWERS[operation_id], answer)
