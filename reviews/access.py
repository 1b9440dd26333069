"""Who may see and do what: the only source of querysets for pages and API."""

from collections.abc import Collection
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeAlias, cast
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Q, QuerySet
from django.utils import timezone

from reviews.errors import ForbiddenError
from reviews.models import (
    OPEN,
    Action,
    Agent,
    AgentKey,
    Annotation,
    Annotator,
    AuditEvent,
    Campaign,
    Check,
    CheckMode,
    Dataset,
    DatasetVersion,
    Decision,
    ExportJob,
    GuardProfile,
    ImportJob,
    Invitation,
    JudgeSpend,
    Label,
    Membership,
    Plan,
    Review,
    Role,
    Status,
    Trace,
    Workspace,
    pipeline,
)
from reviews.models.sql import actions, memberships, reviews

Principal: TypeAlias = Membership | AgentKey
"""Whoever makes a request. Both kinds belong to exactly one workspace."""


class Permission(StrEnum):
    """What a member may be allowed to do."""

    VIEW = "view"
    DECIDE = "decide"
    ANNOTATE = "annotate"
    ADMINISTER = "administer"


# Annotators do not decide and reviewers do not annotate: labels of a study are compared with decisions, so they must
# not come from the same person. Nor do annotators view what the guard found and people decided: their labels would
# follow it.
_GRANTED = MappingProxyType(
    {
        Role.REVIEWER: frozenset({Permission.VIEW, Permission.DECIDE}),
        Role.ANNOTATOR: frozenset({Permission.ANNOTATE}),
        Role.ADMIN: frozenset(Permission),
    }
)


def membership_for(user: AbstractBaseUser | AnonymousUser, workspace_id: UUID | None = None) -> Membership:
    """The person's membership: in the named workspace, or the oldest. Raises `ForbiddenError` when there is none."""
    if not user.is_authenticated:
        raise ForbiddenError("Sign in first.")
    membership = pipeline.first(
        memberships.select_current(), {"user": user.pk, "workspace": workspace_id}, Membership, "workspace"
    )
    if membership is None:
        raise ForbiddenError("You are not a member of any workspace. Ask an administrator to add you.")
    # Who asks has been read already.
    membership.user = cast(User, user)
    return membership


def can(membership: Membership, permission: Permission) -> bool:
    """Whether the person's role includes this."""
    return permission in _GRANTED[Role(membership.role)]


def require(membership: Membership, permission: Permission) -> None:
    """Raises `ForbiddenError` unless the person's role includes this."""
    if not can(membership, permission):
        raise ForbiddenError(f"Your role in {membership.workspace} ({membership.role}) does not allow this.")


def require_curator(principal: Principal) -> None:
    """Raises `ForbiddenError` unless they may change datasets and campaigns: administrators, and keys for that."""
    if isinstance(principal, Membership):
        require(principal, Permission.ADMINISTER)
    elif not principal.manages_ground_truth:
        raise ForbiddenError("This key does not manage datasets and campaigns. That takes another one.")


def account_of(principal: Principal | None) -> User | None:
    """The account of a person; None for a key, or where the installation itself acts."""
    return principal.user if isinstance(principal, Membership) else None


def _owned(principal: Principal, agent: str) -> dict[str, Any]:
    """Look-ups for what the principal may see: people the whole workspace, a key only what its agent owns.

    `agent` leads from the row to the agent. To every other agent of the workspace a row does not exist, nor to an
    annotator, who sees a call only as an item of a campaign.
    """
    if isinstance(principal, AgentKey):
        return {agent: principal.agent_id}
    return {} if can(principal, Permission.VIEW) else {"pk__in": ()}


def actions_for(principal: Principal) -> QuerySet[Action]:
    """Every action of the workspace, or of the key's agent, with its conversation and its key."""
    rows = Action.objects.filter(workspace=principal.workspace_id, **_owned(principal, "agent"))
    return rows.select_related("trace", "agent_key")


def actions_where(agent_key: AgentKey) -> tuple[str, dict[str, Any]]:
    """The same as `actions_for`, as a condition on `reviews_action AS a` with its parameters, for SQL by hand."""
    return actions.OF_AGENT, {"workspace": agent_key.workspace_id, "agent": agent_key.agent_id}


