"""Read rows in the order in which they were committed, so that whoever goes on behind a position misses none.

Neither keys nor times are such an order: they are taken before the commit, and a transaction that began earlier may
commit later. Every `FeedRecord` carries the number of the transaction that wrote it. A reader sees rows only of
transactions below the oldest one that still runs, so no row can appear at or before a position that was handed out.
The price: a row is listed when every writing transaction that began before its own has ended, usually within
milliseconds of its commit.
"""

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeVar
from uuid import UUID

from django.db.models import BigIntegerField, Func, Q, QuerySet, TextField
from django.db.models.functions import Cast

from reviews.errors import InvalidCursorError
from reviews.models.base import FeedRecord

R = TypeVar("R", bound=FeedRecord)

# Part of every cursor, so that one of another order is refused and not misread.
_VERSION: Final = 1
_OLDEST_RUNNING: Final = Cast(
    Cast(Func(Func(function="pg_current_snapshot"), function="pg_snapshot_xmin"), TextField()), BigIntegerField()
)
"""The lowest number of a transaction that has not ended, in the snapshot of the statement that reads the rows."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a feed: that of one row."""

    transaction: int
    id: UUID


# Transactions count from 3, and no key is lower.
START: Final = Position(0, UUID(int=0))
"""In front of every row."""


def batches(rows: QuerySet[R], *, after: Position, size: int) -> Iterator[list[R]]:
    """Everything behind the position, in batches of at most `size`, each read by a short query of its own."""
    ended = rows.filter(transaction__lt=_OLDEST_RUNNING).order_by("transaction", "id")
    while True:
        behind = Q(transaction__gt=after.transaction) | Q(transaction=after.transaction, id__gt=after.id)
        # The first condition says nothing new, but is one that the index can begin at.
        batch = list(ended.filter(behind, transaction__gte=after.transaction)[:size])
        if not batch:
            return
        yield batch
        after = Position(batch[-1].transaction, batch[-1].pk)


def cursor_of(row: FeedRecord) -> str:
    """What a client hands back to go on behind this row. Opaque, and safe in a query string."""
    content = json.dumps([_VERSION, row.transaction, str(row.pk)], separators=(",", ":"))
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def position_of(cursor: str, rows: QuerySet[R], *, pointer: str) -> Position:
    """The position that a cursor stands for. A row's key, as clients of an earlier order hold it, stands for its row.

    Raises `InvalidCursorError` at `pointer`.
    """
    try:
        return _row_at(UUID(cursor), rows)
    except ValueError:
        pass
    try:
        version, transaction, key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        # 63 bits: a larger number would be refused by the database and not here.
        if version != _VERSION or type(transaction) is not int or not 0 <= transaction < 2**63:
            raise InvalidCursorError(pointer)
        return Position(transaction, UUID(key))
    except (ValueError, TypeError, AttributeError, RecursionError, binascii.Error) as error:
        raise InvalidCursorError(pointer) from error


def _row_at(key: UUID, rows: QuerySet[R]) -> Position:
    """The position of the row with this key, or of the one before it when the reader has no such row."""
    found = rows.filter(pk__lte=key).order_by("-pk").values_list("transaction", "pk").first()
    return Position(*found) if found else START
