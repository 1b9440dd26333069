"""Positions in a feed: whoever goes on behind one misses nothing, in whatever order transactions end."""

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.db.models import F, Func, TextField, Value
from django.db.models.functions import Cast

from reviews.errors import InvalidCursorError
from reviews.models import Action, Label
from reviews.models.base import uuid7
from reviews.records import commit_order
from tests.cast import make_cast, propose

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def action() -> Action:
    return propose(make_cast())


def give(action: Action, note: str) -> Label:
    """A label, which needs no decision because it is imported."""
    return Label.objects.create(
        workspace_id=action.workspace_id, action=action, source="imported", aligned=True, note=note
    )


@contextmanager
def uncommitted(write: Callable[[], object]) -> Iterator[None]:
    """On a connection of its own, what is written in a transaction that ends with the block."""
    given, done = threading.Event(), threading.Event()

    def give_and_wait() -> None:
        with transaction.atomic():
            write()
            given.set()
            done.wait()
        connection.close()

    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(give_and_wait)
        given.wait()
        try:
            yield
        finally:
            done.set()
            running.result()


def read(after: commit_order.Position = commit_order.START) -> list[Label]:
    members = (Value("id"), F("id"), Value("cursor"), commit_order.cursor_expression())
    line = Cast(Func(*members, function="json_build_object", output_field=TextField()), TextField())
    copied = b"".join(commit_order.copy_lines(Label.objects.all(), line, after=after, size=2))
    keys = [UUID(json.loads(line)["id"]) for line in copied.splitlines()]
    rows = Label.objects.in_bulk(keys)
    return [rows[key] for key in keys]


def behind(row: Label) -> commit_order.Position:
    return commit_order.position_of(commit_order.cursor_of(row), Label.objects.all(), pointer="/after")


def notes(rows: list[Label]) -> list[str]:
    return [row.note for row in rows]


def test_a_row_that_is_committed_late_is_not_skipped(action: Action) -> None:
    first = give(action, "first")
    with uncommitted(lambda: give(action, "late")):
        give(action, "early")
        assert notes(read()) == ["first"]
    assert notes(read(behind(read()[0]))) == ["late", "early"]
    assert behind(read()[0]).id == first.pk


def test_a_reader_who_goes_on_again_and_again_reads_every_row_once(action: Action) -> None:
    chance = random.Random(7)
    delays = [[chance.uniform(0, 0.004) for _ in range(25)] for _ in range(4)]

    def write(writer: int) -> None:
        for number, delay in enumerate(delays[writer]):
            with transaction.atomic():
                give(action, f"{writer}-{number}")
                # Between the insert and the commit, so that transactions end in another order than they began.
                time.sleep(delay)
        connection.close()

    position, found = commit_order.START, list[str]()
    with ThreadPoolExecutor(4) as threads:
        writers = [threads.submit(write, writer) for writer in range(4)]
        while not all(writer.done() for writer in writers):
            if rows := read(position):
                position, found = behind(rows[-1]), [*found, *notes(rows)]
        for writer in writers:
            writer.result()
    found += notes(read(position))
    assert len(found) == 100
    assert set(found) == {f"{writer}-{number}" for writer in range(4) for number in range(25)}


def test_a_key_stands_for_its_row(action: Action) -> None:
    first, second = give(action, "1"), give(action, "2")
    keys = [str(first.pk), str(second.pk), str(uuid7())]
    positions = [commit_order.position_of(key, Label.objects.all(), pointer="/after") for key in keys]
    assert [notes(read(position)) for position in positions] == [["2"], [], []]


@pytest.mark.parametrize("cursor", ["", "x", "e30", "WzIsMSwiYSJd", "WzEsLTEsImEiXQ", "W" * 5000, "é"])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidCursorError):
        commit_order.position_of(cursor, Label.objects.none(), pointer="/after")
