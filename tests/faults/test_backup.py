"""A backup, taken and put back as docs/operations.md says, holds everything; the product runs on it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from guardapp.embedded import EmbeddedPostgres
from reviews.models import Action, AuditEvent, Label
from tests import stack
from tests.api.agent import ACTIONS
from tests.cast import approved, make_cast

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

DOCUMENT = (stack.ROOT / "docs" / "operations.md").read_text()
RESTORED = "guard_restored"
TABLES = (Action, AuditEvent, Label)


def documented(program: str) -> list[str]:
    """The options with which the page calls this program."""
    (line,) = re.findall(rf"\b{program} (.*?)(?: [<>] .*)?$", DOCUMENT, re.M)
    return [word for word in line.split() if word.startswith("--") and not word.startswith("--dbname")]


def url(name: str) -> str:
    database = connection.settings_dict
    return f"postgresql://{database['USER']}:{database['PASSWORD']}@{database['HOST']}:{database['PORT']}/{name}"


@pytest.fixture
def restored(postgres: EmbeddedPostgres) -> Iterator[str]:
    """An empty database beside the test's."""
    with psycopg.connect(url("postgres"), autocommit=True) as server:
        server.execute(f"CREATE DATABASE {RESTORED}")
        yield url(RESTORED)
        server.execute(f"DROP DATABASE {RESTORED} WITH (FORCE)")


def run(postgres: EmbeddedPostgres, program: str, *arguments: str) -> None:
    binaries = postgres._usable_binaries()
    subprocess.run([binaries / program, *documented(program), *arguments], check=True, env={"PATH": os.defpath})


def test_a_restored_backup_is_the_whole_product(postgres: EmbeddedPostgres, restored: str, tmp_path: Path) -> None:
    cast = make_cast()
    action = approved(cast)
    counted = {model._meta.db_table: model._default_manager.count() for model in TABLES}
    backup = str(tmp_path / "guard.dump")
    run(postgres, "pg_dump", "--dbname", url(str(connection.settings_dict["NAME"])), "--file", backup)
    run(postgres, "pg_restore", "--dbname", restored, backup)
    with psycopg.connect(restored) as copy:
        found = {table: copy.execute(f"SELECT count(*) FROM {table}").fetchone() for table in counted}  # noqa: S608
    assert found == {table: (number,) for table, number in counted.items()}
    # A process of the product finds nothing to migrate, an unbroken audit chain, and answers the agent from it.
    program = (
        "import django; django.setup()\n"
        "from django.test import Client\n"
        "from reviews import audit\nfrom reviews.models import Workspace\n"
        "assert all(audit.first_broken(workspace) is None for workspace in Workspace.objects.all())\n"
        f"print(Client(headers={{'authorization': 'Bearer {cast.agent_secret}'}})"
        f".get('{ACTIONS}/{action.pk}').json()['decision']['outcome'])\n"
    )
    with_it = stack.environment(DATABASE_URL=restored)
    python = sys.executable
    subprocess.run([python, "manage.py", "migrate", "--check"], cwd=stack.ROOT, env=with_it, check=True)
    answer = subprocess.run(
        [python, "-c", program], cwd=stack.ROOT, env=with_it, check=True, capture_output=True, text=True
    )
    assert answer.stdout.strip() == "approve"
