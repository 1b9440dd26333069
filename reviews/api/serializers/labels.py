"""One label as a line of the export, written by PostgreSQL: `answers.Label` is its shape, which a test holds it to."""

from collections.abc import Mapping

from django.db.models import Case, F, Func, TextField, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, NullIf

from reviews.records import commit_order

# As pydantic writes times: UTC, with as many digits as the database keeps.
_IN_UTC = """to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
_DIGESTS = "%(function)s(%(expressions)s, '$[*].digest')"


def label_line() -> Combinable:
    """The expression that makes the line of a `Label`, without its end."""
    nothing = Value("")
    reading: dict[str, Combinable] = {
        name: F(f"interpretation__{name}") for name in ("id", "reading", "tool", "arguments", "evidence")
    }
    context: dict[str, Combinable] = {
        "query": F("action__trace__query__digest"),
        "tools": F("action__tool_set__digest"),
        "sources": Func(
            F("action__sources"), function="jsonb_path_query_array", template=_DIGESTS, output_field=TextField()
        ),
        "trace_revision": F("action__trace__revision"),
        "position": F("action__position"),
    }
    decided = Func(F("decision__created_at"), template=_IN_UTC, output_field=TextField())
    columns: dict[str, Combinable] = {
        "id": F("id"),
        "cursor": commit_order.cursor_expression(),
        "action_id": F("action_id"),
        "trace_id": F("action__trace__external_id"),
        **{name: F(f"action__{name}") for name in ("tool", "arguments", "subtask", "digest")},
        "source": F("source"),
        "aligned": F("aligned"),
        **{name: NullIf(name, nothing) for name in ("misalignment", "relation", "corrected_tool")},
        "corrected_arguments": F("corrected_arguments"),
        "interpretation": Case(When(interpretation__isnull=False, then=_json_object(reading))),
        "note": F("note"),
        "outcome": F("decision__outcome"),
        "reviewer": F("labeller__username"),
        "decided_at": decided,
        "context": _json_object(context),
    }
    return Cast(_json_object(columns), TextField())


def _json_object(members: Mapping[str, Combinable]) -> Func:
    """A JSON object with these members in this order, as `jsonb` would not keep it."""
    parts = [part for name, value in members.items() for part in (Value(name), value)]
    return Func(*parts, function="json_build_object", output_field=TextField())
