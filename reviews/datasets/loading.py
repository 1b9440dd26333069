"""Put many rows into the tables of ground truth at once: COPY into a temporary table, then one INSERT for all.

The only place here with SQL for writing. Django's `bulk_create` quotes every value in Python, which for whole
conversations takes longer than reading and hashing them.
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from django.db import connection, models, transaction
from psycopg.types.json import Jsonb

from reviews.models import DatasetItem, VersionEntry


def load_items(rows: Iterable[DatasetItem]) -> None:
    """Insert the items; those whose dataset holds the same call already are left out."""
    # By key, so that two imports of the same calls wait for each other in one order.
    in_order: list[DatasetItem] = sorted(rows, key=attrgetter("content_key"))
    _copy_rows(DatasetItem, in_order)


def load_entries(rows: Iterable[VersionEntry]) -> None:
    """Insert the entries of a version; those that are there already are left out."""
    _copy_rows(VersionEntry, rows)


def _copy_rows(model: type[models.Model], rows: Iterable[models.Model]) -> None:
    # A generated column is the database's to fill.
    fields = [field for field in model._meta.concrete_fields if not field.generated]
    # Names of our own tables and columns, from the models: nothing here comes from outside.
    names = ", ".join(f'"{field.column}"' for field in fields)
    table = f'"{model._meta.db_table}"'
    with transaction.atomic(), connection.cursor() as cursor:
        like = f"SELECT {names} FROM {table}"  # noqa: S608
        cursor.execute(f"CREATE TEMPORARY TABLE rows_to_load ON COMMIT DROP AS {like} WITH NO DATA")
        with cursor.copy(f"COPY rows_to_load ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(_row_values(row, fields))
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM rows_to_load ON CONFLICT DO NOTHING")  # noqa: S608
        # Not left to the commit: a caller's transaction may load several batches.
        cursor.execute("DROP TABLE rows_to_load")


def _row_values(row: models.Model, fields: Sequence["models.Field[Any, Any]"]) -> list[Any]:
    """What COPY writes for the row."""
    values = []
    for field in fields:
        # Sets the time at which a row is made.
        value = field.pre_save(row, add=True)
        is_json = isinstance(field, models.JSONField) and value is not None
        values.append(Jsonb(value) if is_json else value)
    return values
