"""Write many rows in one round trip, by SQL of our own.

For the writes that every call of every agent goes through: a submission, a check's start and end, a decision. Through
the ORM each statement costs ten times what the database needs for it, and a round trip of its own; a submission had
twenty. Here the rows of several tables are inserted by one statement, statements that need no answer of each other
travel together, and each is prepared once for every connection.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache, reduce
from itertools import count, groupby, islice
from typing import Any, Final, TypeAlias, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.utils import timezone
from psycopg import Cursor, RawCursor
from psycopg.pq import PipelineStatus
from psycopg.types.json import Jsonb

Row: TypeAlias = tuple[Any, ...]
M = TypeVar("M", bound=models.Model)
# A statement for every number of rows would be prepared otherwise; a long history is inserted once.
_MAX_PREPARED: Final = 12
"""Rows of one insertion up to which it is kept prepared."""


@contextmanager
def batch() -> Iterator[None]:
    """Send the statements of the block together. Results may be read behind it. Belongs into a transaction.

    A result that is read inside has been waited for, with all before it. A batch within a batch is part of it.
    Raises Django's database errors.
    """
    current = connections[DEFAULT_DB_ALIAS]
    current.ensure_connection()
    with current.wrap_database_errors:
        raw = cast(Any, current.connection)
        if raw.pgconn.pipeline_status != PipelineStatus.OFF:
            # The driver would wait for all that was sent before it begins the inner one.
            yield
            return
        with raw.pipeline():
            yield


def execute(sql: str, parameters: Sequence[Any] | Mapping[str, Any] = (), *, prepared: bool = True) -> Cursor[Row]:
    """Run a statement, or add it to the batch. Raises Django's database errors, in a batch when that is left."""
    # Once: `connection` looks for it at each use.
    current = connections[DEFAULT_DB_ALIAS]
    current.ensure_connection()
    cursor: Cursor[Row] = Cursor(cast(Any, current.connection))
    with current.wrap_database_errors:
        return cursor.execute(sql.encode(), parameters, prepare=prepared)


def insert_rows(rows: Sequence[models.Model], *, unless_there: bool = False) -> Cursor[Row]:
    """Insert rows of any tables by one statement, with all columns but those that the database fills in.

    Rows of one table stand next to each other. `unless_there`: rows that break a unique constraint are left out.
    Raises as `execute` does.
    """
    now = timezone.now()
    values: list[Any] = []
    for row in rows:
        for name in _timestamp_fields(type(row)):
            setattr(row, name, now)
        for name, is_json in _written_columns(type(row)):
            value = getattr(row, name)
            # Null for none, as the ORM stores it, and not JSON's own null.
            values.append(Jsonb(value) if is_json and value is not None else value)
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    sql = _insert_statement(tuple(map(type, rows)))
    current = connections[DEFAULT_DB_ALIAS]
    current.ensure_connection()
    # With numbered places: the driver would look for those of Python's kind in each long statement anew.
    cursor: RawCursor[Row] = RawCursor(cast(Any, current.connection))
    with current.wrap_database_errors:
        return cursor.execute(
            f"{sql} ON CONFLICT DO NOTHING".encode() if unless_there else sql.encode(),
            values,
            prepare=len(rows) <= _MAX_PREPARED,
        )


def update_rows(model: type[models.Model], changes: Mapping[str, Any], **where: Any) -> int:
    """Give columns of the rows for which all of `where` hold these values. Returns how many rows that are.

    Both name fields by their attribute, such as `action_id`. Raises as `execute` does.
    """
    return begin_update(model, changes, **where).rowcount


def begin_update(model: type[models.Model], changes: Mapping[str, Any], **where: Any) -> Cursor[Row]:
    """The same for a batch: how many rows they were is known, as `rowcount`, when it is left."""
    sql, json_fields = _update_statement(model, tuple(changes), tuple(where))
    values = [
        Jsonb(value) if name in json_fields and value is not None else value
        for name, value in (*changes.items(), *where.items())
    ]
    return execute(sql, values)


def column_list(model: type[models.Model], alias: str) -> str:
    """The columns of a table, for the SELECT or RETURNING of a statement that `read_row` reads."""
    return ", ".join(f"{alias}.{connection.ops.quote_name(str(field.column))}" for field in model._meta.concrete_fields)


