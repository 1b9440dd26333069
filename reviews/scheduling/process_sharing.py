"""Whether a process that takes a job has other jobs beside it, which wait for their judge."""

from enum import Enum

from reviews.models import GuardProfile, JudgeKind


class Sharing(Enum):
    """When the process that takes a job has others beside it."""

    NONE = "none"
    """Never, until this one is done."""
    AFTER_FIRST_WAIT = "after first wait"
    """As soon as this one waits for its judge."""
    ACTIVE = "active"
    """Already: others wait for their judge."""

    def is_shared_by(self, profile: GuardProfile) -> bool:
        """Whether a job of this profile has others beside it before it is done."""
        return self == Sharing.ACTIVE or (self == Sharing.AFTER_FIRST_WAIT and profile.judge != JudgeKind.RULES)
