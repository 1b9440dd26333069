"""Which calls a reviewer who may also annotate has met with what the guard or people say of them."""

from django.conf import settings
from django.db import models

from reviews.models.actions import Action
from reviews.models.base import Record


class VerdictSight(Record):
    """A person was shown a page that tells of this call: their answer about it would not be blind."""

    action = models.ForeignKey(Action, models.CASCADE, related_name="sights")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            # Also the index by which an assignment finds out.
            models.UniqueConstraint(fields=["action", "user"], name="a_sight_of_a_verdict_is_kept_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} saw {self.action_id}"
