"""The rows of an export: JSON made by PostgreSQL where it can, so that memory does not depend on how many there are."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.utils.crypto import salted_hmac

from reviews.annotation.gold_labels import METHODS
from reviews.datasets import spreadsheets
from reviews.models import DatasetItem, DatasetVersion, Origin
from reviews.records.cases import case_to_json
from reviews.records.dataset_items import case_of_item
from reviews.retention.pii_redaction import redact_line

Done = Callable[[int], None]
"""Called while a file is written, with the rows it has so far."""

COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "id": "name of the call within its collection",
        "ordinal": "place in the version, from 1",
        "trace": "name of the conversation: no two splits share one",
        "split": "empty in a version without splits",
        "origin": f"how the call came in: {', '.join(Origin.values)}",
        "tool": "name of the tool; empty where nothing was proposed",
        "aligned": "whether the call should run; null where nobody could tell, or nobody was asked",
        "misalignment": "tool, parameter or interpretation",
        "relation": "the relation that fails",
        "first_misaligned_step": "position in the history, from 1; one more than its length for the call itself",
        "method": f"how the label came about: {', '.join(METHODS)}",
        "reason": "why an adjudication settled it so",
        "query": "the user's request, verbatim",
        "arguments": "of the proposed call, as JSON",
        "label": "the whole label, as JSON",
        "answers": "each person's own answer, as JSON: pseudonym, time, seconds, judgement, evidence, note",
        "case": "the call in its context, as JSON: query, tools, history, sources, plan, now, action",
        "source": "the record of the collection it was imported from",
        "licence": "of that collection",
        "audit_probability": "how likely a random audit was to draw the call; weigh by its inverse",
        "digest": "SHA-256 over the case's digest, the label and the split",
        "erased_at": "when the entry was erased on request; it keeps nothing but its digest",
    }
)
"""What each column of CSV and Parquet means, in their order."""

# Of single lines that begin with a bracket, so that there is nothing to neutralise in them: JSON writes line ends as
# escapes.
_JSON: Final = ("arguments", "label", "answers", "case")

_EXPRESSIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "id": "coalesce(i.metadata->>'id', i.id::text)",
        "ordinal": "e.ordinal",
        "trace": "i.conversation",
        "split": "e.split",
        "origin": "i.origin",
        "tool": "i.tool",
        "aligned": "(e.label->>'aligned')::boolean",
        "misalignment": "e.label->>'misalignment'",
        "relation": "e.label->>'relation'",
        "first_misaligned_step": "(e.label->>'first_misaligned_step')::int",
        "method": "e.label->>'method'",
        "reason": "e.label->'adjudication'->>'reason'",
        "query": "i.case->>'query'",
        "arguments": "i.case->'action'->'arguments'",
        "label": "e.label",
        "answers": "e.label->'answers'",
        "case": "i.case",
        "source": "i.source",
        "licence": "i.licence",
        "audit_probability": "i.audit_probability",
        "digest": "e.digest",
        "erased_at": "e.erased_at",
    }
)
_FROM: Final = (
    " FROM reviews_versionentry e JOIN reviews_datasetitem i ON i.id = e.item_id"
    " WHERE e.version_id = %s ORDER BY e.ordinal"
)
# What the collection said of a whole run holds for as long as its label of the call does.
_LINE: Final = (
    "json_build_object('kind', 'ground truth', 'id', {id}, 'ordinal', {ordinal}, 'trace', {trace},"
    " 'group', coalesce(i.metadata->>'group', ''),"
    " 'outcome', CASE WHEN e.label->>'method' LIKE 'given%%' THEN i.metadata->>'outcome' END,"
    " 'split', {split}, 'origin', {origin}, 'tool', {tool}, 'source', {source}, 'licence', {licence},"
    " 'audit_probability', {audit_probability}, 'label', {label}, 'case', {case}, 'digest', {digest},"
    " 'erased_at', {erased_at})"
).format(**_EXPRESSIONS)

# Rows fetched at a time. Fewer cost nothing to speak of; each may be as long as a request's body may be, a megabyte.
_BATCH: Final = 50
# What the case of a recorded call is read from.
_RECORDED: Final = ("action__trace__query", "action__tool_set", "action__profile")


def needs_python(version: DatasetVersion, redact: Collection[str]) -> bool:
    """Whether PostgreSQL alone cannot make the rows: recorded calls are read by the engine's own loader."""
    return bool(redact) or version.entries.filter(item__action__isnull=False).exists()


def copy_jsonl_lines(version: DatasetVersion) -> Iterator[bytes]:
    """The version as JSON lines, in pieces of any length. For versions of imported calls only."""
    # CSV of one column whose delimiter and quote cannot occur, since JSON writes control characters as escapes: the
    # text format would double every backslash.
    yield from _copy_rows(f"SELECT {_LINE}{_FROM}", version, r"FORMAT csv, DELIMITER E'\x02', QUOTE E'\x01'")


