"""Single sign-on through a provider that answers as a real one does; only the network to it is scripted."""

import json
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client
from requests import Response, Session
from requests.exceptions import Timeout

from guardapp.accounts import _openid_connect
from guardapp.config import SingleSignOn
from reviews.models import Membership, Role
from reviews.workspaces import invitations
from tests.cast import Cast
from tests.desk.accounts.test_second_factor import with_app
from tests.desk.desk import check_page

PROVIDER = SingleSignOn(id="corp", name="Corp", client_id="us", settings={"server_url": "https://id.example.org"})
LOGIN = "/single-sign-on/oidc/corp/login/"
NEW = "new@example.org"


class Provider:
    """What the provider says of whoever comes."""

    def __init__(self) -> None:
        self.person: dict[str, Any] = {"sub": "17", "email": NEW, "email_verified": True}

    def answer(self, method: str, url: str, **_: Any) -> Response:
        answers: dict[str, dict[str, Any]] = {
            "/.well-known/openid-configuration": {
                "authorization_endpoint": "https://id.example.org/authorize",
                "token_endpoint": "https://id.example.org/token",
                "userinfo_endpoint": "https://id.example.org/userinfo",
                "issuer": "https://id.example.org",
            },
            "/token": {"access_token": "t", "token_type": "Bearer"},
            "/userinfo": self.person,
        }
        response = Response()
        response.status_code = HTTPStatus.OK
        response._content = json.dumps(answers[urlsplit(url).path]).encode()
        response.headers["Content-Type"] = "application/json"
        return response


@pytest.fixture
def provider(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Provider:
    """The site is configured with a provider."""
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [_openid_connect(PROVIDER)]}}
    settings.SINGLE_SIGN_ON = [{"kind": "openid_connect", "id": "corp", "name": "Corp"}]
    scripted = Provider()
    monkeypatch.setattr(Session, "request", scripted.answer)
    return scripted


def signed_in_by(browser: Client) -> Any:
    """What the browser gets when the provider has sent it back."""
    there = urlsplit(browser.get(LOGIN)["Location"])
    assert there.netloc == "id.example.org"
    state = parse_qs(there.query)["state"][0]
    return browser.get(f"{LOGIN}callback/", {"code": "c", "state": state}, follow=True)


def test_the_sign_in_page_offers_the_provider(provider: Provider, db: None, stranger: Client) -> None:
    check_page(stranger.get("/sign-in"), "Go on with Corp", f'href="{LOGIN}?next=')


def test_nobody_gets_in_without_an_invitation(provider: Provider, cast: Cast, stranger: Client) -> None:
    check_page(signed_in_by(stranger), "You need an invitation")
    assert not User.objects.filter(email=NEW).exists()


def test_an_invited_person_joins_without_a_password(provider: Provider, cast: Cast, stranger: Client) -> None:
    link = f"/invitations/{invitations.invite_person(membership=cast.admin, email=NEW, role=Role.ANNOTATOR).token}"
    check_page(stranger.get(link), "Go on with Corp")
    signed_in_by(stranger)
    check_page(stranger.get(link), "Join the workspace")
    stranger.post(link)
    member = Membership.objects.get(user__username=NEW)
    assert (member.role, member.user.has_usable_password()) == (Role.ANNOTATOR, False)


@pytest.mark.parametrize("person", [{"email": "other@example.org"}, {"email_verified": False}])
def test_the_invitation_of_another_address_opens_no_account(
    provider: Provider, cast: Cast, stranger: Client, person: dict[str, Any]
) -> None:
    provider.person |= person
    stranger.get(f"/invitations/{invitations.invite_person(membership=cast.admin, email=NEW, role=Role.ADMIN).token}")
    check_page(signed_in_by(stranger), "You need an invitation")
    assert not SocialAccount.objects.exists()


def test_an_account_of_the_verified_address_is_signed_in(provider: Provider, cast: Cast, stranger: Client) -> None:
    User.objects.filter(pk=cast.reviewer.user_id).update(email=NEW)
    assert signed_in_by(stranger).redirect_chain[-1][0] == "/queue"
    assert SocialAccount.objects.get().user == cast.reviewer.user


def test_an_account_of_an_address_that_is_not_verified_is_not(provider: Provider, cast: Cast, stranger: Client) -> None:
    User.objects.filter(pk=cast.reviewer.user_id).update(email=NEW)
    provider.person["email_verified"] = False
    check_page(signed_in_by(stranger), "You need an invitation")


def test_the_provider_does_not_replace_the_second_factor(provider: Provider, cast: Cast, stranger: Client) -> None:

    User.objects.filter(pk=cast.reviewer.user_id).update(email=NEW)
    with_app(cast.reviewer)
    assert signed_in_by(stranger).redirect_chain[-1][0] == "/sign-in/second-factor"


def test_a_provider_that_cannot_be_reached_is_told(
    provider: Provider, db: None, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Response:
        raise Timeout

    monkeypatch.setattr(Session, "request", fail)
    check_page(stranger.get(LOGIN), "The provider did not sign you in", status=HTTPStatus.BAD_GATEWAY)
