"""What a detector found about an action."""

from django.db import models
from django.db.models import Q

from reviews.models.actions import Action
from reviews.models.base import Record


class CheckStatus(models.TextChoices):
    """Where a check stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


class VerdictLabel(models.TextChoices):
    """A detector's answer."""

    ALIGNED = "aligned"
    MISALIGNED = "misaligned"
    UNDETERMINED = "undetermined"


class MisalignmentType(models.TextChoices):
    """What kind of failure stopped an action; the engine's `Misalignment`."""

    TOOL = "tool"
    PARAMETER = "parameter"
    INTERPRETATION = "interpretation"
    INJECTION = "injection"
    PLAN = "plan"


class Check(Record):
    """One detector on one action. Stages are stored as they come: a killed check resumes behind the last."""

    action = models.ForeignKey(Action, models.CASCADE, related_name="checks")
    detector = models.CharField(max_length=64)
    detector_version = models.CharField(max_length=64, blank=True)
    judge = models.CharField(max_length=1000, blank=True)
    """Who answered: rules, the model, and the models of single questions."""
    prompts = models.JSONField(default=dict)
    """Version of each prompt the judge may have been asked with; empty where no model judges."""
    status = models.CharField(max_length=16, choices=CheckStatus.choices, default=CheckStatus.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    lease = models.UUIDField(null=True)
    """Token of the worker that runs it; a write without the current token changes nothing."""
    leased_until = models.DateTimeField(null=True)
    not_before = models.DateTimeField(null=True)
    """After judge trouble: when the next attempt is due."""
    stages = models.JSONField(default=list)
    """Finished stages, as the engine writes them."""
    verdict = models.CharField(max_length=16, choices=VerdictLabel.choices, blank=True)
    misalignment = models.CharField(max_length=16, choices=MisalignmentType.choices, blank=True)
    reason = models.TextField(blank=True)
    """Why it stopped, in one line."""
    score = models.FloatField(null=True)
    usage = models.JSONField(default=dict)
    seconds = models.FloatField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["action", "detector"], name="a_detector_checks_an_action_once"),
            models.CheckConstraint(condition=Q(status__in=CheckStatus.values), name="a_check_has_a_known_status"),
            models.CheckConstraint(
                condition=Q(status="done", verdict__in=VerdictLabel.values, finished_at__isnull=False)
                | (~Q(status="done") & Q(verdict="", finished_at__isnull=True)),
                name="a_check_is_done_exactly_when_it_has_a_verdict",
            ),
            models.CheckConstraint(
                condition=Q(verdict="misaligned", misalignment__in=MisalignmentType.values)
                | (~Q(verdict="misaligned") & Q(misalignment="")),
                name="a_misaligned_verdict_names_its_type",
            ),
        ]
        indexes = [
            models.Index(fields=["created_at"], name="check_unfinished", condition=~Q(status="done")),
        ]


class Finding(Record):
    """One relation tested on one subject."""

    check_run = models.ForeignKey(Check, models.CASCADE, related_name="findings")
    ordinal = models.PositiveIntegerField()
    stage = models.CharField(max_length=64)
    relation = models.CharField(max_length=16)
    subject = models.TextField()
    holds = models.BooleanField(null=True)
    rationale = models.TextField()
    decided_by = models.CharField(max_length=8)
    grounding = models.CharField(max_length=16, blank=True)
    score = models.FloatField(null=True)
    evidence = models.JSONField(default=list)
    """Spans: source, start, end, quote."""
    sources = models.JSONField(default=list)
    """What wrote the evidence: kinds of source."""
    trust = models.FloatField(null=True)
    """The lowest trust among those, 0 to 1."""
    untrusted_only = models.BooleanField(default=False)
    """Nothing supports the value but text that others wrote and to which the request does not lead."""
    nearest = models.JSONField(null=True)
    """The span most like a value that has no source."""

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["check_run", "ordinal"], name="a_check_numbers_its_findings"),
        ]


class Interpretation(Record):
    """Another admissible reading of the request, ready to be chosen."""

    check_run = models.ForeignKey(Check, models.CASCADE, related_name="interpretations")
    ordinal = models.PositiveIntegerField()
    reading = models.TextField()
    tool = models.CharField(max_length=200)
    arguments = models.JSONField()
    evidence = models.JSONField(default=list)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["check_run", "ordinal"], name="a_check_numbers_its_interpretations"),
        ]