def copy_csv_rows(version: DatasetVersion) -> Iterator[bytes]:
    """The version's rows as `spreadsheets` writes CSV, in pieces of any length. For versions of imported calls only."""
    columns = ", ".join(map(_cell_expression, COLUMNS))
    yield from _copy_rows(f"SELECT {columns}{_FROM}", version, spreadsheets.COPY_OPTIONS)


def copy_csv_blocks(version: DatasetVersion, *, rows: int, size: int) -> Iterator[bytes]:
    """The version as CSV without a header or guards, in blocks of whole rows: so many, or fewer of this size in bytes.

    For versions of imported calls only. An empty field is null, an empty text is written in quotes.
    """
    columns = ", ".join(_EXPRESSIONS.values())
    block: list[bytes] = []
    block_size = 0
    # PostgreSQL sends every row in a message of its own.
    for row in _copy_rows(f"SELECT {columns}{_FROM}", version, "FORMAT csv"):
        block.append(row)
        block_size += len(row)
        if len(block) == rows or block_size >= size:
            yield b"".join(block)
            block, block_size = [], 0
    if block:
        yield b"".join(block)


def _cell_expression(name: str) -> str:
    """The column as text, as `columns_of` a line gives it."""
    # A time as JSON has it.
    template = "to_json({}) #>> '{{}}'" if name == "erased_at" else "({})::text"
    expression = template.format(_EXPRESSIONS[name])
    return f"coalesce({expression}, '')" if name in _JSON else spreadsheets.neutralise_column(expression)


def _copy_rows(query: str, version: DatasetVersion, options: str) -> Iterator[bytes]:
    # COPY takes no parameters. The key is a UUID, written by Python.
    statement = query.replace("%s", f"'{UUID(str(version.pk))}'").replace("%%", "%")
    with connection.cursor() as cursor, cursor.copy(f"COPY ({statement}) TO STDOUT WITH ({options})") as copy:
        yield from map(bytes, copy)


def iterate_batches(version: DatasetVersion, *, redact: Collection[str] = ()) -> Iterator[list[dict[str, Any]]]:
    """The version's lines in batches, redacted, in order: what `copy_jsonl_lines` writes, as objects."""
    # Of the installation: a dataset's id stands in addresses, and telephone numbers are few enough to be tried.
    secret = salted_hmac("reviews.datasets.export_rows", str(version.dataset_id)).hexdigest()
    with _server_cursor(f"SELECT i.id, i.action_id, {_LINE}::text{_FROM}", version) as cursor:
        while rows := cursor.fetchmany(_BATCH):
            lines = [json.loads(text) for _, _, text in rows]
            recorded = [item for item, action, _ in rows if action is not None]
            items = DatasetItem.objects.filter(pk__in=recorded).select_related(*_RECORDED)
            cases = {item.pk: case_to_json(case_of_item(item)) for item in items}
            for (item, _, _), line in zip(rows, lines, strict=True):
                line["case"] = cases.get(item, line["case"])
            yield [redact_line(line, redact, secret=secret)[0] if redact else line for line in lines]


def iterate_column_batches(version: DatasetVersion, *, redact: Collection[str] = ()) -> Iterator[dict[str, list[Any]]]:
    """The version's columns in batches: a list of values for each."""
    for lines in iterate_batches(version, redact=redact):
        rows = [columns_of(line) for line in lines]
        yield {name: [row[name] for row in rows] for name in COLUMNS}


@contextmanager
def _server_cursor(query: str, version: DatasetVersion) -> Iterator[Any]:
    """A cursor that the database fills piece by piece."""
    with transaction.atomic():
        connection.ensure_connection()
        with connection.connection.cursor(name=f"export_{uuid4().hex}") as cursor:
            cursor.itersize = _BATCH
            cursor.execute(query, [version.pk])
            yield cursor


def columns_of(line: Mapping[str, Any]) -> dict[str, Any]:
    """A line as the columns of CSV and Parquet."""
    label, case = line["label"] or {}, line["case"] or {}
    derived = {
        "aligned": label.get("aligned"),
        "misalignment": label.get("misalignment"),
        "relation": label.get("relation"),
        "first_misaligned_step": label.get("first_misaligned_step"),
        "method": label.get("method"),
        "reason": (label.get("adjudication") or {}).get("reason"),
        "query": case.get("query"),
        "arguments": _json_or_none(case["action"]["arguments"]) if case else None,
        "label": _json_or_none(line["label"]),
        "answers": _json_or_none(label.get("answers")),
        "case": _json_or_none(line["case"]),
    }
    return {name: derived[name] if name in derived else line[name] for name in COLUMNS}


def _json_or_none(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
