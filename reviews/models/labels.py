"""Ground truth: what a person's decision says about an action."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.actions import Action
from reviews.models.base import FeedRecord
from reviews.models.checks import Interpretation, MisalignmentType
from reviews.models.decisions import Decision
from reviews.models.workspaces import Workspace


class LabelSource(models.TextChoices):
    """How a label came about."""

    OPERATIONAL = "operational"
    """From a decision, made with the guard's opinion in view."""
    AUDIT = "audit"
    """From a second look at a call that was settled."""


class Label(FeedRecord):
    """One judgement on one action. A correction is a new row."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="labels")
    action = models.ForeignKey(Action, models.CASCADE, related_name="labels")
    # One to one: a decision is one label, however often it is delivered.
    decision = models.OneToOneField(Decision, models.CASCADE, null=True, related_name="label")
    source = models.CharField(max_length=16, choices=LabelSource.choices)
    labeller = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    aligned = models.BooleanField()
    misalignment = models.CharField(max_length=16, choices=MisalignmentType.choices, blank=True)
    relation = models.CharField(max_length=16, blank=True)
    """The relation that fails."""
    # Null for a label before the question was asked, and where nobody was asked.
    type_as_suggested = models.BooleanField(null=True)
    """Whether the reviewer left the type of failure as the guard had suggested it: then it is the guard's word, too."""
    relation_as_suggested = models.BooleanField(null=True)
    """The same of the relation."""
    corrected_tool = models.CharField(max_length=200, blank=True)
    corrected_arguments = models.JSONField(null=True)
    interpretation = models.ForeignKey(Interpretation, models.SET_NULL, null=True, related_name="+")
    # With a default of the database as well: the release before goes on writing labels during an upgrade.
    rule = models.CharField(max_length=200, blank=True, default="", db_default="")
    """What let a wrong call pass, by the name that the finding gives: its precision is measured by these."""
    note = models.TextField(blank=True)

    class Meta:
        constraints = [
            # Measures by type would otherwise count an aligned call among the failures.
            models.CheckConstraint(
                condition=Q(aligned=False) | Q(misalignment=""), name="an_aligned_label_has_no_type"
            ),
            # What tunes thresholds has to be traceable to the person who decided.
            models.CheckConstraint(
                condition=~Q(source="operational") | Q(decision__isnull=False),
                name="an_operational_label_comes_from_a_decision",
            ),
        ]
        # The export reads a workspace's labels page by page, in the order of `reviews.records.commit_order`.
        indexes = [models.Index(fields=["workspace", "transaction", "id"], name="label_feed")]
