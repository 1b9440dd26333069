"""Statements on `reviews_auditevent`."""

from typing import Final

SELECT_LAST: Final = (
    "SELECT sequence, hash FROM reviews_auditevent WHERE workspace_id = %s ORDER BY sequence DESC LIMIT 1"
)
