"""Which of the calls that pass without a person are drawn for audit."""

import hashlib
from uuid import UUID


def is_drawn(action_id: UUID, rate: float) -> bool:
    """Whether an action is in a sample of this share, 0 to 1. The same action always gives the same answer."""
    # By a hash: a repeated delivery draws the same ones, and a higher rate keeps all that a lower one drew.
    fraction = int.from_bytes(hashlib.sha256(b"audit" + action_id.bytes).digest()[:8]) / 2**64
    return fraction < rate
