"""Keyset pagination. A page costs the same at any depth, and rows that arrive meanwhile shift nothing."""

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from django.db.models import DateTimeField, Model, Q, QuerySet, UUIDField

from reviews.errors import InvalidCursorError
from reviews.provenance.core.bounds import find_unacceptable_parts

M = TypeVar("M", bound=Model)

# Every text of this form is a position, so that a document which states it refuses nothing that it calls valid. The
# microseconds since 1970 last until the year 4253.
MOMENT_AND_KEY: Final = "^[0-9a-f]{14}[0-9a-f]{32}$"
"""What cursors look like of rows that are ordered by a time and then their key."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Page(Generic[M]):
    """One page of a listing."""

    items: list[M]
    next_cursor: str | None
    """Opaque; None behind the last page."""


def keyset(queryset: QuerySet[M], *, order: Sequence[str], cursor: str | None, limit: int) -> Page[M]:
    """The page behind `cursor` in the given order, whose last field must be unique.

    Raises `InvalidCursorError` for a cursor of another listing.
    """
    queryset = behind(queryset, order=order, cursor=cursor)
    # One row more than fits tells whether there is a next page, without a second query.
    rows = list(queryset.order_by(*order)[: limit + 1])
    items = rows[:limit]
    more = len(rows) > limit and bool(items)
    return Page(items, cursor_of(items[-1], order) if more else None)


def behind(queryset: QuerySet[M], *, order: Sequence[str], cursor: str | None) -> QuerySet[M]:
    """All rows behind `cursor` in the given order. Raises as `keyset` does."""
    if not cursor:
        return queryset
    return queryset.filter(_behind(order, _decode(cursor, queryset.model, _fields(order))))


def cursor_of(row: Model, order: Sequence[str]) -> str:
    """The cursor of what stands behind this row in the given order."""
    return _encode(row, _fields(order))


def _fields(order: Sequence[str]) -> list[str]:
    return [name.removeprefix("-") for name in order]


def _behind(order: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows behind `values`: equal in the first fields and beyond in the next, for every number of first fields.

    Written out because SQL's row comparison has one direction for all columns, and an order here may mix them.
    """
    # Matches nothing: the empty `Q` would match every row, and the alternatives below are added to it.
    condition = Q(pk__in=[])
    equal = Q()
    for name, value in zip(order, values, strict=True):
        field = name.removeprefix("-")
        beyond = "lt" if name.startswith("-") else "gt"
        condition |= equal & Q(**{f"{field}__{beyond}": value})
        equal &= Q(**{field: value})
    return condition


def _encode(row: Model, fields: Sequence[str]) -> str:
    values = [attrgetter(field.replace("__", "."))(row) for field in fields]
    match values:
        case [datetime() as moment, UUID() as key]:
            return f"{(moment - _EPOCH) // timedelta(microseconds=1):014x}{key.hex}"
    plain_values = []
    for value in values:
        # ISO keeps the microseconds that `str` drops when there are none: the cursor must compare equal to its row.
        plain = value.isoformat() if isinstance(value, datetime) else value
        plain_values.append(str(plain) if isinstance(plain, UUID) else plain)
    # URL-safe and without padding, because the cursor travels in a query string.
    return base64.urlsafe_b64encode(json.dumps(plain_values).encode()).decode().rstrip("=")


def _decode(cursor: str, model: type[Model], fields: Sequence[str]) -> list[Any]:
    """The values of the row that `cursor` stands for. Raises `InvalidCursorError`."""
    kinds = [type(model._meta.get_field(field)) for field in fields if "__" not in field]
    if kinds == [DateTimeField, UUIDField] and re.fullmatch(MOMENT_AND_KEY, cursor):
        return [_EPOCH + timedelta(microseconds=int(cursor[:14], 16)), UUID(cursor[14:])]
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if not isinstance(values, list) or len(values) != len(fields):
            raise InvalidCursorError
        columns = {column.name: column for column in model._meta.concrete_fields}
        parsed = [columns[field].to_python(value) for field, value in zip(fields, values, strict=True)]
        # No row has these, and PostgreSQL would refuse to compare with them.
        unusable = any(find_unacceptable_parts(values, max_nesting=1)) or None in parsed
        if unusable or any(isinstance(value, datetime) and not value.tzinfo for value in parsed):
            raise InvalidCursorError
        # At the calendar's edge a time does not exist in UTC, in which it is compared.
        return [value.astimezone(UTC) if isinstance(value, datetime) else value for value in parsed]
    except InvalidCursorError:
        raise
    except Exception as error:
        # Base64, JSON and every column's own conversion may fail at what a client made up, each with its own error.
        raise InvalidCursorError from error
