"""A campaign of blind annotation: which items, which questions, who answers, and who holds which item."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.base import Record
from reviews.models.datasets import Dataset, DatasetItem
from reviews.models.workspaces import Workspace


class CampaignState(models.TextChoices):
    """Where a campaign stands. `running <-> paused`, and either `-> closed`."""

    RUNNING = "running"
    PAUSED = "paused"
    CLOSED = "closed"


class ItemChoice(models.TextChoices):
    """How the items of a campaign are drawn from its dataset."""

    RANDOM = "random", "at random"
    UNCERTAIN = "uncertain", "more often where detectors disagree or are unsure"


class Campaign(Record):
    """The same questions about the same items, put to several people who do not see each other's answers."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="campaigns")
    # Restricted: its annotations would lose what they speak of.
    dataset = models.ForeignKey(Dataset, models.RESTRICT, related_name="campaigns")
    name = models.CharField(max_length=120)
    guidelines = models.TextField(blank=True)
    """How to answer: plain text, with blank lines between paragraphs."""
    questions = models.JSONField()
    """The label schema: which questions are asked besides the judgement, by name (`annotation.schema`)."""
    custom_questions = models.JSONField(default=list, db_default=[])
    """Questions of the manager's own: name, kind, words and options of each (`annotation.custom_questions`)."""
    annotators_per_item = models.PositiveSmallIntegerField()
    seed = models.BigIntegerField()
    """Of the order in which items are given out, so that fatigue and order do not fall on the same items."""
    choice = models.CharField(
        max_length=16, choices=ItemChoice.choices, default=ItemChoice.RANDOM, db_default=ItemChoice.RANDOM
    )
    shows_suggestions = models.BooleanField(default=False, db_default=False)
    """Whether people see what the guard found of a recorded call; what they saw is kept with their answer."""
    known_share = models.FloatField(default=0, db_default=0)
    """Share of items with a known answer among those drawn, from 0 to 1; 0: as they come."""
    lease_seconds = models.PositiveIntegerField()
    """How long an item stays with a person who does nothing with it."""
    state = models.CharField(max_length=16, choices=CampaignState.choices, default=CampaignState.RUNNING)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "name"], name="a_campaign_has_a_name_of_its_own_in_a_workspace"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="a_campaign_has_a_name"),
            models.CheckConstraint(condition=Q(state__in=CampaignState.values), name="a_campaign_has_a_known_state"),
            models.CheckConstraint(condition=Q(choice__in=ItemChoice.values), name="a_campaign_has_a_known_choice"),
            models.CheckConstraint(
                condition=Q(annotators_per_item__gte=1), name="a_campaign_asks_at_least_one_person_an_item"
            ),
            models.CheckConstraint(condition=Q(lease_seconds__gte=1), name="a_campaign_lends_items_for_a_time"),
            models.CheckConstraint(
                condition=Q(state="closed", closed_at__isnull=False) | (~Q(state="closed") & Q(closed_at__isnull=True)),
                name="a_campaign_is_closed_exactly_when_it_has_its_end",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Annotator(Record):
    """A person who takes part in a campaign."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="annotators")
    # Protected: an account with answers is deactivated instead, as one with decisions is.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="campaigns")

    class Meta:
        constraints = [
            # One row, which the person's own requests lock, so that two tabs do not take two items.
            models.UniqueConstraint(fields=["campaign", "user"], name="a_person_takes_part_in_a_campaign_once"),
        ]


class Assignment(Record):
    """One of the places an item has for an answer; taken by a person for as long as the lease runs, or for good."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="assignments")
    item = models.ForeignKey(DatasetItem, models.RESTRICT, related_name="assignments")
    # All rows of a campaign are made when it opens: the database then cannot give an item to more people than asked.
    slot = models.PositiveSmallIntegerField()
    """From 1 to the campaign's `annotators_per_item`."""
    rank = models.PositiveIntegerField()
    """Place in the shuffled order, from 0: low ones are given out first, an item's first slot before its second."""
    annotator = models.ForeignKey(Annotator, models.RESTRICT, null=True, related_name="assignments")
    probability = models.FloatField(null=True)
    """How likely the item was to be drawn into the campaign, above 0 to 1; null in campaigns from before."""
    reserved = models.BooleanField(default=False)
    """A manager picked this person for it: it does not go to another when nothing happens."""
    taken_at = models.DateTimeField(null=True)
    leased_until = models.DateTimeField(null=True)
    """Until when it stays with an idle person; null for one that is free, reserved and not begun, or answered."""
    answered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["rank"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "item", "slot"], name="an_item_has_one_row_per_slot"),
            models.CheckConstraint(condition=Q(slot__gte=1), name="a_slot_counts_from_one"),
            # A second answer of one person would count as agreement with themselves.
            models.UniqueConstraint(
                fields=["campaign", "item", "annotator"],
                condition=Q(annotator__isnull=False),
                name="a_person_has_an_item_of_a_campaign_once",
            ),
            models.CheckConstraint(
                condition=Q(annotator__isnull=False)
                | Q(reserved=False, taken_at__isnull=True, leased_until__isnull=True, answered_at__isnull=True),
                name="a_free_slot_is_nobodys_and_has_no_answer",
            ),
            # Otherwise it would be given to another person, who would answer it a second time.
            models.CheckConstraint(
                condition=Q(answered_at__isnull=True) | Q(leased_until__isnull=True),
                name="an_answered_slot_is_not_on_loan",
            ),
        ]
        indexes = [
            # The next slot to give out; partial, so that a long campaign does not slow down towards its end.
            models.Index(fields=["campaign", "rank"], name="assignment_next", condition=Q(answered_at__isnull=True)),
            # What one person holds and has answered.
            models.Index(fields=["annotator", "answered_at"], name="assignment_of_annotator"),
        ]
