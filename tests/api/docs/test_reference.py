"""The OpenAPI document in words."""

from typing import Any

import pytest
from django.test import Client

from reviews.api.docs.reference import Word, parse_prose, read_reference, type_of
from tests.api.docs.test_openapi import document

TEXT = {"type": "string"}
FINDING = {"$ref": "#/components/schemas/Finding"}


def check_type(schema: dict[str, Any], words: str) -> None:
    assert "".join(word.text for word in type_of(schema)) == words


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (TEXT, "string"),
        ({"type": "string", "format": "uuid"}, "string (uuid)"),
        (
            {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
            "integer, at least 1, at most 200, 50 when missing",
        ),
        ({"type": "array", "items": FINDING}, "list of Finding"),
        ({"type": "object", "additionalProperties": TEXT}, "object of string"),
        ({"type": "object", "additionalProperties": False}, "object"),
        ({"anyOf": [FINDING, {"type": "null"}]}, "Finding or null"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"enum": ["low", "high"], "type": "string"}, '"low" or "high"'),
        ({"const": None}, "null"),
        ({}, "any JSON"),
    ],
)
def test_a_type_is_told_in_words(schema: dict[str, Any], words: str) -> None:
    check_type(schema, words)


def test_a_reference_links_to_its_schema() -> None:
    assert type_of(FINDING) == (Word("Finding", schema="Finding"),)


def test_what_stands_between_backticks_is_code() -> None:
    assert parse_prose("`wait=N`: seconds") == (Word("wait=N", is_code=True), Word(": seconds"))


def test_every_operation_of_the_document_is_read() -> None:
    documented = {(path, method.upper()) for path, methods in document()["paths"].items() for method in methods}
    assert {(each.path, each.method) for each in read_reference(document()).operations} == documented


def test_every_link_leads_somewhere() -> None:
    page = Client().get("/api/v1/docs/").content.decode()
    linked = {part.split('"')[0] for part in page.split('href="#')[1:]}
    assert {name for name in linked if f'id="{name}"' not in page} == set()


def test_examples_of_bodies_and_answers_are_shown() -> None:
    provenance = next(each for each in read_reference(document()).operations if each.id == "actions_provenance")
    assert "action:value.1" in provenance.answers[0].contents[0].example
