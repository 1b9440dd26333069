"""Who may count on a workspace's stored texts: submissions that refer to them, or whoever removes unused ones.

A text is found by its hash and referred to a moment later, and some references are no foreign keys. Removing texts in
between would leave a conversation without its words.
"""

from typing import Final
from uuid import UUID

from django.db import connection

# A removal that does not get its turn must not hold up the submissions that queue behind it: it tries again later.
WAIT_MILLISECONDS: Final = 1_000

SHARE_LOCK: Final = "SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))"
"""What `share_lock` runs, to send it together with other statements; its parameter is `name_of` the workspace."""


def name_of(workspace_id: UUID) -> str:
    """What the lock on a workspace's texts is called."""
    return f"texts:{workspace_id}"


def share_lock(workspace_id: UUID) -> None:
    """Keep the workspace's texts from being removed until the transaction ends. Others may share it."""
    with connection.cursor() as cursor:
        cursor.execute(SHARE_LOCK, [name_of(workspace_id)])


def hold_lock(workspace_id: UUID) -> None:
    """Keep submissions of the workspace out until the transaction ends, which must be soon.

    Raises `OperationalError` when no turn comes within `WAIT_MILLISECONDS`.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {WAIT_MILLISECONDS}")
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name_of(workspace_id)])
