"""A workspace changes how it guards: always as a new version."""

from typing import Any

from django.db import transaction

from reviews import access, auditing
from reviews.errors import FieldProblem, InvalidProfileError
from reviews.models import GuardProfile, Membership, ToolPolicy
from reviews.models.base import uuid7
from reviews.provenance.detectors import DETECTORS

CHANGEABLE = frozenset(
    {
        "detectors", "judge", "model", "on_unknown", "trust_annotations",
        "tool_policies", "expires_in", "claim_seconds",
    }
)  # fmt: skip


@transaction.atomic
def new_version(*, membership: Membership, **changes: Any) -> GuardProfile:
    """Store the current profile with these changes as the next version.

    Raises `ForbiddenError` and `InvalidProfileError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    workspace = membership.workspace
    type(workspace).objects.select_for_update().get(pk=workspace.pk)
    profile = access.current_profile(workspace)
    _validate(changes)
    before = {name: getattr(profile, name) for name in changes}
    for name, value in changes.items():
        setattr(profile, name, value)
    profile.pk = uuid7()
    profile.version += 1
    profile.created_by = membership.user
    profile._state.adding = True
    profile.save(force_insert=True)
    auditing.record(
        workspace=workspace,
        verb="profile.changed",
        subject=f"version {profile.version}",
        by=membership,
        details={"before": before, "after": changes},
    )
    return profile


def _validate(changes: dict[str, Any]) -> None:
    problems = [FieldProblem(f"/{name}", "There is no such setting.") for name in changes if name not in CHANGEABLE]
    problems += [
        FieldProblem("/detectors", f"There is no detector “{name}”.")
        for name in changes.get("detectors", [])
        if name not in DETECTORS
    ]
    problems += [
        FieldProblem(f"/tool_policies/{tool}", f"“{policy}” is not a policy.")
        for tool, policy in changes.get("tool_policies", {}).items()
        if policy not in ToolPolicy.values
    ]
    if "detectors" in changes and not changes["detectors"]:
        problems.append(FieldProblem("/detectors", "At least one detector must be enforced."))
    if problems:
        raise InvalidProfileError(*problems)
