import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from reviews.errors import ForbiddenError, LastAdminError
from reviews.models import AuditEvent, Membership, Role
from reviews.workspaces import members
from tests.cast import Cast, make_cast


def last_event(cast: Cast) -> tuple[str, str, str, Any]:
    event = AuditEvent.objects.filter(workspace=cast.workspace).latest("sequence")
    return event.actor, event.verb, event.subject, event.details


def test_a_changed_role_is_audited(cast: Cast) -> None:
    members.change_role(member=cast.reviewer, role=Role.ANNOTATOR, membership=cast.admin)
    cast.reviewer.refresh_from_db()
    assert cast.reviewer.role == Role.ANNOTATOR
    assert last_event(cast) == ("ada", "member.role_changed", "rita", {"before": "reviewer", "after": "annotator"})


def test_the_role_one_has_changes_nothing(cast: Cast) -> None:
    members.change_role(member=cast.reviewer, role=Role.REVIEWER, membership=cast.admin)
    again = members.admit_member(workspace=cast.workspace, user=cast.reviewer.user, role=Role.REVIEWER)
    assert again == cast.reviewer
    assert not AuditEvent.objects.exists()


def test_a_removed_member_is_gone_and_the_account_stays(cast: Cast) -> None:
    for _ in range(2):
        members.remove_member(member=cast.reviewer, membership=cast.admin)
    assert not Membership.objects.filter(pk=cast.reviewer.pk).exists()
    assert cast.reviewer.user.is_active
    assert last_event(cast) == ("ada", "member.removed", "rita", {"role": "reviewer"})
    assert AuditEvent.objects.count() == 1


def test_the_last_administrator_is_neither_demoted_nor_removed(cast: Cast) -> None:
    with pytest.raises(LastAdminError):
        members.change_role(member=cast.admin, role=Role.REVIEWER, membership=cast.admin)
    with pytest.raises(LastAdminError):
        members.remove_member(member=cast.admin, membership=cast.admin)
    cast.admin.refresh_from_db()
    assert cast.admin.role == Role.ADMIN


def test_an_administrator_of_another_workspace_does_not_count_as_one_who_is_left(cast: Cast) -> None:
    members.admit_member(workspace=cast.outsider.workspace, user=cast.admin.user, role=Role.ADMIN)
    with pytest.raises(LastAdminError):
        members.remove_member(member=cast.admin, membership=cast.admin)


def test_only_an_administrator_changes_anything(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        members.change_role(member=cast.other_reviewer, role=Role.ADMIN, membership=cast.reviewer)
    with pytest.raises(ForbiddenError):
        members.remove_member(member=cast.other_reviewer, membership=cast.reviewer)
    with pytest.raises(ForbiddenError):
        members.require_second_factor(required=True, membership=cast.reviewer)


def test_whoever_was_demoted_meanwhile_changes_nothing_any_more(cast: Cast) -> None:
    Membership.objects.filter(pk=cast.admin.pk).update(role=Role.REVIEWER)
    with pytest.raises(ForbiddenError):
        members.remove_member(member=cast.reviewer, membership=cast.admin)


def test_a_second_factor_is_required_once(cast: Cast) -> None:
    for _ in range(2):
        members.require_second_factor(required=True, membership=cast.admin)
    cast.workspace.refresh_from_db()
    assert cast.workspace.requires_second_factor
    assert AuditEvent.objects.count() == 1


def test_when_somebody_was_seen_is_written_once_a_minute(cast: Cast) -> None:
    members.note_seen(cast.reviewer)
    cast.reviewer.refresh_from_db()
    first = cast.reviewer.last_seen_at
    members.note_seen(cast.reviewer)
    cast.reviewer.refresh_from_db()
    assert cast.reviewer.last_seen_at == first
    cast.reviewer.last_seen_at = timezone.now() - timedelta(minutes=2)
    cast.reviewer.save()
    members.note_seen(cast.reviewer)
    cast.reviewer.refresh_from_db()
    assert cast.reviewer.last_seen_at
    assert first
    assert cast.reviewer.last_seen_at > first


@pytest.mark.django_db(transaction=True)
def test_two_administrators_who_remove_each_other_at_once_leave_one() -> None:
    cast = make_cast()
    other = members.admit_member(workspace=cast.workspace, user=cast.reviewer.user, role=Role.ADMIN)
    together, refused = threading.Barrier(2), []

    def remove(who: Membership, by: Membership) -> None:
        together.wait()
        try:
            members.remove_member(member=who, membership=by)
        except (LastAdminError, ForbiddenError) as error:
            refused.append(error)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        for running in [threads.submit(remove, cast.admin, other), threads.submit(remove, other, cast.admin)]:
            running.result()
    assert Membership.objects.filter(workspace=cast.workspace, role=Role.ADMIN).count() == 1
    assert len(refused) == 1
