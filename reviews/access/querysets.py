"""The rows each person and agent may see, one queryset a table. Of datasets and campaigns: `annotation_querysets`."""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any, TypeAlias, cast
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from reviews.access.roles import Permission, Principal, can, owned_by, require_curator
from reviews.models import (
    OPEN,
    Action,
    ActionEvent,
    Agent,
    AgentKey,
    AuditEvent,
    Canary,
    Check,
    CheckMode,
    Comment,
    DayFigures,
    Decision,
    GuardProfile,
    Invitation,
    JudgeSpend,
    Label,
    Membership,
    NotificationPreference,
    Plan,
    Review,
    Role,
    SavedView,
    Status,
    TimedOrder,
    Trace,
    WebhookEndpoint,
    Workspace,
    pipeline,
)
from reviews.models.sql import action_events, actions, decisions, reviews

Reader: TypeAlias = tuple[str, int, UUID]
"""The hash of an agent's key, and the place in the feed of events behind which it reads on."""
HeldDecision: TypeAlias = tuple[UUID, UUID, str, str, datetime, bool]
"""The key of a decision and of its item, outcome, tool, until when it is held, and whether it is the person's last."""


def actions_for(principal: Principal) -> QuerySet[Action]:
    """Every action of the workspace, or of the key's agent, with its conversation and its key."""
    rows = Action.objects.filter(workspace=principal.workspace_id, **owned_by(principal, "agent"))
    return rows.select_related("trace", "agent_key")


def actions_where(agent_key: AgentKey) -> tuple[str, dict[str, Any]]:
    """The same as `actions_for`, as a condition on `reviews_action AS a` with its parameters, for SQL by hand."""
    return actions.OF_AGENT, {"workspace": agent_key.workspace_id, "agent": agent_key.agent_id}


def events_for(agent_key: AgentKey) -> QuerySet[ActionEvent]:
    """Events of the agent's calls; of all agents' calls for a key with the right to follow them."""
    if agent_key.reads_all_events:
        return ActionEvent.objects.filter(workspace=agent_key.workspace_id)
    return ActionEvent.objects.filter(**owned_by(agent_key, "agent"))


def readers_with_news(readers: Collection[Reader]) -> dict[Reader, bool]:
    """Whether there is an event behind each place, for those of these readers whose key is in force."""
    keys, transactions, ids = ([reader[column] for reader in readers] for column in range(3))
    rows = pipeline.execute(action_events.SELECT_NEWS, (keys, transactions, ids)).fetchall()
    return {(key_hash, transaction, event_id): has_news for key_hash, transaction, event_id, has_news in rows}


def reviews_for(principal: Principal) -> QuerySet[Review]:
    """Every review of the workspace, or of the key's agent, with what a queue row shows."""
    rows = Review.objects.filter(workspace=principal.workspace_id, **owned_by(principal, "action__agent"))
    # One query for a page of the queue, however many rows it has.
    return rows.select_related("action", "action__trace", "action__trace__query", "action__agent_key", "claimed_by")


def open_reviews_for(principal: Principal) -> QuerySet[Review]:
    """Reviews that wait for a person now: open and not snoozed."""
    awake = Q(snoozed_until__isnull=True) | Q(snoozed_until__lte=timezone.now())
    return reviews_for(principal).filter(awake, closed_at__isnull=True)


def open_review_parameters(membership: Membership) -> dict[str, Any]:
    """Those of `OPEN_FOR_MEMBER`, by which SQL says the same as `open_reviews_for`."""
    may_view = can(membership, Permission.VIEW)
    return {"workspace": membership.workspace_id, "may_view": may_view, "now": timezone.now()}


def count_open_reviews(membership: Membership, *, up_to: int) -> int:
    """How many of `open_reviews_for` there are; the database stops counting at this many."""
    row = pipeline.execute(reviews.COUNT_OPEN, {**open_review_parameters(membership), "up_to": up_to}).fetchone()
    return int(row[0]) if row else 0


def review_to_decide(membership: Membership, review_id: UUID) -> Review | None:
    """The one of `reviews_for` with this key, with its action and the profile of that; None where there is none."""
    if not can(membership, Permission.VIEW):
        return None
    parameters = (review_id, membership.workspace_id)
    return pipeline.fetch_first(reviews.select_with_action(), parameters, Review, "action", "action__profile")


def review_to_show(membership: Membership, review_id: UUID) -> Review | None:
    """The one of `reviews_for` with this key, with all that its page shows of it; None where there is none."""
    if not can(membership, Permission.VIEW):
        return None
    of_action = [f"action__{name}" for name in ("trace", "trace__query", "agent_key", "tool_set", "profile")]
    related = ("action", *of_action, "claimed_by", "assignment")
    return pipeline.fetch_first(reviews.select_shown(), (review_id, membership.workspace_id), Review, *related)


