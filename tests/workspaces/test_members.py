import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import ProtectedError
from django.utils import timezone

from reviews.errors import ForbiddenError, LastAdminError
from reviews.models import AuditEvent, Membership, Role
from reviews.workspaces import agent_keys, members
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


def another_admin(cast: Cast) -> Membership:
    """The reviewer, who has become an administrator."""
    members.change_role(member=cast.reviewer, role=Role.ADMIN, membership=cast.admin)
    return Membership.objects.select_related("workspace", "user").get(pk=cast.reviewer.pk)


def both_keys(issuer: Membership) -> tuple[str, str]:
    """The secrets of a key for an agent and of one that manages datasets in its issuer's name."""
    service = agent_keys.issue_key(membership=issuer, name="night")
    return service.secret, agent_keys.issue_key(membership=issuer, name="study", manages_ground_truth=True).secret


def opens(*secrets: str) -> list[bool]:
    agent_keys.forget_keys()
    return [agent_keys.find_key(secret) is not None for secret in secrets]


def test_a_personal_key_ends_with_the_membership_and_an_agents_key_stays(cast: Cast) -> None:
    issuer = another_admin(cast)
    secrets = both_keys(issuer)
    assert opens(*secrets) == [True, True]
    members.remove_member(member=issuer, membership=cast.admin)
    assert opens(*secrets) == [True, False]
    event = AuditEvent.objects.get(verb="agent_key.revoked")
    assert (event.actor, event.subject, event.details) == ("ada", "study", {"issued_by": "rita"})
    # Whoever comes back issues another one.
    members.admit_member(workspace=cast.workspace, user=issuer.user, role=Role.ADMIN)
    assert opens(*secrets) == [True, False]


def test_a_personal_key_ends_with_the_role_that_it_needs(cast: Cast) -> None:
    issuer = another_admin(cast)
    secrets = both_keys(issuer)
    members.change_role(member=issuer, role=Role.ANNOTATOR, membership=cast.admin)
    assert opens(*secrets) == [True, False]


def test_a_personal_key_opens_nothing_while_its_issuers_account_is_deactivated(cast: Cast) -> None:
    issuer = another_admin(cast)
    secrets = both_keys(issuer)
    User.objects.filter(pk=issuer.user_id).update(is_active=False)
    assert opens(*secrets) == [True, False]


def test_an_account_that_issued_a_key_cannot_be_deleted_whose_key_would_then_act_for_nobody(cast: Cast) -> None:
    issuer = another_admin(cast)
    both_keys(issuer)
    with pytest.raises(ProtectedError):
        issuer.user.delete()


def test_a_key_of_the_installation_and_of_the_sandbox_go_on_with_nobodys_membership(cast: Cast) -> None:
    issuer = another_admin(cast)
    operator = agent_keys.create_key(cast.workspace, name="import", manages_ground_truth=True).secret
    tests = agent_keys.issue_key(membership=issuer, name="ci", manages_ground_truth=True, is_test=True).secret
    assert opens(operator, tests) == [True, True]
    members.remove_member(member=issuer, membership=cast.admin)
    assert opens(operator, tests) == [True, False]


def test_a_leaver_is_seen_out_with_all_their_keys_where_that_is_asked_for(cast: Cast) -> None:
    issuer = another_admin(cast)
    secrets = both_keys(issuer)
    elsewhere = members.admit_member(workspace=cast.outsider.workspace, user=issuer.user, role=Role.ADMIN)
    other = agent_keys.issue_key(membership=elsewhere, name="elsewhere").secret
    members.remove_member(member=issuer, membership=cast.admin, revokes_keys=True)
    assert opens(*secrets, other, cast.agent_secret) == [False, False, True, True]
    revoked = AuditEvent.objects.filter(verb="agent_key.revoked").values_list("subject", flat=True)
    assert sorted(revoked) == ["night", "study"]


def test_only_an_administrator_revokes_what_another_issued(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        agent_keys.revoke_issued_keys(issuer=cast.admin.user, membership=cast.reviewer)
    assert opens(cast.agent_secret) == [True]
