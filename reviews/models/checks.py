"""What a detector found about an action or a plan."""

from django.db import models
from django.db.models import Q

from reviews.models.actions import Action, Status
from reviews.models.base import Record, request_id_field
from reviews.models.contents import ToolSet
from reviews.models.profiles import GuardProfile
from reviews.models.traces import Trace
from reviews.models.workspaces import AgentKey, Workspace


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


class CheckMode(models.TextChoices):
    """What a check's verdict is for."""

    ENFORCED = "enforced"
    SHADOW = "shadow", "in shadow"


class Examination(Record):
    """Work of a detector that a worker leases. Stages are stored as they come: a killed one resumes behind the last."""

    detector = models.CharField(max_length=64)
    detector_version = models.CharField(max_length=64, blank=True)
    # 1000: every question may have a model of its own, and each is named.
    judge = models.CharField(max_length=1000, blank=True)
    """Who answered: rules, the model, and the models of single questions."""
    prompts = models.JSONField(default=dict)
    """Version of each prompt the judge may have been asked with; empty where no model judges."""
    status = models.CharField(max_length=16, choices=CheckStatus.choices, default=CheckStatus.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    """When its first attempt began; from then on its deadline runs."""
    killed = models.PositiveSmallIntegerField(default=0)
    """Attempts whose process was ended: for its deadline, or by something else."""
    beside_others = models.BooleanField(default=False, db_default=False)
    """Whether the process of its latest attempt held others beside it: then its end tells nothing of this one."""
    # A token for each attempt rather than a worker: a worker that was away and returns must not pass for its successor.
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
    # A column of its own, because a threshold is tuned over the scores of many checks.
    score = models.FloatField(null=True)
    usage = models.JSONField(default=dict)
    seconds = models.FloatField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


def _examination_constraints(kind: str) -> list[models.BaseConstraint]:
    """What holds for every kind of examination. Names of constraints are unique in a database, so each is made anew."""
    return [
        models.CheckConstraint(condition=Q(status__in=CheckStatus.values), name=f"a_{kind}_has_a_known_status"),
        # An action is let pass when all its checks are done and aligned: `done` without a verdict must not exist.
        models.CheckConstraint(
            condition=Q(status="done", verdict__in=VerdictLabel.values, finished_at__isnull=False)
            | (~Q(status="done") & Q(verdict="", finished_at__isnull=True)),
            name=f"a_{kind}_is_done_exactly_when_it_has_a_verdict",
        ),
        # Labels, filters and the priority of a review go by the type; a verdict without one would be in none of them.
        models.CheckConstraint(
            condition=Q(verdict="misaligned", misalignment__in=MisalignmentType.values)
            | (~Q(verdict="misaligned") & Q(misalignment="")),
            name="a_misaligned_verdict_names_its_type" if kind == "check" else f"a_misaligned_{kind}_names_its_type",
        ),
    ]


class CheckQuerySet(models.QuerySet["Check"]):
    """Checks, by what their verdicts are for."""

    def enforced(self) -> "CheckQuerySet":
        """The checks that decide whether a person looks: all that an agent, a queue or a label may know of."""
        return self.filter(mode=CheckMode.ENFORCED)

    def shadow(self) -> "CheckQuerySet":
        """The checks that are only recorded."""
        return self.filter(mode=CheckMode.SHADOW)

    def unfinished(self) -> "CheckQuerySet":
        """The checks that have no verdict yet."""
        return self.exclude(status=CheckStatus.DONE)

    def in_profile_order(self) -> "CheckQuerySet":
        """Oldest first, and those of one action as their profile names the detectors."""
        # They are stored in one moment, but their keys are made one after the other.
        return self.order_by("created_at", "id")

    def worth_running(self) -> "CheckQuerySet":
        """The checks in shadow, and those that their action waits for."""
        # An enforced check whose action is settled can change nothing any more, and its judge would cost money.
        return self.filter(Q(mode=CheckMode.SHADOW) | Q(action__status=Status.CHECKING))


class Check(Examination):
    """One detector on one action."""

    action = models.ForeignKey(Action, models.CASCADE, related_name="checks")
    mode = models.CharField(max_length=16, choices=CheckMode.choices, default=CheckMode.ENFORCED)
    established = models.BooleanField(default=False)
    """Whether every relation that the method asks for holds. An aligned verdict may lack it: then nothing speaks
    against the call, but something could not be established."""
    # The action's. Here too, because whose turn it is must be found without a look at every waiting check's action.
    agent_key = models.ForeignKey(AgentKey, models.PROTECT, related_name="+")

    objects = CheckQuerySet.as_manager()

    class Meta:
        constraints = [
            # Objections are counted by detector: one that stood there twice would count twice.
            models.UniqueConstraint(fields=["action", "detector"], name="a_detector_checks_an_action_once"),
            models.CheckConstraint(condition=Q(mode__in=CheckMode.values), name="a_check_has_a_known_mode"),
            # The guard approves by itself what is established: no other verdict may claim to be.
            models.CheckConstraint(
                condition=Q(established=False) | Q(verdict="aligned"), name="only_an_aligned_check_is_established"
            ),
            *_examination_constraints("check"),
        ]
        indexes = [
            # The sweep looks for lost checks, oldest first; partial, as nearly all rows are done.
            models.Index(fields=["created_at"], name="check_unfinished", condition=~Q(status="done")),
            # The oldest waiting check of the agent whose turn it is.
            models.Index(fields=["agent_key", "created_at"], name="check_waiting", condition=~Q(status="done")),
            # When an agent was served last.
            models.Index(
                fields=["agent_key", "-started_at"], name="check_served", condition=Q(started_at__isnull=False)
            ),
            # The probe counts those that were killed lately; partial, as hardly any is.
            models.Index(fields=["finished_at"], name="check_killed", condition=Q(killed__gt=0)),
        ]


class PlanAnswer(models.TextChoices):
    """What the plan gate tells the agent."""

    SAFE = "safe"
    REWRITE = "rewrite"
    REJECT = "reject"


class Plan(Examination):
    """A plan an agent submitted for a trace, and what the plan gate makes of it."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="plans")
    trace = models.ForeignKey(Trace, models.CASCADE, related_name="plans")
    agent_key = models.ForeignKey(AgentKey, models.PROTECT, related_name="+")
    profile = models.ForeignKey(GuardProfile, models.PROTECT, related_name="+")
    tool_set = models.ForeignKey(ToolSet, models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()
    """Steps of the trace's history that the plan was made after."""
    steps = models.JSONField()
    """The plan: a list of `message` and `tool_use`."""
    answer = models.CharField(max_length=16, choices=PlanAnswer.choices, blank=True)
    """Empty while it is checked."""
    request_id = request_id_field()

    class Meta:
        constraints = [
            # The agent waits until there is an answer, so a finished check without one would keep it waiting for ever.
            models.CheckConstraint(
                condition=Q(status="done", answer__in=PlanAnswer.values) | (~Q(status="done") & Q(answer="")),
                name="a_plan_is_answered_exactly_when_it_is_done",
            ),
            *_examination_constraints("plan"),
        ]
        indexes = [
            # The sweep looks for lost plans, oldest first.
            models.Index(fields=["created_at"], name="plan_unfinished", condition=~Q(status="done")),
            # As for checks: an agent's plans and checks are served in one turn.
            models.Index(fields=["agent_key", "created_at"], name="plan_waiting", condition=~Q(status="done")),
            models.Index(
                fields=["agent_key", "-started_at"], name="plan_served", condition=Q(started_at__isnull=False)
            ),
            models.Index(fields=["finished_at"], name="plan_killed", condition=Q(killed__gt=0)),
            # Each call of a guarded agent is held against the last plan before it.
            models.Index(fields=["trace", "-created_at"], name="plan_latest_of_a_trace"),
        ]


class Finding(Record):
    """One relation tested on one subject."""

    # Not `check`: Django's models have a method of that name.
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
    # Spans are only ever read with their finding, so they need no table.
    evidence = models.JSONField(default=list)
    """Spans: source, start, end, quote."""
    sources = models.JSONField(default=list)
    """What wrote the evidence: kinds of source."""
    trust = models.FloatField(null=True)
    """The lowest trust among those, 0 to 1."""
    untrusted_only = models.BooleanField(default=False)
    """Nothing supports the value but text that others wrote and to which the request does not lead."""
    rule = models.CharField(max_length=64, blank=True, default="", db_default="")
    """What decided it or left it open, by name; empty for what needs none, and in rows older than this column."""
    nearest = models.JSONField(null=True)
    """The span most like a value that has no source."""

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            # A second worker that stores findings of one check is stopped here; also the index for reading them.
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
            # As for findings: stored once, and read in this order.
            models.UniqueConstraint(fields=["check_run", "ordinal"], name="a_check_numbers_its_interpretations"),
        ]
