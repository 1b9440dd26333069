"""A workspace changes how it guards: always as a new version."""

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
    """Store the current profile with these changes as the next version.

    `based_on` is the version they were made to, if they must not follow on another one.
    Raises `ForbiddenError` and `InvalidProfileError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    return store(membership.workspace, changes, by=membership, based_on=based_on)


@transaction.atomic
def store(
    workspace: Workspace, changes: Mapping[str, Any], *, by: Membership | None, based_on: int | None = None
) -> GuardProfile:
    """What `new_version` does, for whoever was found to be allowed to; None is the installation's operator.

    Raises `InvalidProfileError`.
    """
    type(workspace).objects.select_for_update().get(pk=workspace.pk)
    current = access.current_profile(workspace)
    if based_on not in (None, current.version):
        raise InvalidProfileError(FieldProblem("", f"Version {current.version} was saved meanwhile."))
    draft = validated(current, **changes)
    draft.created_by = by.user if by else None
    draft.save(force_insert=True)
    audit.record(
        workspace=workspace,
        verb="profile.changed",
        subject=f"version {draft.version}",
        by=by,
        details={
            "before": {name: _plain(getattr(current, name)) for name in changes},
            "after": {name: _plain(value) for name, value in changes.items()},
        },
    )
    return draft


def validated(profile: GuardProfile, /, **changes: Any) -> GuardProfile:
    """The version that would follow this one with these changes, unsaved. `profile` stays as it is.

    Raises `InvalidProfileError`.
    """
    if wrong := list(unknown_settings(changes)):
        raise InvalidProfileError(*wrong)
    draft = copy.copy(profile)
    for name, value in changes.items():
        setattr(draft, name, value)
    if wrong := list(problems_of(draft, changes)):
        raise InvalidProfileError(*wrong)
    draft.pk, draft.version = uuid7(), profile.version + 1
    draft._state.adding = True
    return draft


def _plain(value: Any) -> Any:
    """As the audit keeps it: JSON has no decimals."""
    return str(value) if isinstance(value, Decimal) else value