def held_decisions_for(membership: Membership) -> list[HeldDecision]:
    """The member's own decisions that can still be taken back, the latest first: every page asks for them."""
    rows = pipeline.execute(decisions.SELECT_HELD, (membership.user_id, membership.workspace_id)).fetchall()
    return cast(list[HeldDecision], rows)


def decisions_for(principal: Principal) -> QuerySet[Decision]:
    """Every decision about the actions that the principal may see, those that were taken back included."""
    return Decision.objects.filter(action__workspace=principal.workspace_id, **owned_by(principal, "action__agent"))


def traces_for(principal: Principal) -> QuerySet[Trace]:
    """Every conversation that the principal may see, in all revisions of its past."""
    traces = Trace.objects.filter(workspace=principal.workspace_id, **owned_by(principal, "agent"))
    return traces.select_related("agent", "query")


def own_decisions_for(membership: Membership) -> QuerySet[Decision]:
    """The member's own decisions in the workspace, those they took back included."""
    return Decision.objects.filter(reviewer=membership.user_id, action__workspace=membership.workspace_id)


def checks_for(principal: Principal) -> QuerySet[Check]:
    """Every check of the workspace that the principal may see, with its findings and interpretations, in their order.

    A check in shadow is seen by people once the action is decided, and never by agents.
    """
    visible = Q(mode=CheckMode.ENFORCED)
    if isinstance(principal, Membership):
        # Before the decision a shadow verdict could sway the reviewer, and no longer be compared with the decision.
        visible |= Q(action__status=Status.DECIDED)
    owned = owned_by(principal, "action__agent")
    checks = Check.objects.filter(visible, action__workspace=principal.workspace_id, **owned)
    return checks.in_profile_order().prefetch_related("findings", "interpretations")


def comments_for(membership: Membership) -> QuerySet[Comment]:
    """Every comment on the workspace's items, for those who see them."""
    comments = Comment.objects.filter(workspace=membership.workspace_id, **owned_by(membership, ""))
    return comments.select_related("author")


def plans_for(principal: Principal) -> QuerySet[Plan]:
    """Every plan of the workspace, or of the key's agent, with its conversation."""
    plans = Plan.objects.filter(workspace=principal.workspace_id, **owned_by(principal, "trace__agent"))
    return plans.select_related("trace", "profile")


def labels_for(principal: Principal) -> QuerySet[Label]:
    """Every label of the workspace; for a key without the right to all of them, those of its own agent's calls."""
    labels = Label.objects.filter(workspace=principal.workspace_id)
    if isinstance(principal, AgentKey) and principal.reads_all_labels:
        return labels
    return labels.filter(**owned_by(principal, "action__agent"))


def saved_views_for(membership: Membership) -> QuerySet[SavedView]:
    """The workspace's saved listings, for those who see what they list."""
    return SavedView.objects.filter(workspace=membership.workspace_id, **owned_by(membership, ""))


def timed_orders_for(membership: Membership) -> QuerySet[TimedOrder]:
    """The workspace's orders for floods, also those that have ended."""
    return TimedOrder.objects.filter(workspace=membership.workspace_id, **owned_by(membership, ""))


def webhook_endpoints_for(membership: Membership) -> QuerySet[WebhookEndpoint]:
    """The workspace's receivers of webhooks, for its administrators."""
    visible = {} if can(membership, Permission.ADMINISTER) else {"pk__in": ()}
    return WebhookEndpoint.objects.filter(workspace=membership.workspace_id, **visible)


def notification_preferences_for(membership: Membership) -> QuerySet[NotificationPreference]:
    """The member's own choice of what they are told of, if they have made one."""
    return NotificationPreference.objects.filter(membership=membership, **owned_by(membership, ""))


def canaries_for(membership: Membership) -> QuerySet[Canary]:
    """The member's own canaries, for those who decide."""
    visible = {} if can(membership, Permission.DECIDE) else {"pk__in": ()}
    return Canary.objects.filter(workspace=membership.workspace_id, user=membership.user_id, **visible)


def day_figures_for(membership: Membership) -> QuerySet[DayFigures]:
    """What was counted of the workspace, day by day."""
    return day_figures_of([membership])


def day_figures_of(memberships: Collection[Membership]) -> QuerySet[DayFigures]:
    """What was counted of the workspaces of these memberships, as far as their roles view them."""
    viewed = [membership.workspace_id for membership in memberships if can(membership, Permission.VIEW)]
    return DayFigures.objects.filter(workspace__in=viewed)


