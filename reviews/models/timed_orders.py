"""What a workspace decides of a flood of calls that are alike, for hours and never for ever."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from reviews.models.base import Record
from reviews.models.decisions import Decision
from reviews.models.workspaces import Agent, Workspace

# A day: whoever wants it for longer changes the profile, with its preview.
MAX_ORDER_TIME: Final = timedelta(hours=24)


class TimedOrder(Record):
    """Decide calls of one tool, finding and shape of arguments without a person, until it ends."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="timed_orders")
    tool = models.CharField(max_length=200)
    stopped_by = models.CharField(max_length=16)
    """What stops the calls: a type of failure, `undetermined` or `unproven`."""
    shape = models.CharField(max_length=64)
    """Digest of the names and types of the arguments, and of what does not hold of them (`queue.groups.shape_of`)."""
    conditions = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    """What the arguments must fulfil besides (`decisions.order_conditions`)."""
    conversation = models.CharField(max_length=200, blank=True, db_default="")
    """The agent's name of the one conversation whose calls they are; empty for any."""
    agent = models.ForeignKey(Agent, models.CASCADE, null=True, related_name="+")
    """Whose calls; null for any agent's."""
    outcome = models.CharField(max_length=8, choices=[("approve", "Let pass"), ("reject", "Reject")])
    message = models.TextField(blank=True)
    """What the agent is told of a rejection."""
    # With a tenth the error of some hundred calls is known to a few percent, by ten or twenty looks.
    audit_rate = models.FloatField(default=0.1)
    """Share of what it lets pass that is drawn for audit, unless the profile draws more."""
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    ends_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    """When somebody ended it before its time."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_at__lte=F("created_at") + MAX_ORDER_TIME), name="a_timed_order_ends_within_a_day"
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=("approve", "reject")), name="a_timed_order_approves_or_rejects"
            ),
            # An order for what nothing stopped would be a policy for the tool.
            models.CheckConstraint(condition=~Q(stopped_by="") & ~Q(tool=""), name="a_timed_order_names_its_calls"),
            # What one agent calls a conversation another may call one of its own.
            models.CheckConstraint(
                condition=Q(conversation="") | Q(agent__isnull=False),
                name="a_timed_order_for_a_conversation_names_its_agent",
            ),
            models.CheckConstraint(
                condition=Q(audit_rate__gt=0, audit_rate__lte=1), name="a_timed_order_draws_some_calls_for_audit"
            ),
        ]
        indexes = [
            # Each call that stops is looked up here.
            models.Index(
                fields=["workspace", "tool", "ends_at"], name="timed_order_in_force", condition=Q(ended_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()} {self.tool} until {self.ends_at:%d %b %H:%M} UTC"


class OrderedDecision(models.Model):
    """A decision that an order made."""

    decision = models.OneToOneField(Decision, models.CASCADE, primary_key=True, related_name="ordered")
    order = models.ForeignKey(TimedOrder, models.PROTECT, related_name="decisions")

    def __str__(self) -> str:
        return f"{self.decision_id} by {self.order_id}"
