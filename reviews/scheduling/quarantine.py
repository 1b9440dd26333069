"""Calls like those whose checks had to be stopped go to a person unchecked, and their agent's others need not wait.

A check that never returns costs its agent a process until the deadline, and whatever else this agent asks waits behind
it. Twice may happen; from then on the like of it is not begun for a while.

Alike are calls of one agent, before the same detector, that share the tool or the conversation, where the later one is
not much smaller: a detector reads the arguments, which the tool shapes, and the history, which all calls of the
conversation have, and what it cannot finish lies in one of them and is seldom small. So an ordinary call of the same
tool goes on beside a huge one, and so does whatever the agent does elsewhere.
"""

from datetime import timedelta
from typing import Final

from django.utils import timezone

from reviews.models import Check, pipeline
from reviews.models.sql import checks as sql

# Once may be an accident of the machine, or the one odd call of the day.
MAX_STOPPED: Final = 2
# Long enough that a loop which proposes the same again gives nobody trouble; and whoever mends it is soon checked anew.
MEMORY: Final = timedelta(minutes=10)
# What takes too long takes too long at half its size, or nearly so; and each halving costs the agent two calls more.
NOT_MUCH_SMALLER: Final = 2

REASON: Final = (
    f"Not checked: {MAX_STOPPED} calls like it, by the same agent, could not be checked within their time in the last "
    f"{MEMORY.seconds // 60} minutes."
)


def why_not_begun(check: Check) -> str:
    """Why this check must end without running, in words for a person; empty if it may run."""
    stopped_alike = {
        "action": check.action_id,
        "agent_key": check.agent_key_id,
        "detector": check.detector,
        "remembered": timezone.now() - MEMORY,
        "times": NOT_MUCH_SMALLER,
    }
    (stopped,) = pipeline.execute(sql.COUNT_STOPPED_ALIKE, stopped_alike).fetchone() or (0,)
    return REASON if stopped >= MAX_STOPPED else ""