def agents_for(membership: Membership) -> QuerySet[Agent]:
    """Every agent of the workspace, also those without a key in force."""
    return Agent.objects.filter(workspace=membership.workspace_id)


def agent_keys_for(membership: Membership) -> QuerySet[AgentKey]:
    """Every agent key of the workspace, revoked ones and those of its sandbox too, with its agent and its issuer.

    `opens` says whether it is in force, `issuer_left` whether a person issued it who is no active member any more.
    """
    keys = AgentKey.objects.filter(
        Q(workspace=membership.workspace_id) | Q(workspace__sandbox_of=membership.workspace_id)
    )
    in_force = keys_in_force().filter(pk=OuterRef("pk"))
    orphan = Q(created_by__isnull=False) & ~Exists(_issuers())
    return keys.annotate(opens=Exists(in_force), issuer_left=orphan).select_related("agent", "workspace", "created_by")


def keys_in_force() -> QuerySet[AgentKey]:
    """Every key that opens something, of all workspaces, with its workspace and agent.

    One that acts in the name of who issued it does so as long as they administer the workspace.
    """
    is_personal = Q(manages_ground_truth=True, created_by__isnull=False)
    administers = Exists(_issuers().filter(role=Role.ADMIN))
    keys = AgentKey.objects.filter(~is_personal | administers, revoked_at__isnull=True)
    return keys.select_related("workspace", "agent")


def _issuers() -> QuerySet[Membership]:
    """The active membership of whoever issued a key of the query around it; of a sandbox's key in its workspace."""
    home = Coalesce(OuterRef("workspace__sandbox_of"), OuterRef("workspace"))
    return Membership.objects.filter(user=OuterRef("created_by"), user__is_active=True, workspace=home)


def memberships_of(user: AbstractBaseUser) -> QuerySet[Membership]:
    """The person's own memberships in all workspaces, the oldest first."""
    return Membership.objects.filter(user_id=user.pk).select_related("workspace").order_by("created_at")


def members_for(principal: Principal) -> QuerySet[Membership]:
    """Everybody in the workspace, with their accounts. Raises `ForbiddenError` for a key that chooses no annotators."""
    if isinstance(principal, AgentKey):
        require_curator(principal)
    return Membership.objects.filter(workspace=principal.workspace_id).select_related("user")


def invitations_for(membership: Membership) -> QuerySet[Invitation]:
    """Every invitation to the workspace, ended ones too."""
    return Invitation.objects.filter(workspace=membership.workspace_id).select_related("created_by")


def invitations_in_force() -> QuerySet[Invitation]:
    """Every invitation that lets somebody in, of all workspaces: nobody used it, and its week is not over.

    Whoever made it may know its link, and so must administer the workspace still; or it is the operator's.
    """
    makers = Membership.objects.filter(
        user=OuterRef("created_by"), user__is_active=True, workspace=OuterRef("workspace"), role=Role.ADMIN
    )
    invitations = Invitation.objects.filter(Q(created_by__isnull=True) | Exists(makers))
    return invitations.filter(accepted_at__isnull=True, withdrawn_at__isnull=True, expires_at__gt=timezone.now())


def audit_events_for(membership: Membership) -> QuerySet[AuditEvent]:
    """The workspace's audit log, in its order."""
    return AuditEvent.objects.filter(workspace=membership.workspace_id)


def profiles_for(principal: Principal) -> QuerySet[GuardProfile]:
    """Every version of the workspace's guard profile, newest first."""
    return GuardProfile.objects.filter(workspace=principal.workspace_id).select_related("created_by")


def judge_spends_for(principal: Principal) -> QuerySet[JudgeSpend]:
    """What the workspace's judge has cost, day by day."""
    return JudgeSpend.objects.filter(workspace=principal.workspace_id)


def current_profile(workspace: Workspace | UUID) -> GuardProfile:
    """The version in force.

    Raises `GuardProfile.DoesNotExist` for a workspace that `members.create_workspace` did not make.
    """
    return GuardProfile.objects.filter(workspace=workspace).latest("version")


def undecided(queries: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """The pairs, of a key's hash and an action's id, whose key may see the action and it is open."""
    keys, ids = [key for key, _ in queries], [action for _, action in queries]
    return set(pipeline.execute(actions.SELECT_UNDECIDED, (keys, ids, list(OPEN))).fetchall())


def readers_of(action_id: UUID) -> Callable[[], list[str]]:
    """The hashes of the keys that may see this action now, by a statement that may travel with others."""
    rows = pipeline.execute(actions.SELECT_READERS, (action_id,))
    return lambda: [key_hash for (key_hash,) in rows.fetchall()]
