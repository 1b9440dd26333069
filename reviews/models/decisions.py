"""What was decided about an action: append-only, one in force."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.actions import Action
from reviews.models.base import Record
from reviews.models.checks import Interpretation


class Outcome(models.TextChoices):
    """What the agent is told."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    RESPOND = "respond"


RUNNABLE = (Outcome.APPROVE, Outcome.EDIT)
"""Outcomes after which a call may run."""


class DecidedBy(models.TextChoices):
    """A decider. The user is the one for whom the agent acts, asked by a link (`decisions.user_confirmation`)."""

    GUARD = "guard"
    REVIEWER = "reviewer"
    POLICY = "policy"
    USER = "user"


class Decision(Record):
    """One decision. A revision is a new row; the earlier one stays and is no longer in force."""

    action = models.ForeignKey(Action, models.CASCADE, related_name="decisions")
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    decided_by = models.CharField(max_length=8, choices=DecidedBy.choices)
    # Protected: an account with decisions is deactivated instead, so that each keeps the person who answers for it.
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="decisions")
    # A copy of the call, not a reference: what was approved must stand here even if it is not what was proposed.
    tool = models.CharField(max_length=200)
    arguments = models.JSONField()
    digest = models.CharField(max_length=64)
    """Of the call this decision speaks of: the proposed one, or the edited one."""
    message = models.TextField(blank=True)
    """Feedback or an answer for the agent."""
    interpretation = models.ForeignKey(Interpretation, models.SET_NULL, null=True, related_name="+")
    provenance = models.JSONField(default=list)
    """For an edit: where each value of the edited call comes from."""
    seconds_to_decide = models.FloatField(null=True)
    """From the reviewer's claim to the decision."""
    shown_at = models.DateTimeField(null=True)
    """Since when the reviewer had this very call before them, by the page's own signed word."""
    in_force = models.BooleanField(default=True)
    held_until = models.DateTimeField(null=True)
    """Until when its reviewer can take it back: the agent is not told before. Null once it is told, or was at once."""
    withdrawn_at = models.DateTimeField(null=True)
    """When it was taken back, or the call ended otherwise, before the agent was told."""
    # With a default of the database as well: the release before goes on deciding during an upgrade.
    awaits_second = models.BooleanField(default=False, db_default=False)
    """The first of two approvals that the call takes: it tells nobody until another person approves the same call."""
    # Of the same action, with which both go: a constraint would check nothing, and an index serve nobody.
    first_approval = models.ForeignKey(
        "self", models.DO_NOTHING, null=True, related_name="+", db_constraint=False, db_index=False
    )
    """For the second of two approvals: the first one."""
    audit_probability = models.FloatField(null=True)
    """For a call that passed without a person and was drawn for audit: how likely that was, above 0 to 1."""
    audited_at = models.DateTimeField(null=True)
    """When a person has judged the call that was drawn for audit."""

    class Meta:
        ordering = ["created_at"]
        constraints = [
            # The last line of defence against two reviewers who decide at once.
            models.UniqueConstraint(
                fields=["action"], condition=Q(in_force=True), name="an_action_has_one_decision_in_force"
            ),
            # While one is held nobody takes another; also the index by which the sweep finds what is due.
            models.UniqueConstraint(
                fields=["action"], condition=Q(held_until__isnull=False), name="an_action_has_one_held_decision"
            ),
            # All that agents may learn and run goes by what is in force.
            models.CheckConstraint(
                condition=Q(in_force=False) | Q(held_until__isnull=True, withdrawn_at__isnull=True),
                name="a_decision_that_is_held_or_withdrawn_is_not_in_force",
            ),
            models.CheckConstraint(
                condition=Q(held_until__isnull=True) | Q(withdrawn_at__isnull=True),
                name="a_withdrawn_decision_is_no_longer_held",
            ),
            # The last line of defence against two people who both approve first.
            models.UniqueConstraint(
                fields=["action"], condition=Q(awaits_second=True), name="an_action_has_one_first_approval_that_waits"
            ),
            models.CheckConstraint(
                condition=Q(awaits_second=False)
                | Q(
                    in_force=False,
                    held_until__isnull=True,
                    withdrawn_at__isnull=True,
                    outcome__in=RUNNABLE,
                    decided_by="reviewer",
                ),
                name="what_awaits_a_second_approval_is_a_persons_and_not_in_force",
            ),
            # A decision that nobody answers for must not pass for a person's, nor the other way round.
            models.CheckConstraint(
                condition=Q(decided_by="reviewer", reviewer__isnull=False)
                | (~Q(decided_by="reviewer") & Q(reviewer__isnull=True)),
                name="a_decision_names_its_reviewer_exactly_when_a_reviewer_decided",
            ),
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="a_decision_has_a_known_outcome"),
            models.CheckConstraint(condition=Q(decided_by__in=DecidedBy.values), name="a_decision_has_a_known_decider"),
            # The agent hands the message to its model as the result of the call.
            models.CheckConstraint(condition=~Q(outcome="respond") | ~Q(message=""), name="a_response_says_something"),
            # What the guard objects to goes before a person; only a person, or a policy a person set, may reject.
            models.CheckConstraint(
                condition=~Q(decided_by="guard") | Q(outcome="approve"), name="the_guard_alone_only_approves"
            ),
            # An audit looks at what no person has seen, and counts each by 1 / probability.
            models.CheckConstraint(
                condition=Q(audit_probability__isnull=True)
                | (Q(outcome="approve", audit_probability__gt=0, audit_probability__lte=1) & ~Q(decided_by="reviewer")),
                name="only_what_passed_without_a_person_is_drawn_for_audit",
            ),
        ]
        indexes = [
            # What was drawn and nobody has judged, in the order in which it is worked through.
            models.Index(
                fields=["id"],
                name="decision_to_audit",
                condition=Q(audit_probability__isnull=False, audited_at__isnull=True),
            ),
            # The listing of what was drawn; partial, as few are.
            models.Index(fields=["action"], name="decision_for_audit", condition=Q(audit_probability__isnull=False)),
        ]

    @property
    def audit_one_in(self) -> float | None:
        """How many calls this one stands for in the sample for audit; None when it was not drawn."""
        return 1 / self.audit_probability if self.audit_probability else None
