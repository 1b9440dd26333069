"""The tries of one call: the first, its retries and theirs, whichever of them each says that it replaces."""

from typing import Final
from uuid import UUID

from reviews.models import Action, pipeline
from reviews.models.sql import actions
from reviews.profiles.validation import MAX_RETRY_ROUNDS

# Tries that nobody decided, because the next one superseded them, lie between those that were sent back.
MAX_TRIES: Final = 10 * MAX_RETRY_ROUNDS
"""Tries of one call; an agent that made so many gets no further."""


def lock_tries(action: Action) -> list[UUID]:
    """The ids of all tries of the action's call, the first first; at most one more than `MAX_TRIES`.

    Held until the transaction ends, before any lock of `decisions.locking`: of two retries at once the second sees the
    first, also where both replace the same try, and no try begins while the next is stored.
    """
    first = action.pk
    if action.retry_of_id is not None:
        (first,) = pipeline.execute(actions.SELECT_FIRST_TRY, (first,)).fetchone() or (first,)
    # A statement of its own, so that the next one sees what whoever held the lock has stored.
    pipeline.execute(actions.LOCK_TRIES, (f"tries:{first}",))
    return [key for (key,) in pipeline.execute(actions.SELECT_TRIES, (first, MAX_TRIES + 1)).fetchall()]
