"""Write many rows in one round trip, by SQL of our own.

For the four writes that every call of every agent goes through: a submission, the taking of a check, its end, a
decision. Through the ORM each statement costs ten times what the database needs for it, and a round trip of its own; a
submission had twenty. Statements of one batch are sent together, prepared once for each connection.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, LiteralString, cast

from django.db import connection, models
from django.utils import timezone
from psycopg import Cursor
from psycopg.types.json import Jsonb

Row = tuple[Any, ...]


class Batch:
    """Statements that travel together. Their results may be read once the batch is left."""

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Cursor[Row]:
        """Add a statement. Its errors are raised when a result is read or the batch is left, by Django's names."""
        cursor: Cursor[Row] = Cursor(cast(Any, connection.connection))
        # Prepared at once: these are the statements that come a thousand times a second.
        return cursor.execute(cast(LiteralString, sql), parameters, prepare=True)

    def insert(self, rows: Iterable[models.Model], *, unless_there: bool = False) -> Cursor[Row] | None:
        """Insert rows with all their columns but those that the database fills in. Returns the last one's cursor.

        `unless_there`: a row that breaks a unique constraint is left out, and its cursor counts no row.
        """
        now, cursor = timezone.now(), None
        for row in rows:
            sql, fields = _insertion(type(row))
            for name in _stamps(type(row)):
                setattr(row, name, now)
            values = [_value(field, row) for field in fields]
            cursor = self.execute(f"{sql} ON CONFLICT DO NOTHING" if unless_there else sql, values)
            row._state.adding, row._state.db = False, connection.alias
        return cursor


@contextmanager
def batch() -> Iterator[Batch]:
    """Send what is added to the batch together, and wait for all of it at the end. Belongs into a transaction.

    Raises Django's database errors.
    """
    connection.ensure_connection()
    with connection.wrap_database_errors, cast(Any, connection.connection).pipeline():
        yield Batch()


@cache
def _insertion(model: type[models.Model]) -> tuple[str, Sequence["models.Field[Any, Any]"]]:
    """The statement that inserts a row of this model, and the fields whose values it takes."""
    fields = [field for field in model._meta.concrete_fields if not field.has_db_default()]
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    values = ", ".join(["%s"] * len(fields))
    return f"INSERT INTO {connection.ops.quote_name(model._meta.db_table)} ({columns}) VALUES ({values})", fields


@cache
def _stamps(model: type[models.Model]) -> tuple[str, ...]:
    """The fields that say when a row was made."""
    return tuple(field.name for field in model._meta.concrete_fields if getattr(field, "auto_now_add", False))


def _value(field: Any, row: models.Model) -> Any:
    value = getattr(row, field.attname)
    # As the ORM stores it: null for none, not JSON's own null.
    return Jsonb(value) if isinstance(field, models.JSONField) and value is not None else value
