"""What every table shares."""

import uuid
from collections.abc import Collection
from typing import Any, Self

import structlog
import uuid_utils.compat
from django.db import models
from django.db.models.base import ModelState
from django.db.models.functions import Cast


def uuid7() -> uuid.UUID:
    """A time-ordered key: new rows land at the end of the index and sort by age."""
    return uuid_utils.compat.uuid7()


# As long as `api.request_ids` lets one be.
REQUEST_ID_LENGTH = 64


def current_request_id() -> str:
    """The name of the request in whose course a row is written; empty outside of requests."""
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))[:REQUEST_ID_LENGTH]


def request_id_field() -> "models.CharField[str, str]":
    """A column that is filled by itself with the present request's name."""
    # With a default of the database as well: a process of the release before knows nothing of the column.
    return models.CharField(
        max_length=REQUEST_ID_LENGTH, blank=True, default=current_request_id, db_default="", editable=False
    )


class Record(models.Model):
    """A row with a UUIDv7 key and the time it was written."""

    # Made here rather than by the database: rows that point at each other are built before any is inserted.
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any], **_options: Any) -> Self:
        """The row as it is stored: as Django makes it, which asks each field how it is set, and tells listeners.

        There are none, and no field of ours is set otherwise. A page reads a hundred rows, a decision twenty.
        """
        row = cls.__new__(cls)
        row._state = ModelState()
        row._state.adding, row._state.db = False, db
        # What is not among the names is deferred, as ever.
        row.__dict__.update(zip(field_names, values, strict=True))
        return row


class FeedRecord(Record):
    """A row that is read as a feed: such rows are listed in an order that no later commit can fall behind.

    Keys are made before the commit, so a row with an earlier key may become visible after one with a later key.
    """

    # As a number, because Django has no field for `xid8`: 63 bits of transactions are never used up.
    transaction = models.BigIntegerField(
        editable=False,
        db_default=Cast(
            Cast(models.Func(function="pg_current_xact_id"), models.TextField()),
            models.BigIntegerField(),
        ),
    )
    """The database's number of the transaction that wrote the row."""

    class Meta(Record.Meta):
        abstract = True
