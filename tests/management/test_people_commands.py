"""How an installation gets its first workspace and its first people."""

from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client

from reviews import access
from reviews.models import AuditEvent, Invitation, Membership, Workspace
from tests.cast import PASSWORD, Cast, cast

__all__ = ["cast"]


def output_of(*command: str) -> list[str]:
    """What a command prints, line by line."""
    out = StringIO()
    call_command(*command, stdout=out)
    return out.getvalue().splitlines()


def check_refused(*command: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command(*command)


@pytest.mark.django_db
def test_an_empty_installation_gets_a_workspace_and_an_administrator_who_signs_in(settings: Any) -> None:
    output_of("create_workspace", "acme", "--name", "Acme Inc.")
    link = output_of("create_member", "acme", "Ada@Example.org", "--role", "admin")[-1]
    assert link.startswith(f"{settings.GUARD.public_url}/invitations/")
    passwords = {"new_password1": PASSWORD, "new_password2": PASSWORD}
    browser = Client()
    response = browser.post(link.removeprefix(settings.GUARD.public_url), passwords, follow=True)
    assert response.redirect_chain[-1][0] == "/queue"
    member = Membership.objects.get(user__username="ada@example.org")
    assert (member.workspace.name, member.role) == ("Acme Inc.", "admin")
    assert access.current_profile(member.workspace).version == 1


def test_a_workspace_that_is_there_is_left_as_it_is(cast: Cast) -> None:
    assert "nothing was changed" in output_of("create_workspace", "acme")[-1]
    check_refused("create_workspace", "acme", "--name", "Other", message="called “Acme”")
    assert Workspace.objects.get(slug="acme").name == "Acme"


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["no spaces", "a/b", "s" * 51])
def test_a_slug_that_does_not_fit_is_refused(slug: str) -> None:
    check_refused("create_workspace", slug, message="slug has")


def test_a_second_invitation_ends_the_first(cast: Cast) -> None:
    for role in ("reviewer", "admin"):
        output_of("create_member", "acme", "new@example.org", "--role", role)
    first, second = Invitation.objects.order_by("created_at")
    assert first.withdrawn_at
    assert (second.withdrawn_at, second.role) == (None, "admin")


def test_a_member_is_not_invited_again(cast: Cast) -> None:
    cast.reviewer.user.email = "rita@example.org"
    cast.reviewer.user.save()
    check_refused("create_member", "acme", "RITA@example.org", "--role", "admin", message="is a member")


@pytest.mark.parametrize("email", ["rita", "r" * 150 + "@example.org"])
def test_what_is_no_address_is_refused(cast: Cast, email: str) -> None:
    check_refused("create_member", "acme", email, "--role", "admin", message="address")


@pytest.mark.parametrize("command", ["create_member", "verify_audit", "create_agent_key"])
def test_a_workspace_that_is_not_there_is_named(cast: Cast, command: str) -> None:
    more = {"create_member": ("a@b.org", "--role", "admin"), "create_agent_key": ("bot",)}.get(command, ())
    check_refused(command, "nowhere", *more, message="no workspace “nowhere”")


def test_every_chain_is_verified_and_a_broken_one_fails(cast: Cast) -> None:
    for slug in ("acme", "elsewhere"):
        output_of("create_member", slug, "new@example.org", "--role", "admin")
    assert output_of("verify_audit") == [
        f"{slug}: 1 events, each fits the one before." for slug in ("acme", "elsewhere")
    ]
    AuditEvent.objects.filter(workspace=cast.workspace).update(subject="forged")
    check_refused("verify_audit", message="acme: event 1 is missing or was changed")
    assert output_of("verify_audit", "elsewhere")


def test_who_has_lost_the_second_factor_gets_back_in_and_it_is_audited(cast: Cast) -> None:
    Authenticator.objects.create(user=cast.reviewer.user, type="totp", data={})
    for sentence in ("signs in with the password alone", "nothing was changed"):
        assert sentence in output_of("remove_second_factor", "rita")[0]
    assert not Authenticator.objects.exists()
    assert AuditEvent.objects.get(workspace=cast.workspace).verb == "member.second_factor_removed"


@pytest.mark.django_db
def test_an_account_that_is_not_there_is_named() -> None:
    check_refused("remove_second_factor", "nobody", message="no account “nobody”")
