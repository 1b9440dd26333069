"""Statements on `reviews_idempotencykey`."""

from typing import Final

NAME_ACTION: Final = "UPDATE reviews_idempotencykey SET action_id = %s WHERE id = %s"
