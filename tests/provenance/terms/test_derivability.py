"""Which parameters must have a source, by name, format and type alone."""

import pytest

from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.terms.derivability import DerivableParameters


def derivable(tool: str, parameter: str, kind: str = "string") -> bool | None:
    document = ToolDoc(tool, "", {"type": "object", "properties": {parameter: {"type": kind}}})
    return DerivableParameters.by_rule(document).is_derivable(f"/{parameter}")


@pytest.mark.parametrize(
    ("tool", "parameter", "expected"),
    [
        ("send_email", "body", False),
        ("send_email", "recipient", True),
        ("set_limit", "title_count", True),
        ("delete_message", "message", True),
        ("create_event", "title", False),
        ("schedule_meeting", "title", None),
        # The name of what is there, a person's rank, or a new one: no rule can tell.
        ("rename_note", "title", None),
        ("update_contact", "title", None),
        ("create_folder", "name", None),
        ("run_script", "script", None),
        ("create_video", "script", False),
        ("add_label", "label", None),
        ("open_folder", "folder_name", True),
    ],
)
def test_only_what_is_clear_is_decided(tool: str, parameter: str, expected: bool | None) -> None:
    assert derivable(tool, parameter) is expected


@pytest.mark.parametrize(
    ("tool", "description", "expected"),
    [
        ("order_goods", "", None),
        ("order_goods", "Of the catalogue.", True),
        ("run_python", "", False),
        ("submit_cell", "The program.", False),
    ],
)
def test_a_code_that_nobody_describes_may_be_a_things_or_a_program(
    tool: str, description: str, *, expected: bool | None
) -> None:
    schema: JsonValue = {"type": "string", "description": description}
    items: JsonValue = {"type": "array", "items": {"type": "object", "properties": {"code": schema}}}
    document = ToolDoc(tool, "", {"type": "object", "properties": {"items": items, "code": schema}})
    classes = DerivableParameters.by_rule(document)
    assert (classes.is_derivable("/code"), classes.is_derivable("/items/1/code")) == (expected, expected)


@pytest.mark.parametrize(("tool", "parameter"), [("send_email", "body"), ("rename_note", "title")])
def test_nobody_composes_a_number(tool: str, parameter: str) -> None:
    assert derivable(tool, parameter, "integer") is True
