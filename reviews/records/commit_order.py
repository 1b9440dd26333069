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
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import BigIntegerField, F, Func, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan
from django.db.models.functions import Cast

from reviews.errors import InvalidCursorError
from reviews.models.base import FeedRecord

R = TypeVar("R", bound=FeedRecord)

# The transaction's number, in 63 bits, and the row's key. Every text of this form is a position, so that a document
# which states it refuses nothing that it calls valid.
CURSOR: Final = "[0-7][0-9a-f]{15}[0-9a-f]{32}"
"""What a cursor looks like."""
# Part of every cursor of an earlier form, which clients may hold for as long as they like.
_VERSION: Final = 1
_OLDEST_RUNNING: Final = Cast(
    Cast(Func(Func(function="pg_current_snapshot"), function="pg_snapshot_xmin"), TextField()), BigIntegerField()
)
"""The lowest number of a transaction that has not ended, in the snapshot of the statement that reads the rows."""


# JSON text holds no control character, so nothing in it is quoted or escaped a second time.
_AS_IT_IS: Final = r"(FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')"
_CURSOR: Final = "lpad(to_hex(%(expressions)s::text, '-', '')"
_BETWEEN: Final = "), 16, '0') || replace("


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a feed: that of one row."""

    transaction: int
    id: UUID


# Transactions count from 3, and no key is lower.
START: Final = Position(0, UUID(int=0))
"""In front of every row."""


def copy_lines(rows: QuerySet[R], line: Combinable, *, after: Position, size: int) -> Iterator[bytes]:
    """Everything behind the position as lines, in parts of at most `size`, each copied by a short query of its own.

    `line` makes one line of JSON of a row, with its `cursor_expression` as the member `cursor`.
    """
    while part := _copy_part(rows_behind(rows, after).annotate(line=line).values_list("line", flat=True)[:size]):
        yield part
        last = part[part.rfind(b"\n", 0, -1) + 1 :]
        after = parse_cursor(json.loads(last)["cursor"])


def rows_behind(rows: QuerySet[R], after: Position) -> QuerySet[R]:
    """The rows of ended transactions behind the position, in the order of the feed."""
    # As one comparison, which the index begins at however many rows one transaction has written.
    behind = TupleGreaterThan(Tuple(F("transaction"), F("id")), (after.transaction, after.id))
    ended = rows.filter(behind, transaction__lt=_OLDEST_RUNNING)
    return ended.order_by("transaction", "id")


def last_position(rows: QuerySet[R]) -> Position:
    """The place behind all rows of ended transactions."""
    row = rows.filter(transaction__lt=_OLDEST_RUNNING).order_by("-transaction", "-id").values_list("transaction", "pk")
    return Position(*last) if (last := row.first()) else START


def _copy_part(lines: QuerySet[Any, str]) -> bytes:
    """The lines as the database sends them, which no Python object is made of."""
    sql, parameters = lines.query.sql_with_params()
    with connection.cursor() as cursor, cursor.copy(f"COPY ({sql}) TO STDOUT {_AS_IT_IS}", parameters) as parts:
        return b"".join(bytes(part) for part in parts)


def cursor_expression() -> Combinable:
    """`cursor_of` a row, made by the database."""
    return Func(F("transaction"), F("id"), template=_CURSOR, arg_joiner=_BETWEEN, output_field=TextField())


def cursor_of(place: FeedRecord | Position) -> str:
    """What a client hands back to go on behind this row or place. Opaque, and safe in a query string."""
    return f"{place.transaction:016x}{place.id.hex}"


def position_of(cursor: str, rows: QuerySet[R], *, pointer: str) -> Position:
    """The position that a cursor stands for. A row's key, as clients of an earlier order hold it, stands for its row.

    Raises `InvalidCursorError` at `pointer`.
    """
    try:
        key = UUID(cursor)
    except ValueError:
        pass
    else:
        # The row with this key, or the one before it when the reader has no such row.
        row = rows.filter(pk__lte=key).order_by("-pk").values_list("transaction", "pk").first()
        return Position(*row) if row else START
    try:
        return parse_cursor(cursor)
    except (ValueError, TypeError, AttributeError, RecursionError, binascii.Error) as error:
        raise InvalidCursorError(pointer) from error


def parse_cursor(cursor: str) -> Position:
    """The position of a `cursor_of`, or of one of the earlier form. Raises what decoding it raises."""
    if re.fullmatch(CURSOR, cursor):
        return Position(int(cursor[:16], 16), UUID(cursor[16:]))
    version, transaction, key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    # 63 bits: a larger number would be refused by the database and not here.
    if version != _VERSION or type(transaction) is not int or not 0 <= transaction < 2**63:
        raise ValueError("not a position")
    return Position(transaction, UUID(key))
