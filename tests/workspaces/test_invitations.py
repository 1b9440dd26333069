from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.utils import timezone

from reviews.errors import AlreadyMemberError, ForbiddenError, InvitationEndedError
from reviews.models import AuditEvent, Invitation, Membership, Role
from reviews.workspaces import invitations, members
from reviews.workspaces.invitations import Issued
from tests.cast import PASSWORD, Cast

NEW = "new@example.org"


def invited(cast: Cast, email: str = NEW, role: Role = Role.REVIEWER) -> Issued:
    return invitations.invite_person(membership=cast.admin, email=email, role=role)


def another_admin(member: Membership) -> Membership:
    return members.admit_member(workspace=member.workspace, user=User.objects.create_user("abel"), role=Role.ADMIN)


def check_ended(token: str) -> None:
    with pytest.raises(InvitationEndedError):
        invitations.find_invitation(token)


def test_an_invitation_lets_one_person_in_once(cast: Cast) -> None:
    issued = invited(cast)
    user = invitations.join_workspace(issued.invitation, password=PASSWORD)
    assert (user.username, user.email, user.check_password(PASSWORD)) == (NEW, NEW, True)
    assert Membership.objects.get(user=user).role == Role.REVIEWER
    check_ended(issued.token)
    with pytest.raises(InvitationEndedError):
        invitations.accept_invitation(issued.invitation, user=user)


def test_who_invited_and_who_joined_is_audited(cast: Cast) -> None:
    invitations.join_workspace(invited(cast).invitation, password=PASSWORD)
    events = AuditEvent.objects.order_by("sequence").values_list("actor", "verb", "subject")
    assert list(events) == [("ada", "member.invited", NEW), (NEW, "member.joined", NEW)]


def test_the_secret_is_not_stored(cast: Cast) -> None:
    issued = invited(cast)
    assert issued.token not in str(Invitation.objects.values().get())


def test_it_ends_after_a_week(cast: Cast) -> None:
    issued = invited(cast)
    with time_machine.travel(timezone.now() + invitations.LASTS):
        check_ended(issued.token)


def test_it_ends_when_it_is_withdrawn(cast: Cast) -> None:
    issued = invited(cast)
    for _ in range(2):
        invitations.withdraw_invitation(invitation=issued.invitation, membership=cast.admin)
    check_ended(issued.token)
    assert AuditEvent.objects.filter(verb="invitation.withdrawn").count() == 1


def leave(member: Membership) -> None:
    members.remove_member(member=member, membership=another_admin(member))


def lose_the_role(member: Membership) -> None:
    members.change_role(member=member, role=Role.REVIEWER, membership=another_admin(member))


def lose_the_account(member: Membership) -> None:
    User.objects.filter(pk=member.user_id).update(is_active=False)


@pytest.mark.parametrize("end", [leave, lose_the_role, lose_the_account])
def test_a_link_lets_nobody_in_whose_maker_administers_the_workspace_no_more(
    cast: Cast, end: Callable[[Membership], None]
) -> None:
    issued, another = invited(cast, role=Role.ADMIN), invited(cast, email="other@example.org")
    operators = invitations.create_invitation(cast.workspace, email="third@example.org", role=Role.ADMIN)
    end(cast.admin)
    check_ended(issued.token)
    with pytest.raises(InvitationEndedError):
        invitations.join_workspace(another.invitation, password=PASSWORD)
    assert invitations.find_invitation(operators.token) == operators.invitation


def test_another_invitation_of_the_same_person_ends_the_first(cast: Cast) -> None:
    first, second = invited(cast, NEW.upper()), invited(cast)
    check_ended(first.token)
    assert invitations.find_invitation(second.token) == second.invitation


@pytest.mark.parametrize("field", ["username", "email"])
def test_whoever_has_an_account_joins_with_it(cast: Cast, field: str) -> None:
    User.objects.filter(pk=cast.outsider.user_id).update(**{field: "Oscar@example.org"})
    issued = invited(cast, "oscar@example.org", Role.ANNOTATOR)
    account = invitations.account_of(issued.invitation)
    assert account == cast.outsider.user
    assert account
    assert invitations.accept_invitation(issued.invitation, user=account).role == Role.ANNOTATOR
    assert Membership.objects.filter(user=account).count() == 2


def test_an_account_of_another_address_does_not_join(cast: Cast) -> None:
    issued = invited(cast)
    with pytest.raises(ForbiddenError, match="is for new@example"):
        invitations.accept_invitation(issued.invitation, user=cast.outsider.user)
    assert invitations.find_invitation(issued.token)


def test_the_password_of_an_account_that_is_there_is_not_set(cast: Cast) -> None:
    issued = invited(cast)
    User.objects.create_user(NEW, NEW, "their-own-password")
    with pytest.raises(InvitationEndedError):
        invitations.join_workspace(issued.invitation, password=PASSWORD)
    assert User.objects.get(username=NEW).check_password("their-own-password")


def test_a_member_is_not_invited(cast: Cast) -> None:
    User.objects.filter(pk=cast.reviewer.user_id).update(email=NEW)
    with pytest.raises(AlreadyMemberError):
        invited(cast)


def test_somebody_who_became_a_member_meanwhile_keeps_their_role(cast: Cast) -> None:
    issued = invited(cast, role=Role.REVIEWER)
    User.objects.filter(pk=cast.admin.user_id).update(email=NEW)
    assert invitations.accept_invitation(issued.invitation, user=cast.admin.user).role == Role.ADMIN


@pytest.mark.parametrize("role", ["reviewer", "annotator"])
def test_only_an_administrator_invites_and_withdraws(cast: Cast, role: str) -> None:
    member: Any = getattr(cast, role)
    with pytest.raises(ForbiddenError):
        invitations.invite_person(membership=member, email=NEW, role=Role.ADMIN)
    with pytest.raises(ForbiddenError):
        invitations.withdraw_invitation(invitation=invited(cast).invitation, membership=member)
