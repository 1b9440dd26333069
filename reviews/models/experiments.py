"""Detectors tried on a frozen dataset before anybody relies on them."""

from django.db import models
from django.db.models import F, Q

from reviews.models.actions import Action
from reviews.models.base import Record
from reviews.models.checks import VerdictLabel
from reviews.models.datasets import DatasetVersion, VersionEntry
from reviews.models.jobs import Job, job_constraints
from reviews.models.workspaces import Workspace


class ExperimentKind(models.TextChoices):
    """What is tried on every call."""

    VERDICTS = "verdicts", "Calls as they are"
    PERTURBATION = "perturbation", "Also changed in ways that must not matter"
    ATTACK = "attack", "Right calls attacked as well"


class Experiment(Job):
    """A frozen version, or recorded calls, judged by several detectors, some of them several times.

    Repeating it judges nothing twice.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="experiments")
    name = models.CharField(max_length=120)
    version = models.ForeignKey(DatasetVersion, models.CASCADE, null=True, related_name="experiments")
    """Null for one on recorded calls."""
    recorded = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """How its recorded calls were drawn, `since`, `until` and at most how many `calls`, and the `digest` of those drawn
    with their labels; empty for one on a frozen version."""
    # Both with defaults of the database as well: the release before goes on beginning experiments during an upgrade.
    kind = models.CharField(
        max_length=16,
        choices=ExperimentKind.choices,
        default=ExperimentKind.VERDICTS,
        db_default=ExperimentKind.VERDICTS,
    )
    trial = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """What is tried besides: the `kinds` of changes; or the `families` of attacks, with `variants` and `seed`."""
    runs = models.PositiveSmallIntegerField(default=1)
    """How often a detector that asks a model judges each call; rules say the same each time."""
    fresh = models.BooleanField(default=False, db_default=False)
    """Whether its models are asked even where an answer to the same question is kept."""
    max_usd = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    """Most US dollars it may cost before it pauses; null for no limit but the workspace's own."""
    paused = models.BooleanField(default=False)
    """Whether it waits for a person to let it go on."""

    class Meta:
        constraints = [
            *job_constraints("experiment"),
            models.CheckConstraint(condition=~Q(name=""), name="an_experiment_has_a_name"),
            models.CheckConstraint(
                condition=Q(version__isnull=False, recorded={}) | (Q(version__isnull=True) & ~Q(recorded={})),
                name="an_experiment_is_on_a_version_or_on_recorded_calls",
            ),
            models.CheckConstraint(condition=Q(kind__in=ExperimentKind.values), name="an_experiment_has_a_known_kind"),
            models.CheckConstraint(condition=Q(runs__gte=1), name="an_experiment_judges_each_call_at_least_once"),
            # With 0 it would look like a limit and never begin; null stands for no limit.
            models.CheckConstraint(condition=Q(max_usd__gt=0), name="an_experiments_budget_allows_something"),
        ]
        indexes = [
            models.Index("workspace", F("created_at").desc(), name="experiment_list"),
            # The sweep looks for experiments whose worker died; partial, as nearly all are over.
            models.Index("leased_until", name="experiment_open", condition=Q(finished_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def judges_recorded_calls(self) -> bool:
        """Whether its calls were drawn from the workspace's own, and are no dataset's."""
        return self.version_id is None

    @property
    def subject(self) -> str:
        """The field of a verdict that names what was judged."""
        return "call" if self.judges_recorded_calls else "entry"


class ExperimentCall(Record):
    """A recorded call that an experiment drew. It goes with the call, when that is pruned or erased."""

    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="calls")
    ordinal = models.PositiveIntegerField()
    """Its place in the experiment, from 1, in the order of the calls."""
    action = models.ForeignKey(Action, models.CASCADE, related_name="+")
    label = models.JSONField(null=True)
    """What people said of it when it was drawn, and by which `method`; null where nobody did."""
    was_stopped = models.BooleanField(null=True)
    """Whether the guard stopped it; null where no detector looked at it, as a standing order settled it."""

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["experiment", "ordinal"], name="an_experiment_numbers_its_calls"),
        ]

    @property
    def tool(self) -> str:
        """The called tool, as an entry's item has it."""
        return self.action.tool


