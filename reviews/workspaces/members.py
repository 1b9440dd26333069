"""Open a workspace and let people in."""

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from reviews import audit
from reviews.models import GuardProfile, JudgeKind, Membership, OnUnknown, Role, Workspace

# The one that works without a language model.
DEFAULT_DETECTORS = ("provenance-guard",)


@transaction.atomic
def create(
    *, name: str, slug: str, judge: JudgeKind = JudgeKind.RULES, on_unknown: OnUnknown = OnUnknown.REVIEW
) -> Workspace:
    """A workspace with the first version of its guard profile."""
    workspace = Workspace.objects.create(name=name, slug=slug)
    # In the same transaction: without a profile no submission of the workspace could be checked.
    GuardProfile.objects.create(
        workspace=workspace, version=1, detectors=list(DEFAULT_DETECTORS), judge=judge, on_unknown=on_unknown
    )
    audit.record(workspace=workspace, verb="workspace.created", subject=slug)
    return workspace


@transaction.atomic
def admit(*, workspace: Workspace, user: AbstractBaseUser, role: Role) -> Membership:
    """Give a person a role, or another role than before. Returns the membership."""
    membership, _ = Membership.objects.update_or_create(workspace=workspace, user_id=user.pk, defaults={"role": role})
    audit.record(workspace=workspace, verb="member.admitted", subject=user.get_username(), details={"role": str(role)})
    return membership
