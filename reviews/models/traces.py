"""One conversation and what happened in it."""

from django.db import models
from django.db.models import Q

from reviews.models.base import Record
from reviews.models.contents import Text
from reviews.models.workspaces import Agent, Workspace


class Trace(Record):
    """A conversation of one agent, by the agent's own name for it.

    History only grows. An agent that submits another past opens a new revision, so that what earlier verdicts
    rested on stays as it was.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="traces")
    # Protected: an agent's calls and verdicts rest on its conversations.
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="traces")
    external_id = models.CharField(max_length=200)
    revision = models.PositiveIntegerField(default=1)
    # Protected: a text is shared by many rows, and deleting it would rewrite what verdicts rest on.
    query = models.ForeignKey(Text, models.PROTECT, related_name="+")
    """The user's first message, verbatim."""
    rewrites = models.PositiveSmallIntegerField(default=0)
    """How often the agent was sent back to its plan for this request; one more than allowed: it was told to stop."""
    requests = models.PositiveIntegerField(default=1, db_default=1)
    """Messages of the user that opened an intent, the first included: rewrites are counted for the last one."""
    invariants = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """The conditions of the task as ARGUS has derived them once: `request`, a digest of what they follow from, and
    `conditions`."""
    erased_at = models.DateTimeField(null=True)
    """When its content was erased on request: what is left is a tombstone."""

    class Meta:
        constraints = [
            # Two submissions that open the next revision at once get the same row; also the index for the latest one.
            # By agent: two agents may use one name for different conversations, and neither rewrites the other's past.
            models.UniqueConstraint(
                fields=["workspace", "agent", "external_id", "revision"], name="a_trace_has_one_row_per_revision"
            )
        ]

    def __str__(self) -> str:
        return self.external_id


class StepKind(models.TextChoices):
    """What a history entry is."""

    CALL = "call"
    USER = "user"
    ASSISTANT = "assistant"


class Step(Record):
    """One entry of a trace's history; positions count from 1."""

    trace = models.ForeignKey(Trace, models.CASCADE, related_name="steps")
    position = models.PositiveIntegerField()
    kind = models.CharField(max_length=16, choices=StepKind.choices)
    # Compared without reading the texts: a long history comes with every call of the conversation.
    digest = models.CharField(max_length=64)
    """Hash of the whole entry, to recognise a past that was submitted before."""
    tool = models.CharField(max_length=200, blank=True)
    arguments = models.JSONField(default=dict)
    subtask = models.TextField(blank=True)
    text = models.ForeignKey(Text, models.PROTECT, null=True, related_name="+")
    """A call's outcome, or a message's words."""

    class Meta:
        ordering = ["position"]
        constraints = [
            # Two reports that append at once would otherwise make two pasts; also the index for reading a history.
            models.UniqueConstraint(fields=["trace", "position"], name="a_trace_has_one_step_per_position"),
            # An action sees the steps up to its `position`, so 0 has to mean none.
            models.CheckConstraint(condition=Q(position__gte=1), name="a_step_counts_from_one"),
            models.CheckConstraint(condition=Q(kind__in=StepKind.values), name="a_step_has_a_known_kind"),
            # `records.load` builds the engine's values from these two without a further look.
            models.CheckConstraint(condition=~Q(kind="call") | ~Q(tool=""), name="a_call_names_its_tool"),
            models.CheckConstraint(condition=Q(kind="call") | Q(text__isnull=False), name="a_message_has_a_text"),
        ]

    def __str__(self) -> str:
        return f"{self.position} {self.tool or self.kind}"
