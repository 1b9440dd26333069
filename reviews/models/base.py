"""What every table shares."""

import uuid

import uuid_utils.compat
from django.db import models


def uuid7() -> uuid.UUID:
    """A time-ordered key: new rows land at the end of the index and sort by age."""
    return uuid_utils.compat.uuid7()


class Record(models.Model):
    """A row with a UUIDv7 key and the time it was written."""

    # Made here rather than by the database: rows that point at each other are built before any is inserted.
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
