"""A proposed call, its one-time execution, and the keys that make retries harmless."""

from collections.abc import Collection
from typing import Any, Self

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q

from reviews.models.base import Record, request_id_field
from reviews.models.contents import ToolSet
from reviews.models.key_order import in_key_order
from reviews.models.profiles import GuardProfile
from reviews.models.traces import Trace
from reviews.models.workspaces import Agent, AgentKey, Workspace


class Status(models.TextChoices):
    """Where an action stands. `checking -> decided | pending -> decided | expired | cancelled | superseded`."""

    CHECKING = "checking"
    PENDING = "pending"
    DECIDED = "decided"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"


OPEN = (Status.CHECKING, Status.PENDING)
"""Statuses an action can still leave."""


class Risk(models.TextChoices):
    """How bad a wrong call would be, as the agent's developer says."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Action(Record):
    """One tool call an agent wants to make, at a position of its trace."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="actions")
    trace = models.ForeignKey(Trace, models.CASCADE, related_name="actions")
    # Protected: a key or a profile may be retired, but the record of what was done with it must not go with it.
    agent_key = models.ForeignKey(AgentKey, models.PROTECT, related_name="actions")
    # The key's agent, copied so that an agent's newest actions are found by one index.
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="actions")
    profile = models.ForeignKey(GuardProfile, models.PROTECT, related_name="actions")
    tool_set = models.ForeignKey(ToolSet, models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()
    """How many steps of the trace's history this action could see."""
    # Digests instead of texts: a system prompt that comes with every call is stored once.
    sources = models.JSONField(default=list)
    """Further sources: objects of kind, name and the digest of a `Text`."""
    clock = models.DateTimeField(null=True)
    """What was now for the request, as the agent or a text states it; None stands for the time of submission."""
    clock_source = models.CharField(max_length=200, blank=True)
    """Id of the text that states the clock; empty where the agent itself named it, or nobody did."""
    tool = models.CharField(max_length=200)
    arguments = models.JSONField()
    # With a default of the database as well: a server of the release before knows nothing of the column.
    key_order = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()), editable=False)
    """How the agent ordered the keys of its arguments, where PostgreSQL would order them otherwise."""
    subtask = models.TextField(blank=True)
    provenance = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """Where the agent says that it took values from, by JSON Pointer (`stored_case.claims`); no part of the call."""
    tool_call_id = models.CharField(max_length=200, blank=True)
    call_key = models.CharField(max_length=64, blank=True)
    """SHA-256 over what the agent calls this call by: its trace, its `tool_call_id`, what it retries. Empty without."""
    digest = models.CharField(max_length=64)
    """SHA-256 over the canonical JSON of tool and arguments: what an approval is bound to."""
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.CHECKING)
    # Medium: an agent that does not rate its call must rank neither before nor behind those that do.
    risk = models.CharField(max_length=8, choices=Risk.choices, default=Risk.MEDIUM)
    expires_at = models.DateTimeField()
    # 2000 characters are what proxies and servers commonly accept of an address.
    callback_url = models.URLField(max_length=2000, blank=True)
    # The earlier proposal may be deleted; `attempt` keeps the count, which raises the priority of a retry.
    retry_of = models.ForeignKey("self", models.SET_NULL, null=True, related_name="retries")
    attempt = models.PositiveIntegerField(default=1)
    """1 for a first proposal, one more than what it retries otherwise."""
    is_stuck = models.BooleanField(default=False, db_default=False)
    """The agent got no further and said so: the call is what it tried last, and a person looks without a check."""
    is_test = models.BooleanField(default=False, db_default=False)
    """Proposed with a test key: decided as its submission says (`decisions.forced_outcomes`), by nobody's judgement."""
    metadata = models.JSONField(default=dict)
    user_asked_at = models.DateTimeField(null=True)
    """Since when the acting user may decide it, by a link (`decisions.user_confirmation`)."""
    settled_at = models.DateTimeField(null=True)
    """When the action left the open statuses."""
    request_id = request_id_field()

    class Meta:
        constraints = [
            # `choices` is checked by forms only; compare-and-set updates write past them.
            models.CheckConstraint(condition=Q(status__in=Status.values), name="an_action_has_a_known_status"),
            models.CheckConstraint(condition=Q(risk__in=Risk.values), name="an_action_has_a_known_risk"),
            # Waiting agents are answered by `status`, reports count by `settled_at`: they must not disagree.
            models.CheckConstraint(
                condition=Q(status__in=OPEN, settled_at__isnull=True)
                | (~Q(status__in=OPEN) & Q(settled_at__isnull=False)),
                name="an_action_is_settled_exactly_when_it_left_the_open_statuses",
            ),
            # An approval is bound to the digest; an empty one would match every other empty one.
            models.CheckConstraint(condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="an_action_carries_a_sha256"),
            # Each action may become a permission to run. Two submissions of one call at the same moment: the second
            # waits for the first and returns its action.
            models.UniqueConstraint(
                fields=["agent", "call_key"],
                condition=~Q(call_key=""),
                name="an_agents_call_is_one_action",
            ),
        ]
        indexes = [
            # The listing of the API and the latest calls of a profile preview, both newest first.
            models.Index(fields=["workspace", "-created_at", "-id"], name="action_list"),
            # The same listing as one agent sees it, which may own few of a large workspace's actions.
            models.Index(fields=["agent", "-created_at", "-id"], name="action_list_of_an_agent"),
            # An agent looks for its call by the model's name of it, which stands nowhere else in its listing.
            models.Index(
                fields=["agent", "tool_call_id"], name="action_by_tool_call_id", condition=~Q(tool_call_id="")
            ),
            # A fleet's controller looks for its own run or team. By whole paths: nobody asks which keys there are.
            GinIndex(fields=["metadata"], name="action_by_metadata", opclasses=["jsonb_path_ops"]),
            # The sweep looks for what is due every few seconds; partial, as nearly all rows are settled.
            models.Index(fields=["expires_at"], name="action_open_expiry", condition=Q(status__in=OPEN)),
            # The sweep looks for actions that no check is left to settle.
            models.Index(fields=["created_at"], name="action_unchecked", condition=Q(status="checking")),
        ]

    def __str__(self) -> str:
        return f"{self.tool} ({self.status})"

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any], **options: Any) -> Self:
        """The row as it is stored, with its arguments as the agent ordered them."""
        action = super().from_db(db, field_names, values, **options)
        loaded = vars(action)
        # Either may be deferred, and must not be fetched for this.
        if loaded.get("key_order") and "arguments" in loaded:
            action.arguments = in_key_order(action.arguments, action.key_order)
        return action