def reviews_for(principal: Principal) -> QuerySet[Review]:
    """Every review of the workspace, or of the key's agent, with what a queue row shows."""
    rows = Review.objects.filter(workspace=principal.workspace_id, **_owned(principal, "action__agent"))
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
    """The one of `reviews_for` with this key, with its action and nothing else; None where there is none."""
    if not can(membership, Permission.VIEW):
        return None
    return pipeline.first(reviews.select_with_action(), (review_id, membership.workspace_id), Review, "action")


def held_decisions_for(membership: Membership) -> QuerySet[Decision]:
    """The member's own decisions that can still be taken back, the latest first."""
    return own_decisions_for(membership).filter(held_until__isnull=False).order_by("-held_until")


def decisions_for(principal: Principal) -> QuerySet[Decision]:
    """Every decision about the actions that the principal may see, those that were taken back included."""
    return Decision.objects.filter(action__workspace=principal.workspace_id, **_owned(principal, "action__agent"))


def traces_for(principal: Principal) -> QuerySet[Trace]:
    """Every conversation that the principal may see, in all revisions of its past."""
    traces = Trace.objects.filter(workspace=principal.workspace_id, **_owned(principal, "agent"))
    return traces.select_related("agent", "query")


def own_decisions_for(membership: Membership) -> QuerySet[Decision]:
    """The member's own decisions in the workspace, those they took back included."""
    return Decision.objects.filter(reviewer=membership.user_id, action__workspace=membership.workspace_id)


def checks_for(principal: Principal) -> QuerySet[Check]:
    """Every check of the workspace that the principal may see, with its findings and interpretations.

    A check in shadow is seen by people once the action is decided, and never by agents.
    """
    visible = Q(mode=CheckMode.ENFORCED)
    if isinstance(principal, Membership):
        # Before the decision a shadow verdict could sway the reviewer, and no longer be compared with the decision.
        visible |= Q(action__status=Status.DECIDED)
    owned = _owned(principal, "action__agent")
    checks = Check.objects.filter(visible, action__workspace=principal.workspace_id, **owned)
    return checks.prefetch_related("findings", "interpretations")


def plans_for(principal: Principal) -> QuerySet[Plan]:
    """Every plan of the workspace, or of the key's agent, with its conversation."""
    plans = Plan.objects.filter(workspace=principal.workspace_id, **_owned(principal, "trace__agent"))
    return plans.select_related("trace", "profile")


def labels_for(principal: Principal) -> QuerySet[Label]:
    """Every label of the workspace; for a key without the right to all of them, those of its own agent's calls."""
    labels = Label.objects.filter(workspace=principal.workspace_id)
    if isinstance(principal, AgentKey) and principal.reads_all_labels:
        return labels
    return labels.filter(**_owned(principal, "action__agent"))


def datasets_for(principal: Principal) -> QuerySet[Dataset]:
    """Every dataset of the workspace, for those who run campaigns and for keys that may read all labels or manage them.

    No other key has any: a dataset holds calls of many agents.
    """
    datasets = Dataset.objects.filter(workspace=principal.workspace_id)
    if isinstance(principal, AgentKey):
        return datasets if _reads_ground_truth(principal) else datasets.none()
    require(principal, Permission.ADMINISTER)
    return datasets


def dataset_versions_for(principal: Principal) -> QuerySet[DatasetVersion]:
    """Every version of the datasets that the principal may see, with its dataset and parent."""
    return DatasetVersion.objects.filter(dataset__in=datasets_for(principal)).select_related("dataset", "parent")


def judged_actions_for(principal: Principal) -> QuerySet[Action]:
    """Every action of the workspace, whichever agent's, for who may make ground truth of it.

    Raises `ForbiddenError` for anybody else.
    """
    require_curator(principal)
    return Action.objects.filter(workspace=principal.workspace_id).select_related("trace")


def import_jobs_for(principal: Principal) -> QuerySet[ImportJob]:
    """Every import into datasets that the principal may see."""
    return ImportJob.objects.filter(dataset__in=datasets_for(principal)).select_related("dataset")


