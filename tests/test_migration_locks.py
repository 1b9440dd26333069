"""No migration keeps agents waiting; the check of that notices each kind of one that would."""

from typing import Any, cast

import pytest
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.models.functions import Now

from tests.migration_locks import objections

# Those before were made before there was an installation to upgrade.
FIRST = 11
MIGRATIONS = {
    name: migration
    for (app, name), migration in MigrationLoader(None, ignore_no_migrations=True).disk_migrations.items()
    if app == "reviews" and int(name[:4]) >= FIRST
}
INDEX = models.Index(fields=["tool"], name="by_tool")
CONSTRAINT = models.CheckConstraint(condition=models.Q(tool="x"), name="it_is_x")


def made(*operations: Any, atomic: bool = True) -> Migration:
    kind = type("Made", (Migration,), {"operations": list(operations), "atomic": atomic})
    return cast("Migration", kind("made", "reviews"))


@pytest.mark.parametrize("name", sorted(MIGRATIONS))
def test_a_migration_keeps_nobody_waiting(name: str) -> None:
    assert list(objections(MIGRATIONS[name])) == []


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddIndex("action", INDEX),
        AddIndexConcurrently("action", INDEX),
        migrations.AddConstraint("action", CONSTRAINT),
        migrations.AddField("action", "new", models.TextField(default="")),
        migrations.AddField("action", "new", models.DateTimeField(db_default=Now())),
        migrations.AddField("action", "new", models.TextField(null=True, db_index=True)),
        migrations.AddField("action", "new", models.ForeignKey("reviews.Text", models.CASCADE, null=True)),
        migrations.AlterField("action", "tool", models.TextField()),
        migrations.RemoveField("action", "tool"),
        migrations.RenameField("action", "tool", "name"),
        migrations.RunSQL("UPDATE reviews_action SET tool = tool"),
        migrations.RunPython(migrations.RunPython.noop),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_what_would_keep_them_waiting_is_noticed(operation: Any) -> None:
    assert len(list(objections(made(operation)))) == 1


@pytest.mark.parametrize(
    ("operation", "atomic"),
    [
        (AddIndexConcurrently("action", INDEX), False),
        (AddConstraintNotValid("action", CONSTRAINT), True),
        (migrations.AddField("action", "new", models.TextField(db_default="")), True),
        (migrations.AddField("action", "new", models.TextField(null=True)), True),
        (migrations.AddField("workspace", "new", models.TextField(default="")), True),
        (migrations.RunPython(migrations.RunPython.noop), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_does_not_is_let_be(operation: Any, atomic: bool) -> None:
    assert list(objections(made(operation, atomic=atomic))) == []


def test_who_must_says_why() -> None:
    migration = made(migrations.AddIndex("action", INDEX))
    migration.locks_are_short_because = "the table is partial"  # type: ignore[attr-defined]
    assert list(objections(migration)) == []
