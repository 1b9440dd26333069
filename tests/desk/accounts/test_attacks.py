"""What somebody with a stolen link, a stolen password or a page of their own tries on the accounts."""

import re
from http import HTTPStatus
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from reviews.models import Invitation, Membership, Role
from reviews.workspaces import invitations, members
from tests.cast import PASSWORD, Cast
from tests.desk.accounts.test_joining import NEW, link_of, passwords
from tests.desk.accounts.test_second_factor import code, with_app
from tests.desk.desk import Desk, check_page
from tests.desk.test_sign_in import sign_in
from tests.test_access_matrix import addresses, things_of

ELSEWHERE = ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "https:evil.example"]


@pytest.mark.parametrize("there", ELSEWHERE)
def test_no_step_of_a_sign_in_leads_to_another_site(cast: Cast, stranger: Client, there: str) -> None:
    with_app(cast.reviewer)
    assert sign_in(stranger, "rita", next=there)["Location"] == "/sign-in/second-factor"
    assert stranger.post("/sign-in/second-factor", {"code": code(), "next": there})["Location"] == "/queue"
    for path, form in (("/account/confirm", {"password": PASSWORD}), ("/sign-out", {})):
        response = stranger.post(path, {**form, "next": there})
        assert "evil" not in response.get("Location", "")
        assert "javascript" not in response.get("Location", "")


def test_the_link_in_a_mail_leads_to_the_site_whatever_the_request_claims(
    cast: Cast, stranger: Client, settings: Any
) -> None:
    # As on an installation that answers to every name.
    settings.ALLOWED_HOSTS = ["*"]
    cast.reviewer.user.email = NEW
    cast.reviewer.user.save()
    claimed = {"host": "evil.example", "x-forwarded-host": "evil.example"}
    stranger.post("/password/reset", {"email": NEW}, headers=claimed)
    (message,) = mail.outbox
    assert "evil" not in str(message.message())
    assert re.findall(r"https?://[^/\s]+", str(message.body)) == [settings.GUARD.public_url]


def test_a_name_that_is_not_the_sites_is_refused(db: None, stranger: Client) -> None:
    assert stranger.get("/sign-in", headers={"host": "evil.example"}).status_code == HTTPStatus.BAD_REQUEST


def test_a_new_password_does_not_replace_the_second_factor(cast: Cast, stranger: Client) -> None:
    with_app(cast.reviewer)
    cast.reviewer.user.email = NEW
    cast.reviewer.user.save()
    stranger.post("/password/reset", {"email": NEW})
    (path,) = re.findall(r"/password/reset/\S+", str(mail.outbox[0].body))
    form = stranger.get(path, follow=True)
    assert form["Referrer-Policy"] == "same-origin"
    stranger.post(form.redirect_chain[-1][0], {"password1": "an-other-long-one", "password2": "an-other-long-one"})
    assert stranger.get("/queue")["Location"].startswith("/sign-in")
    assert sign_in(stranger, "rita", "an-other-long-one")["Location"] == "/sign-in/second-factor"


def test_a_new_password_ends_the_sessions_of_whoever_had_the_old_one(cast: Cast) -> None:
    thief = Client()
    sign_in(thief, "rita")
    cast.reviewer.user.set_password("an-other-long-one")
    cast.reviewer.user.save()
    assert thief.get("/queue")["Location"].startswith("/sign-in")


def test_a_used_invitation_lets_nobody_in_again(cast: Cast, stranger: Client) -> None:
    link = link_of(cast)
    stranger.post(link, passwords())
    Membership.objects.filter(user__username=NEW).delete()
    for browser in (stranger, Client()):
        check_page(browser.post(link, passwords()), "was used or withdrawn", status=HTTPStatus.CONFLICT)
    assert not Membership.objects.filter(user__username=NEW).exists()


def test_an_invitation_does_not_raise_a_role(cast: Cast) -> None:
    cast.reviewer.user.email = NEW
    cast.reviewer.user.save()
    invitation = Invitation.objects.create(
        workspace=cast.workspace, email=NEW, role=Role.ADMIN, token_hash="x" * 64, expires_at="2999-01-01T00:00:00Z"
    )
    assert invitations.accept_invitation(invitation, user=cast.reviewer.user).role == Role.REVIEWER


@pytest.mark.parametrize("action", ["role", "remove"])
def test_the_open_page_of_an_administrator_who_was_demoted_changes_nothing(cast: Cast, action: str) -> None:
    members.change_role(member=cast.reviewer, role=Role.ADMIN, membership=cast.admin)
    demoted = Desk.of(cast.reviewer)
    demoted.shows("/settings/members")
    members.change_role(member=cast.reviewer, role=Role.REVIEWER, membership=cast.admin)
    path = f"/settings/members/{cast.admin.pk}/{action}"
    demoted.sends(path, status=HTTPStatus.FORBIDDEN, role="annotator")
    assert Membership.objects.get(pk=cast.admin.pk).role == Role.ADMIN


def test_codes_cannot_be_guessed_through_another_door_either(cast: Cast) -> None:
    with_app(cast.reviewer)
    # Each browser begins anew, and some confirm instead of signing in: the count is the account's.
    for attempt in range(6):
        browser = Client()
        if attempt % 2:
            browser.force_login(cast.reviewer.user)
        else:
            sign_in(browser, "rita")
        browser.post("/account/confirm/code" if attempt % 2 else "/sign-in/second-factor", {"code": "000000"})
    last = Client()
    sign_in(last, "rita")
    check_page(last.post("/sign-in/second-factor", {"code": code()}), "Too many failed login attempts")


def test_a_code_that_signed_in_confirms_nothing_a_second_time(cast: Cast, stranger: Client) -> None:
    with_app(cast.reviewer)
    now = code()
    sign_in(stranger, "rita")
    assert stranger.post("/sign-in/second-factor", {"code": now})["Location"] == "/queue"
    check_page(stranger.post("/account/confirm/code", {"code": now, "next": "/account"}), "Incorrect code")


def test_no_form_is_taken_from_another_site(cast: Cast) -> None:
    """Every address that a signed-in administrator can send something to asks for the page's own token."""
    browser, things, taken = Client(enforce_csrf_checks=True), things_of(cast), []
    browser.force_login(cast.admin.user)
    for address in addresses():
        # The API asks for an agent's key, which a browser does not have; a SAML provider sends a signed form.
        if address.name.startswith("api:") or address.name in ("saml_acs", "saml_sls"):
            continue
        path = reverse(address.name, kwargs={name: things[name] for name in address.parameters})
        response = browser.post(path, {"role": "annotator"}, headers={"origin": "https://evil.example"})
        if response.status_code not in (HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED):
            taken.append(f"{address.name}: {response.status_code}")
    assert taken == []
