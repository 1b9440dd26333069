"""Whom a check has beside it in its process while it waits for its judge."""

from enum import Enum

from reviews.models import GuardProfile, JudgeKind


class Company(Enum):
    """Whom the process that takes an examination holds beside it."""

    NONE = "none"
    """Nobody, until this one is done."""
    TO_COME = "to come"
    """Nobody, until this one waits for its judge."""
    PRESENT = "present"
    """Others, which wait for their judge."""

    def holds(self, profile: GuardProfile) -> bool:
        """Whether one of this profile has others beside it before it is done."""
        return self == Company.PRESENT or (self == Company.TO_COME and profile.judge != JudgeKind.RULES)
