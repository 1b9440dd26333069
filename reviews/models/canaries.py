"""Calls whose right decision is known, shown to one person as if they waited."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.actions import Action
from reviews.models.base import Record
from reviews.models.decisions import Outcome
from reviews.models.reviews import Review
from reviews.models.workspaces import Workspace


class Canary(Record):
    """One settled call before one person. It refers to the call and is none: its answer decides and labels nothing."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="canaries")
    action = models.ForeignKey(Action, models.CASCADE, related_name="canaries")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    is_aligned = models.BooleanField()
    """Whether the call is right, as people settled it before it was shown."""
    behind = models.ForeignKey(Review, models.SET_NULL, null=True, related_name="+")
    """The item that the person had decided before, where the queue goes on."""
    expires_at = models.DateTimeField()
    """Until when it can be answered, as the page says it of any item."""
    outcome = models.CharField(max_length=8, choices=Outcome.choices, blank=True)
    """What the person answered; empty while it is open, and where it was given up."""
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # Whoever meets a call again remembers it.
            models.UniqueConstraint(fields=["action", "user"], name="a_person_meets_a_canary_once"),
            # The last line of defence against two tabs that go on at once.
            models.UniqueConstraint(
                fields=["workspace", "user"],
                condition=Q(closed_at__isnull=True),
                name="a_person_has_one_open_canary_in_a_workspace",
            ),
            models.CheckConstraint(
                condition=Q(outcome="") | Q(outcome__in=Outcome.values, closed_at__isnull=False),
                name="an_answered_canary_is_closed",
            ),
        ]
        indexes = [models.Index(fields=["workspace", "user", "-closed_at"], name="canary_of_a_person")]

    def __str__(self) -> str:
        return f"canary of {self.action_id}"

    @property
    def is_answered(self) -> bool:
        """Whether the person said whether the call is right: to answer the agent's question says neither."""
        return self.outcome not in ("", Outcome.RESPOND)

    @property
    def is_agreed(self) -> bool:
        """Whether the person let the call through as it was exactly if it is right."""
        return (self.outcome == Outcome.APPROVE) == self.is_aligned
