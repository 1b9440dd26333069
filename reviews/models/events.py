"""What became of calls, one row a change: the feed lists them, and webhooks are made of them."""

from django.db import models

from reviews.models.actions import Action
from reviews.models.base import FeedRecord
from reviews.models.workspaces import Agent, Workspace


class EventType(models.TextChoices):
    """What may become of a call."""

    WAITING = "action.waiting", "a call waits for a person"
    DECIDED = "action.decided", "a call is decided"
    EXPIRED = "action.expired", "nobody decided in time"
    CANCELLED = "action.cancelled", "the agent took a call back"
    SUPERSEDED = "action.superseded", "the agent proposed another call instead"


class ActionEvent(FeedRecord):
    """One change of an action, written by the statement that makes it."""

    action = models.ForeignKey(Action, models.CASCADE, related_name="events", db_index=False)
    # Both copied from the action, so that each kind of reader goes along one index. Without foreign keys of their own:
    # the action has them, and goes with either.
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False)
    agent = models.ForeignKey(Agent, models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False)
    type = models.CharField(max_length=32, choices=EventType.choices)

    class Meta:
        constraints = [
            # Whoever settles an action twice tells of it once.
            models.UniqueConstraint(fields=["action", "type"], name="an_event_happens_to_an_action_once"),
        ]
        indexes = [
            models.Index(fields=["agent", "transaction", "id"], name="event_feed_of_an_agent"),
            models.Index(fields=["workspace", "transaction", "id"], name="event_feed"),
            models.Index(fields=["created_at"], name="event_by_age"),
        ]

    def __str__(self) -> str:
        return self.type
