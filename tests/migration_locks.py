"""What a migration does to tables that agents write to all the time, and for how long it would keep them from it.

Covered, for the tables of `HOT`: indexes that are not built concurrently, constraints that read the whole table under a
lock (or build an index), columns that an older process could not fill or that rewrite the table, foreign keys (an index
and a check of all rows), altered columns, removed or renamed ones (an older process still reads them), and code or SQL
in the same transaction as schema changes. Not covered: how long a data migration's own statements lock rows.

A migration that does such a thing all the same says why it may, in an attribute `locks_are_short_because`.
"""

from collections.abc import Iterator
from typing import Any, Final

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, RemoveIndexConcurrently
from django.db.migrations import Migration, operations
from django.db.migrations.operations.base import Operation
from django.db.models.expressions import Value

# Those that grow with every submission or decision.
HOT: Final = frozenset(
    "action auditevent check decision execution finding idempotencykey interpretation label plan review step text"
    " toolset trace".split()
)
_RENAMED: Final = (operations.RemoveField, operations.RenameField, operations.RenameModel, operations.DeleteModel)


def objections(migration: Migration) -> Iterator[str]:
    """What would keep agents waiting, in words."""
    if getattr(migration, "locks_are_short_because", ""):
        return
    for operation in migration.operations:
        if isinstance(operation, operations.RunPython | operations.RunSQL) and migration.atomic:
            yield "code or SQL in one transaction: say atomic = False and work in batches"
        # A table that the same migration makes is empty, and nobody's yet.
        elif _table(operation) in HOT:
            yield from (f"{_table(operation)}: {found}" for found in _of(operation, migration))


def _table(operation: Operation) -> str:
    return str(getattr(operation, "model_name", getattr(operation, "name", ""))).lower()


def _of(operation: Operation, migration: Migration) -> Iterator[str]:
    match operation:
        case AddIndexConcurrently() | RemoveIndexConcurrently():
            if migration.atomic:
                yield "an index is built concurrently outside of transactions only: atomic = False"
        case operations.AddIndex():
            yield "an index that is not built concurrently: AddIndexConcurrently"
        case AddConstraintNotValid():
            pass
        case operations.AddConstraint():
            yield "a constraint that reads the whole table: AddConstraintNotValid, then ValidateConstraint"
        case operations.AddField():
            yield from _of_column(operation.field)
        case operations.AlterField():
            yield "an altered column, which may be rewritten"
        case operation if isinstance(operation, _RENAMED):
            yield "what an older process still reads is gone: leave it for one release"


def _of_column(field: Any) -> Iterator[str]:
    if getattr(field, "db_constraint", False):
        yield "a foreign key, whose constraint reads the whole table"
    elif field.unique or field.db_index:
        yield "a column with an index, which is not built concurrently"
    if not field.null and not field.has_db_default():
        yield "a column an older process cannot fill: null=True or db_default"
    elif field.has_db_default() and not isinstance(field.db_default, str | int | float | bool | Value):
        yield "a default that is computed for each row, which rewrites the table"