class ExperimentArm(Record):
    """One detector of an experiment with all that its verdicts depend on."""

    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="arms")
    ordinal = models.PositiveSmallIntegerField()
    """Its place in tables, from 1."""
    detector = models.CharField(max_length=64)
    settings = models.JSONField(default=dict)
    """What differs from the profile in force when it began: judge, model, thresholds."""
    configuration = models.JSONField(default=dict)
    """Version of the engine, options, model, prompts: under another one its verdicts would not be comparable."""
    figures = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """What takes longer to count than a page may take (`experiment_final_figures`); empty until it is over."""

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["experiment", "ordinal"], name="an_experiment_numbers_its_arms"),
        ]

    @property
    def title(self) -> str:
        """Detector, judge and what it sets for itself, as tables name them."""
        judge = self.settings.get("model") or self.configuration.get("judge", "")
        options = (f"{name.replace('_', ' ')} {value}" for name, value in self.settings.get("options", {}).items())
        return ", ".join((self.detector, judge, *options))


class ExperimentVerdictQuerySet(models.QuerySet["ExperimentVerdict"]):
    """Verdicts, by what was judged."""

    def unchanged(self) -> "ExperimentVerdictQuerySet":
        """On calls as they are: what the papers' measures count."""
        return self.filter(variant="")


class ExperimentVerdict(Record):
    """What one arm made of one entry, or of a variant of it, in one run."""

    arm = models.ForeignKey(ExperimentArm, models.CASCADE, related_name="verdicts")
    run = models.PositiveSmallIntegerField()
    """From 1."""
    entry = models.ForeignKey(VersionEntry, models.CASCADE, null=True, related_name="+")
    """Null for a recorded call."""
    call = models.ForeignKey(ExperimentCall, models.CASCADE, null=True, related_name="+")
    # These three with defaults of the database as well, as the experiment's kind has.
    variant = models.CharField(max_length=80, blank=True, default="", db_default="")
    """Name of the change or of the attack; empty for the call as it is."""
    outcome = models.CharField(max_length=16, blank=True, default="", db_default="")
    """Of a variant: where the verdict moved, or what became of the attack."""
    is_failure = models.BooleanField(default=False, db_default=False)
    """Whether that must not be."""
    verdict = models.CharField(max_length=16, choices=VerdictLabel.choices, blank=True)
    """Empty where the judge failed."""
    misalignment = models.CharField(max_length=16, blank=True)
    reason = models.TextField(blank=True)
    """Why it stopped, or why there is no verdict, in one line."""
    rules = models.JSONField(default=list)
    """Names of the rules and questions that decided."""
    score = models.FloatField(null=True)
    usage = models.JSONField(default=dict)
    seconds = models.FloatField(default=0)
    is_grave = models.BooleanField(null=True)
    """Of a call as it is: whether a wrong one would do harm, as `severity_of` reads it."""
    position = models.PositiveIntegerField(null=True)
    """Of a call as it is: its place among the steps of its conversation, from 1."""
    stages = models.JSONField(null=True)
    """What a model's verdict on a call as it is rests on, as a check stores it; what rules found is found again."""

    objects = ExperimentVerdictQuerySet.as_manager()

    class Meta:
        constraints = [
            # A worker that comes back judges nothing twice; also the index by which results are read.
            models.UniqueConstraint(
                fields=["arm", "run", "entry", "variant"], name="an_arm_judges_a_variant_once_a_run"
            ),
            models.UniqueConstraint(
                fields=["arm", "run", "call", "variant"], name="an_arm_judges_a_variant_of_a_recorded_call_once_a_run"
            ),
            models.CheckConstraint(
                condition=Q(entry__isnull=False, call__isnull=True) | Q(entry__isnull=True, call__isnull=False),
                name="a_verdict_is_on_an_entry_or_on_a_recorded_call",
            ),
        ]
        indexes = [
            # The page lists them; partial, as most variants change nothing.
            models.Index(fields=["arm", "entry"], name="experiment_failure", condition=Q(is_failure=True)),
            # Figures are counted over verdicts on calls as they are, among two dozen variants of each.
            models.Index(
                fields=["arm", "entry"],
                include=["verdict", "score", "seconds"],
                name="experiment_unchanged",
                condition=Q(variant=""),
            ),
        ]

    @property
    def subject(self) -> VersionEntry | ExperimentCall:
        """What was judged."""
        subject: VersionEntry | ExperimentCall = getattr(self, self.arm.experiment.subject)
        return subject
