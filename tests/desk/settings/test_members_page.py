import re
from http import HTTPStatus
from smtplib import SMTPServerDisconnected
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pydantic import SecretStr

from reviews.desk.settings import members as members_page
from reviews.models import AgentKey, Invitation, Membership, Role
from reviews.workspaces import agent_keys, invitations, members
from tests.cast import Cast
from tests.desk.desk import Desk

NEW = "new@example.org"


@pytest.fixture
def mail_server(settings: Any) -> None:
    """The site has a mail server; what it is sent is kept in `mail.outbox`."""
    settings.GUARD = settings.GUARD.model_copy(update={"smtp_url": SecretStr("smtp://mail.example.org")})


def invite(desk: Desk, *texts: str, **form: Any) -> str:
    return desk.sends(
        "/settings/members/invite", *texts, **{"email": NEW, "role": "reviewer", "row_id": uuid4(), **form}
    )


def test_members_are_listed_with_role_and_when_they_were_seen(cast: Cast, admin_desk: Desk) -> None:
    members.note_seen(cast.reviewer)
    body = admin_desk.shows("/settings/members", "rita", "anna", "never")
    assert "oscar" not in body


def test_everybody_is_on_some_page(admin_desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members_page, "SHOWN_AT_ONCE", 2)
    for number in range(3):
        invite(admin_desk, email=f"person-{number}@example.org")
    pages = [admin_desk.shows(f"/settings/members?page={page}&invited={page}", f"Page {page} of 2") for page in (1, 2)]
    for listed in ("Role of ada", "Role of anna", "Role of rita", *(f"person-{number}@" for number in range(3))):
        assert [listed in body for body in pages].count(True) == 1
    assert 'href="/settings/members?page=2"' in pages[0]
    assert 'href="/settings/members?invited=1"' in pages[1]


def test_an_invited_person_gets_in_by_the_link_that_the_page_shows_once(
    admin_desk: Desk, stranger: Client, settings: Any
) -> None:
    body = invite(admin_desk, "The invitation of new@example.org.", "No mail was sent")
    found = re.search(r'id="invitation-link">([^<]+)<', body)
    assert found
    assert found[1].startswith(f"{settings.GUARD.public_url}/invitations/")
    assert stranger.get(found[1].removeprefix(settings.GUARD.public_url)).status_code == HTTPStatus.OK
    admin_desk.lacks("/settings/members", found[1])
    assert mail.outbox == []


def test_a_reload_of_the_page_that_shows_an_invitation_neither_makes_nor_mails_another(
    mail_server: None, admin_desk: Desk
) -> None:
    row_id = uuid4()
    invite(admin_desk, 'id="invitation-link"', row_id=row_id)
    assert 'id="invitation-link"' not in invite(admin_desk, "This invitation was made already.", row_id=row_id)
    assert len(mail.outbox) == 1
    assert Invitation.objects.get().withdrawn_at is None


def test_with_a_mail_server_the_link_is_sent(mail_server: None, admin_desk: Desk) -> None:
    body = invite(admin_desk, "It was sent by mail, too.")
    (message,) = mail.outbox
    assert message.to == [NEW]
    assert re.findall(r"/invitations/[\w-]+", str(message.body)) == re.findall(r"/invitations/[\w-]{40,}", body)