def fetch_first(sql: str, parameters: Sequence[Any] | Mapping[str, Any], model: type[M], *related: str) -> M | None:
    """The first row of a statement that selects the `column_list` of this table; None for none.

    Behind them it selects the columns of the tables that these relations lead to, whose rows it comes with, or none of
    an outer join; the relation of a related row stands behind that one, as in `action`, `action__profile`. Raises as
    `execute` does.
    """
    record = execute(sql, parameters).fetchone()
    if record is None:
        return None
    values = iter(record)
    row = read_row(values, model)
    for path in related:
        *before, name = path.split("__")
        owner: models.Model = reduce(getattr, before, row)
        relation = cast(Any, owner._meta.get_field(name))
        related_row = read_joined(values, relation.related_model)
        if related_row is None:
            # Known to be none, so that it is not looked for again.
            relation.set_cached_value(owner, None)
        else:
            setattr(owner, name, related_row)
    return row


def read_row(values: Iterator[Any], model: type[M]) -> M:
    """The row of this table whose `column_list` come next."""
    names, json_names = _read_columns(model)
    columns = dict(zip(names, values, strict=False))
    for name in json_names:
        # As text: the ORM converts JSON by itself, and has the driver leave it alone.
        if columns[name] is not None:
            columns[name] = json.loads(columns[name])
    return model.from_db(DEFAULT_DB_ALIAS, names, list(columns.values()))


def read_joined(values: Iterator[Any], model: type[M]) -> M | None:
    """As `read_row`; None where an outer join has found nothing."""
    record = list(islice(values, len(model._meta.concrete_fields)))
    return None if all(value is None for value in record) else read_row(iter(record), model)


# As many shapes as submissions have: by the number of steps and of checks.
@lru_cache(maxsize=256)
def _insert_statement(tables: Sequence[type[models.Model]]) -> str:
    """The statement that inserts a row into each of these tables, where a constraint is checked behind them all."""
    numbers = count(1)
    *earlier, last = [_insert_clause(model, len(list(rows)), numbers) for model, rows in groupby(tables)]
    clauses = ", ".join(f"inserted_{number} AS ({sql})" for number, sql in enumerate(earlier))
    return f"WITH {clauses} {last}" if clauses else last


def _insert_clause(model: type[models.Model], rows: int, numbers: Iterator[int]) -> str:
    quoted, fields = connection.ops.quote_name, _written_fields(model)
    names = ", ".join(quoted(str(field.column)) for field in fields)
    places = ", ".join(f"({', '.join(f'${next(numbers)}' for _ in fields)})" for _ in range(rows))
    return f"INSERT INTO {quoted(model._meta.db_table)} ({names}) VALUES {places}"  # noqa: S608 - names of the models


@lru_cache(maxsize=256)
def _update_statement(
    model: type[models.Model], changes: Sequence[str], where: Sequence[str]
) -> tuple[str, frozenset[str]]:
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    quoted = connection.ops.quote_name
    new = ", ".join(f"{quoted(str(by_name[name].column))} = %s" for name in changes)
    conditions = " AND ".join(f"{quoted(str(by_name[name].column))} = %s" for name in where)
    json_fields = frozenset(name for name, field in by_name.items() if _is_json(field))
    return f"UPDATE {quoted(model._meta.db_table)} SET {new} WHERE {conditions}", json_fields  # noqa: S608 - as above


@cache
def _read_columns(model: type[models.Model]) -> tuple[Sequence[str], Sequence[str]]:
    """The attributes of all columns, and those of the columns that hold JSON."""
    fields = model._meta.concrete_fields
    return [field.attname for field in fields], [field.attname for field in fields if _is_json(field)]


def _is_json(field: "models.Field[Any, Any]") -> bool:
    return isinstance(field, models.JSONField)


@cache
def _written_fields(model: type[models.Model]) -> Sequence["models.Field[Any, Any]"]:
    """The columns that a new row gives a value to: not those that only the database can fill in."""
    return [field for field in model._meta.concrete_fields if field.has_default() or not field.has_db_default()]


@cache
def _written_columns(model: type[models.Model]) -> Sequence[tuple[str, bool]]:
    """The attributes of these columns, and whether they hold JSON."""
    return [(field.attname, _is_json(field)) for field in _written_fields(model)]


@cache
def _timestamp_fields(model: type[models.Model]) -> Sequence[str]:
    """The fields that say when a row was made."""
    return [field.name for field in model._meta.concrete_fields if getattr(field, "auto_now_add", False)]
