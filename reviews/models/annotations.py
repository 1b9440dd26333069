"""What annotators answered, and what was settled where they differ. History is kept: a later answer is a new row."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.base import FeedRecord, Record
from reviews.models.campaigns import Annotator, Campaign
from reviews.models.checks import MisalignmentType
from reviews.models.datasets import DatasetItem


class Judgement(models.TextChoices):
    """The answer to the one question that every campaign asks."""

    ALIGNED = "aligned"
    MISALIGNED = "misaligned"
    CANNOT_TELL = "cannot_tell", "cannot tell"


class Judged(FeedRecord):
    """One label of an item: the fields that annotations and adjudications share."""

    judgement = models.CharField(max_length=16, choices=Judgement.choices, blank=True)
    misalignment = models.CharField(max_length=16, choices=MisalignmentType.choices, blank=True)
    relation = models.CharField(max_length=16, blank=True)
    """The relation that fails."""
    first_misaligned_step = models.PositiveIntegerField(null=True)
    """Position in the history, from 1; one more than its length for the proposed call itself."""
    # Spans are only ever read with their label, so they need no table; verified before they are stored.
    evidence = models.JSONField(default=list)
    """Spans: source, start, end, quote."""
    corrected_tool = models.CharField(max_length=200, blank=True)
    corrected_arguments = models.JSONField(null=True)
    """The call that would have been right; null where none is named."""
    interpretations = models.JSONField(default=list)
    """Other admissible readings of the request, each a sentence."""
    note = models.TextField(blank=True)
    in_force = models.BooleanField(default=True)
    """False once a later row of the same person (or another adjudication) has taken its place, or it was undone."""

    class Meta:
        abstract = True


def _judged_constraints(kind: str) -> list[models.BaseConstraint]:
    """What holds for both kinds; names must differ between tables."""
    return [
        # Measures by type would otherwise count an aligned call among the failures.
        models.CheckConstraint(
            condition=Q(judgement="misaligned") | Q(misalignment="", relation="", first_misaligned_step__isnull=True),
            name=f"an_{kind}_names_a_failure_only_when_misaligned",
        ),
        models.CheckConstraint(
            condition=Q(misalignment="") | Q(misalignment__in=MisalignmentType.values),
            name=f"an_{kind}_has_a_known_type",
        ),
        models.CheckConstraint(
            condition=Q(corrected_tool="", corrected_arguments__isnull=True)
            | (~Q(corrected_tool="") & Q(corrected_arguments__isnull=False)),
            name=f"an_{kind}_corrects_a_whole_call",
        ),
    ]


class Annotation(Judged):
    """One person's answer about one item, given without sight of any other, or the reason why there is none."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="annotations")
    item = models.ForeignKey(DatasetItem, models.RESTRICT, related_name="annotations")
    annotator = models.ForeignKey(Annotator, models.RESTRICT, related_name="annotations")
    skip_reason = models.CharField(max_length=300, blank=True)
    """Why the person gave the item back; such a row has no judgement, and another person is asked."""
    custom = models.JSONField(default=dict, db_default={})
    """Answers to the campaign's own questions, by their names."""
    suggestion = models.JSONField(null=True)
    """What was suggested when it was given (`annotation.suggestions`); null for a blind answer."""
    flagged = models.BooleanField(default=False)
    """The annotator wants to talk about it."""
    seconds = models.FloatField()
    """Spent with the item in view."""

    class Meta:
        constraints = [
            *_judged_constraints("annotation"),
            # The last line of defence against two tabs that answer at once.
            models.UniqueConstraint(
                fields=["campaign", "item", "annotator"],
                condition=Q(in_force=True),
                name="a_person_has_one_answer_in_force_to_an_item",
            ),
            models.CheckConstraint(
                condition=(Q(judgement__in=Judgement.values) & Q(skip_reason=""))
                | (Q(judgement="") & ~Q(skip_reason="")),
                name="an_annotation_is_a_judgement_or_a_skip_with_its_reason",
            ),
            models.CheckConstraint(condition=Q(seconds__gte=0), name="an_annotation_takes_no_negative_time"),
        ]
        indexes = [
            # Agreement, hard items and export read what is in force, item by item.
            models.Index(fields=["campaign", "item"], name="annotation_in_force", condition=Q(in_force=True)),
        ]


class Draft(Record):
    """What a person has entered and not yet saved. It outlives the lease, so nothing typed is lost."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="drafts")
    item = models.ForeignKey(DatasetItem, models.RESTRICT, related_name="+")
    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="drafts")
    content = models.JSONField(default=dict)
    """The form's fields as they stand."""
    seconds = models.FloatField(default=0)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "item", "annotator"], name="a_person_has_one_draft_of_an_item"),
        ]


class AdjudicationMethod(models.TextChoices):
    """How a label was settled."""

    CHOSEN = "chosen"
    MERGED = "merged"
    WRITTEN = "written"


class Adjudication(Judged):
    """What a manager settled about one item, with the reason and the answers it rests on."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="adjudications")
    item = models.ForeignKey(DatasetItem, models.RESTRICT, related_name="adjudications")
    adjudicator = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    method = models.CharField(max_length=8, choices=AdjudicationMethod.choices)
    reason = models.TextField()
    sources = models.ManyToManyField(Annotation, related_name="adjudications")
    """The answers it was made from: one that was chosen, several that were merged, those read before writing anew."""

    class Meta:
        constraints = [
            *_judged_constraints("adjudication"),
            models.UniqueConstraint(
                fields=["campaign", "item"], condition=Q(in_force=True), name="an_item_has_one_adjudication_in_force"
            ),
            models.CheckConstraint(
                condition=Q(judgement__in=Judgement.values), name="an_adjudication_has_a_known_judgement"
            ),
            models.CheckConstraint(
                condition=Q(method__in=AdjudicationMethod.values), name="an_adjudication_has_a_known_method"
            ),
            # Whoever disagrees later has to find what was thought.
            models.CheckConstraint(condition=~Q(reason=""), name="an_adjudication_says_why"),
        ]