class OutcomeStatus(models.TextChoices):
    """How a permitted call ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"


class Execution(Record):
    """The one-time permission to run an approved call, and what came of it."""

    # One to one: the second of two workers that start the same call hits this and is refused.
    action = models.OneToOneField(Action, models.CASCADE, related_name="execution")
    decision = models.ForeignKey("reviews.Decision", models.PROTECT, related_name="+")
    idempotency_key = models.CharField(max_length=200, blank=True)
    """The client's name for its request: who repeats it is given the same permission again. Empty: nobody is."""
    outcome_status = models.CharField(max_length=16, choices=OutcomeStatus.choices, blank=True)
    step = models.ForeignKey("reviews.Step", models.PROTECT, null=True, related_name="+")
    """The history entry the reported outcome became."""
    deviates = models.BooleanField(default=False, db_default=False)
    """Whether what ran, which the history entry holds, is another call than the approved one."""
    replaced_characters = models.PositiveIntegerField(db_default=0, default=0)
    """How many characters of the outcome could not be stored; the step holds U+FFFD in their place."""
    reported_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # `reported_at` tells whether an outcome stands, so a report without its status would read as one.
            models.CheckConstraint(
                condition=Q(outcome_status="", reported_at__isnull=True)
                | (Q(outcome_status__in=OutcomeStatus.values) & Q(reported_at__isnull=False)),
                name="an_execution_reports_a_status_with_its_time",
            )
        ]


class IdempotencyKey(Record):
    """A client's name for one submission: the same key and body give the same action."""

    agent_key = models.ForeignKey(AgentKey, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    # Tells a retry from another request that reuses the key, without keeping the body a second time.
    request_digest = models.CharField(max_length=64)
    action = models.ForeignKey(Action, models.CASCADE, related_name="+", null=True)
    """Null only inside the transaction that creates it."""

    class Meta:
        constraints = [
            # Two submissions with one key at the same moment: the second waits for the first and returns its action.
            models.UniqueConstraint(fields=["agent_key", "key"], name="an_idempotency_key_is_used_once_per_agent")
        ]


class ModelResponse(Record):
    """A response of a model up to which an agent has told its conversation, and by whose id it goes on from there."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="+")
    response_id = models.CharField(max_length=200)
    # Its trace, up to `position`, and its sources are what came before. What is erased takes the response along.
    action = models.ForeignKey(Action, models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()
    """How many steps of the trace's history came before `items`."""
    items = models.JSONField()
    """The turn that was not over, as the agent holds it: its results come with what goes on from here."""
    digest = models.CharField(max_length=64)
    """SHA-256 over all up to the end of the response, to recognise the same past told once more."""

    class Meta:
        # By agent, whose conversations nobody else goes on with. Of two pasts under one id nobody could say which is
        # meant.
        constraints = [models.UniqueConstraint(fields=["agent", "response_id"], name="a_response_ends_one_past")]
