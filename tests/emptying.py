"""What a test has committed goes when it is over, in a hundredth of the time that Django's flush takes."""

from collections.abc import Iterator
from typing import Final

import pytest
from django.db import OperationalError, connection, transaction
from django.test import TransactionTestCase

# What migrations wrote and no test changes. A flush would empty and write it again.
CONSTANT: Final = {"auth_permission", "django_content_type", "django_migrations"}
# A worker has as many queries to be met in before it has nothing left to do.
ATTEMPTS: Final = 3


@pytest.fixture(scope="session", autouse=True)
def emptied_by_rows() -> Iterator[None]:
    """Delete rows where Django truncates, which gives each table, also an empty one, new files for it and its indexes.

    The role of the tests must be a superuser of their database.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _: empty_tables())
        yield


def empty_tables() -> None:
    """Delete every row; of this and a worker that wait for each other PostgreSQL ends one, and this one tries again."""
    for attempt in range(ATTEMPTS):
        try:
            with transaction.atomic():
                _delete_rows()
        except OperationalError:
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return


def _delete_rows() -> None:
    tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - CONSTANT
    names = sorted(map(connection.ops.quote_name, tables))
    with connection.cursor() as cursor:
        # As a truncation would, this waits for what workers are about to commit, and keeps them from more.
        cursor.execute(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE")
        has_rows = (f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in names)  # noqa: S608 - our own names
        cursor.execute(" UNION ALL ".join(has_rows))
        filled = [name for (name,) in cursor.fetchall()]
        # All of it goes: neither what refers to it nor what may not be deleted has a say.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for name in filled:
            cursor.execute(f"DELETE FROM {name}")  # noqa: S608 - as above
