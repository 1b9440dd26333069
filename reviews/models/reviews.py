"""An action waiting for a person, whom it is meant for, and what people say about it."""

from datetime import UTC, datetime
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from reviews.models.actions import Action
from reviews.models.base import Record
from reviews.models.workspaces import Role, Workspace

ALWAYS_REVIEWED: Final = "The workspace always reviews this tool."
TWO_PEOPLE_APPROVE: Final = "The workspace has two people approve this tool."
WENT_ON: Final = "The agent was told to stop and to tell the user, and goes on with this call."
EQUAL_UNDER_WAY: Final = "An equal call of this conversation runs or may run already. Is it meant once more?"
BY_STANDING_ORDER: Final = (ALWAYS_REVIEWED, TWO_PEOPLE_APPROVE, WENT_ON, EQUAL_UNDER_WAY)
"""Reasons of reviews that stand whatever the detectors find."""
FIRST_OF_ITS_PRIORITY: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""Before every deadline."""


class Review(Record):
    """One item of the queue. Open until its action is settled."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="reviews")
    action = models.OneToOneField(Action, models.CASCADE, related_name="review")
    priority = models.PositiveSmallIntegerField()
    """0 to 9; higher is looked at first."""
    # Bounded for a row of the queue; the page of the review shows every finding in full.
    reason = models.CharField(max_length=300)
    """Why it waits, in one line."""
    # Stored, because it is read off the tool's document, which no row of the queue should need.
    effect = models.CharField(max_length=16, blank=True, default="", db_default="")
    """What makes the call grave, as the engine's `Effect` is named in lower case; empty for a mild one."""
    # A copy of the action's `expires_at`, so that a queue row needs no further table.
    due_at = models.DateTimeField()
    # Stored, so that the queue is read by an index. What the release before inserts during an upgrade, which does not
    # know the column, comes first among its equals.
    order_at = models.DateTimeField(default=FIRST_OF_ITS_PRIORITY, db_default=models.Value(FIRST_OF_ITS_PRIORITY))
    """By what it is ordered within its priority: `due_at`, or a moment near it (`queue.learned_order`)."""
    sent_back_for = models.PositiveIntegerField(null=True)
    """Number of the user's request for which this call costs a rewrite of the plan; null: it costs none."""
    claimed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="claims")
    claimed_at = models.DateTimeField(null=True)
    claimed_until = models.DateTimeField(null=True)
    snoozed_until = models.DateTimeField(null=True)
    escalated_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # A claim without an end would never be given back.
            models.CheckConstraint(
                condition=Q(claimed_by__isnull=True) | Q(claimed_at__isnull=False, claimed_until__isnull=False),
                name="a_claimed_review_has_a_lease",
            ),
            # `queue.priority.ESCALATED_PRIORITY` is the top: nothing may rank above what a reviewer escalated.
            models.CheckConstraint(condition=Q(priority__lte=9), name="a_review_has_a_priority_up_to_nine"),
        ]
        indexes = [
            # The list of what was settled lately.
            models.Index(
                "workspace",
                F("closed_at").desc(),
                F("id").desc(),
                name="review_recent",
                condition=Q(closed_at__isnull=False),
            ),
            # The queue in `queue.ordering.QUEUE_ORDER`; partial, as nearly all reviews are closed.
            models.Index(
                "workspace",
                F("priority").desc(),
                "order_at",
                "id",
                name="review_queue_in_order",
                condition=Q(closed_at__isnull=True),
            ),
            # The sweep gives back claims whose lease ran out.
            models.Index(
                "claimed_until",
                name="review_stale_claims",
                condition=Q(claimed_by__isnull=False, closed_at__isnull=True),
            ),
        ]


class ReviewAssignment(models.Model):
    """Whom an item is meant for. Others may decide it too, but it is not led to them."""

    review = models.OneToOneField(Review, models.CASCADE, related_name="assignment", primary_key=True)
    assignee = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    role = models.CharField(max_length=16, choices=Role.choices, blank=True)
    """Everybody of this role; empty where it is meant for one person."""
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    assigned_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(assignee__isnull=False, role="") | Q(assignee__isnull=True, role__in=Role.values),
                name="an_item_is_meant_for_one_person_or_one_role",
            ),
        ]

    def __str__(self) -> str:
        return self.assignee.get_username() if self.assignee else f"{self.role}s"


class Comment(Record):
    """What somebody says about an item to whoever else looks at it. Agents never see it."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="comments")
    review = models.ForeignKey(Review, models.CASCADE, related_name="comments")
    # Protected, as the reviewer of a decision is: what was said keeps who said it.
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    body = models.TextField()

    class Meta:
        ordering = ["id"]
        constraints = [models.CheckConstraint(condition=~Q(body=""), name="a_comment_says_something")]
        # The latest of a workspace tells open pages that there is a new one.
        indexes = [models.Index(fields=["workspace", "-id"], name="comment_latest")]

    def __str__(self) -> str:
        return self.body