def export_jobs_for(principal: Principal) -> QuerySet[ExportJob]:
    """Every export of a version that the principal may see."""
    jobs = ExportJob.objects.filter(version__dataset__in=datasets_for(principal))
    return jobs.select_related("version__dataset")


def campaigns_for(principal: Principal) -> QuerySet[Campaign]:
    """For administrators every campaign of the workspace; for annotators those they take part in; none for others.

    For keys every one or none, as with datasets.
    """
    campaigns = Campaign.objects.filter(workspace=principal.workspace_id).select_related("dataset")
    if isinstance(principal, AgentKey):
        return campaigns if _reads_ground_truth(principal) else campaigns.none()
    if can(principal, Permission.ADMINISTER):
        return campaigns
    if not can(principal, Permission.ANNOTATE):
        return campaigns.none()
    return campaigns.filter(annotators__user=principal.user_id)


def _reads_ground_truth(agent_key: AgentKey) -> bool:
    return agent_key.reads_all_labels or agent_key.manages_ground_truth


def annotators_for(membership: Membership) -> QuerySet[Annotator]:
    """The member's own part in campaigns: what may be answered in their name, and nobody else's."""
    require(membership, Permission.ANNOTATE)
    mine = Annotator.objects.filter(user=membership.user_id, campaign__workspace=membership.workspace_id)
    return mine.select_related("campaign")


def annotations_for(membership: Membership) -> QuerySet[Annotation]:
    """For administrators every annotation of the workspace; for annotators their own; none for others."""
    annotations = Annotation.objects.filter(campaign__workspace=membership.workspace_id)
    if can(membership, Permission.ADMINISTER):
        return annotations
    return annotations.filter(annotator__user=membership.user_id)


def agents_for(membership: Membership) -> QuerySet[Agent]:
    """Every agent of the workspace, also those without a key in force."""
    return Agent.objects.filter(workspace=membership.workspace_id)


def agent_keys_for(membership: Membership) -> QuerySet[AgentKey]:
    """Every agent key of the workspace, revoked ones too, with its agent."""
    return AgentKey.objects.filter(workspace=membership.workspace_id).select_related("agent")


def memberships_of(user: AbstractBaseUser) -> QuerySet[Membership]:
    """The person's own memberships in all workspaces, the oldest first."""
    return Membership.objects.filter(user_id=user.pk).select_related("workspace").order_by("created_at")


def memberships_in_order(user: AbstractBaseUser) -> list[Membership]:
    """The rows of `memberships_of`: every page lists them."""
    rows = pipeline.execute(memberships.select_all(), (user.pk,)).fetchall()
    found = []
    for values in map(iter, rows):
        membership = pipeline.taken_from(values, Membership)
        membership.workspace = pipeline.taken_from(values, Workspace)
        found.append(membership)
    return found


def members_for(principal: Principal) -> QuerySet[Membership]:
    """Everybody in the workspace, with their accounts. Raises `ForbiddenError` for a key that chooses no annotators."""
    if isinstance(principal, AgentKey):
        require_curator(principal)
    return Membership.objects.filter(workspace=principal.workspace_id).select_related("user")


def invitations_for(membership: Membership) -> QuerySet[Invitation]:
    """Every invitation to the workspace, ended ones too."""
    return Invitation.objects.filter(workspace=membership.workspace_id).select_related("created_by")


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
    """The version in force. Raises `GuardProfile.DoesNotExist` for a workspace that `members.create` did not make."""
    return GuardProfile.objects.filter(workspace=workspace).latest("version")


def undecided(queries: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of these pairs, the hash of a key and the id of an action, whose key may see the action and it is open."""
    keys, ids = [key for key, _ in queries], [action for _, action in queries]
    return set(pipeline.execute(actions.SELECT_UNDECIDED, (keys, ids, list(OPEN))).fetchall())


def readers_of(action_id: UUID) -> list[str]:
    """The hashes of the keys that may see this action now."""
    return [key_hash for (key_hash,) in pipeline.execute(actions.SELECT_READERS, (action_id,)).fetchall()]