def test_a_mail_server_that_fails_leaves_the_link_on_the_page(
    mail_server: None, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise SMTPServerDisconnected

    monkeypatch.setattr("reviews.desk.settings.members.send_mail", fail)
    invite(admin_desk, "No mail was sent", 'id="invitation-link"')


def test_who_is_a_member_already_is_told(cast: Cast, admin_desk: Desk) -> None:
    cast.reviewer.user.email = NEW
    cast.reviewer.user.save()
    invite(admin_desk, "is a member of Acme already", status=HTTPStatus.CONFLICT)


@pytest.mark.parametrize("form", [{"email": ""}, {"email": "nobody"}, {"email": "n" * 151 + "@b.org"}, {"role": "god"}])
def test_an_invitation_that_cannot_be_is_refused(admin_desk: Desk, form: dict[str, str]) -> None:
    invite(admin_desk, "field__error", status=HTTPStatus.UNPROCESSABLE_ENTITY, **form)
    assert not Invitation.objects.exists()


def test_an_open_invitation_is_listed_and_withdrawn(cast: Cast, admin_desk: Desk) -> None:
    invitation = invitations.invite_person(membership=cast.admin, email=NEW, role=Role.REVIEWER).invitation
    admin_desk.shows("/settings/members", NEW)
    admin_desk.sends(f"/settings/invitations/{invitation.pk}/withdraw", "no longer works")
    admin_desk.lacks("/settings/members", NEW)


def test_a_role_is_changed(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.sends(f"/settings/members/{cast.reviewer.pk}/role", "rita is Annotator now.", role="annotator")


def test_a_role_that_is_none_is_refused(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.sends(f"/settings/members/{cast.reviewer.pk}/role", status=HTTPStatus.NOT_FOUND, role="god")


def test_a_removed_member_is_refused_at_once(cast: Cast, desk: Desk, admin_desk: Desk) -> None:
    desk.shows("/queue")
    admin_desk.sends(f"/settings/members/{cast.reviewer.pk}/remove", "rita is no longer a member.")
    desk.shows("/queue", "not a member of any workspace", status=HTTPStatus.FORBIDDEN)


@pytest.mark.parametrize("path", ["remove", "role"])
def test_the_last_administrator_is_told_why_they_stay(cast: Cast, admin_desk: Desk, path: str) -> None:
    path = f"/settings/members/{cast.admin.pk}/{path}"
    messages = ("This is the last administrator.", "Nothing was changed.")
    admin_desk.sends(path, *messages, status=HTTPStatus.CONFLICT, role="reviewer")
    assert Membership.objects.get(pk=cast.admin.pk).role == Role.ADMIN


def test_an_administrator_who_steps_back_is_led_to_the_queue(cast: Cast, admin_desk: Desk) -> None:
    members.change_role(member=cast.reviewer, role=Role.ADMIN, membership=cast.admin)
    admin_desk.sends(
        f"/settings/members/{cast.admin.pk}/role", "ada is Reviewer now.", 'id="queue-list"', role="reviewer"
    )


def test_a_second_factor_is_required_of_whoever_switched_it_on_too(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.sends("/settings/members/second-factor", "requires a second factor", required="yes")
    cast.workspace.refresh_from_db()
    assert cast.workspace.requires_second_factor


def leaving_admin(cast: Cast) -> Membership:
    """An administrator with a key for an agent and one of their own."""
    members.change_role(member=cast.reviewer, role=Role.ADMIN, membership=cast.admin)
    leaver = Membership.objects.select_related("workspace", "user").get(pk=cast.reviewer.pk)
    agent_keys.issue_key(membership=leaver, name="night")
    agent_keys.issue_key(membership=leaver, name="study", manages_ground_truth=True)
    return leaver


def test_whoever_removes_a_member_is_told_of_their_keys_and_revokes_what_stays_in_one_click(
    cast: Cast, admin_desk: Desk
) -> None:
    leaver = leaving_admin(cast)
    admin_desk.shows("/settings/members", "They issued 2 keys", "it ends with the membership", "it stays in force")
    admin_desk.lacks("/settings", "no active member any more")
    admin_desk.sends(f"/settings/members/{leaver.pk}/remove", "Keys that they issued stay in force: night.")
    revoke = f"/settings/keys/issued-by/{leaver.user_id}/revoke"
    admin_desk.shows("/settings", "rita is no active member any more", "issued by rita, who left", revoke)
    admin_desk.sends(revoke, "1 key of rita revoked.")
    admin_desk.lacks("/settings", "no active member any more", revoke)
    admin_desk.sends("/settings/keys/issued-by/999999/revoke", status=HTTPStatus.NOT_FOUND)


def test_the_keys_of_a_removed_member_go_with_them_where_that_is_ticked(cast: Cast, admin_desk: Desk) -> None:
    leaver = leaving_admin(cast)
    admin_desk.sends(f"/settings/members/{leaver.pk}/remove", "rita is no longer a member.", keys="revoke")
    admin_desk.lacks("/settings", "no active member any more")
    assert not AgentKey.objects.filter(created_by=leaver.user_id, revoked_at=None).exists()


def test_a_key_that_ended_with_an_account_is_told_as_such(cast: Cast, admin_desk: Desk) -> None:
    leaver = leaving_admin(cast)
    User.objects.filter(pk=leaver.user_id).update(is_active=False)
    admin_desk.shows("/settings", "ended: rita does not administer this workspace", "rita is no active member any more")
