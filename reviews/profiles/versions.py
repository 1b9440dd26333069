"""Change how a workspace guards. Every change is stored as a new version of its profile."""

import copy
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.db import transaction

from reviews import access, audit
from reviews.errors import FieldProblem, InvalidProfileError
from reviews.models import GuardProfile, Membership, Workspace
from reviews.models.base import uuid7
from reviews.profiles.validation import problems_of, unknown_settings


def new_version(*, membership: Membership, based_on: int | None = None, **changes: Any) -> GuardProfile:
    """Store the current profile with these changes as the next version, and return it.

    Where they change nothing, the current one stays and is returned.
    `based_on` is the version they were made to, if they must not follow on another one.
    Raises `ForbiddenError` and `InvalidProfileError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    return store_version(membership.workspace, changes, by=membership, based_on=based_on)


@transaction.atomic
def store_version(
    workspace: Workspace, changes: Mapping[str, Any], *, by: Membership | None, based_on: int | None = None
) -> GuardProfile:
    """As `new_version`, without a look at rights. `by` is None for the installation's operator.

    Raises `InvalidProfileError`.
    """
    # Locked: two administrators who save at once would both make the same next version, and one change would be lost.
    type(workspace).objects.select_for_update().get(pk=workspace.pk)
    current = access.current_profile(workspace)
    if based_on not in (None, current.version):
        raise InvalidProfileError(FieldProblem("", f"Version {current.version} was saved meanwhile."))
    draft = validate_profile(current, **changes)
    if all(getattr(current, name) == value for name, value in changes.items()):
        # A version without a change would only make the history harder to read.
        return current
    draft.created_by = by.user if by else None
    draft.save(force_insert=True)
    audit.record(
        workspace=workspace,
        verb="profile.changed",
        subject=f"version {draft.version}",
        by=by,
        details={
            "before": _json_values({name: getattr(current, name) for name in changes}),
            "after": _json_values(changes),
        },
    )
    return draft


def validate_profile(profile: GuardProfile, /, **changes: Any) -> GuardProfile:
    """The version that would follow this one with these changes, unsaved. `profile` stays as it is.

    Raises `InvalidProfileError`.
    """
    if problems := list(unknown_settings(changes)):
        raise InvalidProfileError(*problems)
    # A shallow copy is enough: settings are replaced, never changed in place.
    draft = copy.copy(profile)
    for name, value in changes.items():
        setattr(draft, name, value)
    if problems := list(problems_of(draft, changes)):
        raise InvalidProfileError(*problems)
    draft.pk, draft.version = uuid7(), profile.version + 1
    # Otherwise Django would take the draft for the row it was copied from and update that.
    draft._state.adding = True
    return draft


def untried_detectors(current: GuardProfile, draft: GuardProfile) -> list[str]:
    """Detectors that the draft enforces and that do not even run in shadow now."""
    return [name for name in draft.detectors if name not in {*current.detectors, *current.shadow}]


def try_in_shadow(*, membership: Membership, draft: GuardProfile, based_on: int) -> GuardProfile:
    """Have the detectors that the draft enforces anew run in shadow first, and change nothing else.

    With their thresholds in the draft, so that what they say is what they would decide by.
    Raises `ForbiddenError` and `InvalidProfileError`.
    """
    current = access.current_profile(membership.workspace)
    untried = untried_detectors(current, draft)
    if not untried:
        raise InvalidProfileError(FieldProblem("/shadow", "Every detector of the draft runs already."))
    thresholds = {name: draft.thresholds[name] for name in untried if name in draft.thresholds}
    return new_version(
        membership=membership,
        based_on=based_on,
        shadow=[*current.shadow, *untried],
        thresholds=current.thresholds | thresholds,
    )


def _json_values(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as JSON can hold them. A decimal becomes text: as a float it would no longer be the exact amount."""
    return {name: str(value) if isinstance(value, Decimal) else value for name, value in settings.items()}
