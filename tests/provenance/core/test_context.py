import json

import pytest

from reviews.provenance.core.context import Context, JsonValue, NamedText, Step, ToolDoc, leaves
from reviews.provenance.core.trust import SourceKind, TrustClass


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": 1, "b": [2, {"c": 3}], "d": 4}, [("/a", 1), ("/b/0", 2), ("/b/1/c", 3), ("/d", 4)]),
        ({"a/b": {"~": True}}, [("/a~1b/~0", True)]),
        ({"a": {}, "b": []}, [("/a", {}), ("/b", [])]),
        (None, [("", None)]),
    ],
)
def test_leaves_come_in_order_with_their_pointers(value: JsonValue, found: list[tuple[str, JsonValue]]) -> None:
    assert list(leaves(value)) == found


def test_leaves_of_any_depth_are_found() -> None:
    value: JsonValue = "deep"
    for _ in range(5000):
        value = [value]
    assert list(leaves(value)) == [("/0" * 5000, "deep")]


def test_a_schema_is_indented_unless_nobody_reads_that_much() -> None:
    schema: dict[str, JsonValue] = {"type": "object", "properties": {"to": {"type": "string"}}}
    assert ToolDoc("send", "Sends.", schema).text == f"send\nSends.\n{json.dumps(schema, indent=1, sort_keys=True)}"
    huge: dict[str, JsonValue] = {"enum": [[[]]] * 50_000}
    assert ToolDoc("send", "Sends.", huge).text.count("\n") == 2


def test_a_tool_that_is_called_as_a_rated_text_has_not_its_trust() -> None:
    text = NamedText(SourceKind.RETRIEVED, "ledger", "Paid.")
    ratings = {"source/ledger": TrustClass.ATTESTED}
    context = Context("Pay.", history=(Step("source/ledger", {}, "Paid."),), extra=(text,), ratings=ratings)
    assert context.sources["source/ledger"].rating is TrustClass.ATTESTED
    assert context.sources["history/1/outcome"].rating is None
