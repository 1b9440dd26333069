"""Single sign-on through SAML: the identity provider signs its answers with a key of its own."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client

from guardapp.accounts import _saml_settings
from guardapp.config import SingleSignOn
from reviews.models import Membership, Role
from reviews.workspaces import invitations
from tests.cast import Cast
from tests.desk.accounts.identity_provider import ENTITY, SIGN_ON, IdentityProvider
from tests.desk.desk import check_page

AT: str = "/single-sign-on/saml/corp"
NEW = "new@example.org"


@pytest.fixture
def stranger() -> Client:
    """A browser without an account; unlike Django's test client, it names the site that it asks."""
    return Client(headers={"host": "testserver"})


@pytest.fixture
def provider(settings: Any) -> IdentityProvider:
    """The site is configured with a provider whose addresses are its own people's."""
    there = IdentityProvider(NEW)
    of_provider = {"entity_id": ENTITY, "sso_url": SIGN_ON, "x509cert": there.certificate}
    configured = SingleSignOn(id="corp", name="Corp", settings={"idp": of_provider, "verified_email": True})
    settings.SOCIALACCOUNT_PROVIDERS = {"saml": {"APPS": [_saml_settings(configured)]}}
    settings.SINGLE_SIGN_ON = [{"kind": "saml", "id": "corp", "name": "Corp"}]
    return there


def signed_in_by(provider: IdentityProvider, browser: Client, **options: bool) -> Any:
    """What the browser gets when the provider has sent it back."""
    location = browser.get(f"{AT}/login/")["Location"]
    assert location.startswith(SIGN_ON)
    return browser.post(f"{AT}/acs/", provider.answer(location, **options), follow=True)


def test_the_sign_in_page_offers_it(provider: IdentityProvider, db: None, stranger: Client) -> None:
    check_page(stranger.get("/sign-in"), "Go on with Corp", f'href="{AT}/login/?next=')


def test_the_provider_can_read_where_to_answer(provider: IdentityProvider, db: None, stranger: Client) -> None:
    check_page(stranger.get(f"{AT}/metadata/"), f"http://testserver{AT}/acs/")


def test_nobody_gets_in_without_an_invitation(provider: IdentityProvider, cast: Cast, stranger: Client) -> None:
    check_page(signed_in_by(provider, stranger), "You need an invitation")
    assert not User.objects.filter(email=NEW).exists()


def test_an_invited_person_joins_without_a_password(provider: IdentityProvider, cast: Cast, stranger: Client) -> None:
    link = f"/invitations/{invitations.invite_person(membership=cast.admin, email=NEW, role=Role.REVIEWER).token}"
    stranger.get(link)
    signed_in_by(provider, stranger)
    stranger.post(link)
    member = Membership.objects.get(user__username=NEW)
    assert (member.role, member.user.has_usable_password()) == (Role.REVIEWER, False)


def test_an_account_of_the_address_is_signed_in(provider: IdentityProvider, cast: Cast, stranger: Client) -> None:
    User.objects.filter(pk=cast.reviewer.user_id).update(email=NEW)
    assert signed_in_by(provider, stranger).redirect_chain[-1][0] == "/queue"
    assert SocialAccount.objects.get().user == cast.reviewer.user


def stale(provider: IdentityProvider) -> None:
    provider.age = timedelta(minutes=30)


def for_another_site(provider: IdentityProvider) -> None:
    provider.audience = "https://elsewhere.example.org"


def of_another_key(provider: IdentityProvider) -> None:
    provider.__dict__.update(vars(IdentityProvider(NEW)))


@pytest.mark.parametrize("spoil", [stale, for_another_site, of_another_key])
def test_an_answer_that_is_not_meant_for_now_and_here_signs_nobody_in(
    provider: IdentityProvider, cast: Cast, stranger: Client, spoil: Callable[[IdentityProvider], None]
) -> None:
    User.objects.filter(pk=cast.reviewer.user_id).update(email=NEW)
    spoil(provider)
    signed_in_by(provider, stranger)
    assert "_auth_user_id" not in stranger.session


def test_an_answer_that_nobody_signed_signs_nobody_in(provider: IdentityProvider, cast: Cast, stranger: Client) -> None:
    User.objects.filter(pk=cast.reviewer.user_id).update(email=NEW)
    check_page(signed_in_by(provider, stranger, signed=False), "The provider did not sign you in", status=401)
    assert "_auth_user_id" not in stranger.session


def test_an_answer_that_was_used_is_worth_nothing(provider: IdentityProvider, cast: Cast, stranger: Client) -> None:
    User.objects.filter(pk=cast.reviewer.user_id).update(email=NEW)
    form = provider.answer(stranger.get(f"{AT}/login/")["Location"])
    stranger.post(f"{AT}/acs/", form, follow=True)
    thief = Client(headers={"host": "testserver"})
    thief.post(f"{AT}/acs/", form, follow=True)
    assert "_auth_user_id" not in thief.session


def test_a_provider_whose_description_cannot_be_fetched_is_told(
    provider: IdentityProvider, settings: Any, db: None, stranger: Client
) -> None:
    app = settings.SOCIALACCOUNT_PROVIDERS["saml"]["APPS"][0]
    # Nobody listens there.
    app["settings"]["idp"] = {"entity_id": ENTITY, "metadata_url": "http://127.0.0.1:1/metadata"}
    check_page(stranger.get(f"{AT}/login/"), "The provider did not sign you in", status=502)
