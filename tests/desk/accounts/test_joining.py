from http import HTTPStatus

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reviews.models import Membership, Role
from reviews.workspaces import invitations
from tests.cast import PASSWORD, Cast
from tests.desk.desk import Desk, check_page

NEW = "new@example.org"


def link_of(cast: Cast, email: str = NEW) -> str:
    """The path of an invitation's link."""
    return f"/invitations/{invitations.invite_person(membership=cast.admin, email=email, role=Role.REVIEWER).token}"


def passwords(first: str = PASSWORD, second: str = PASSWORD) -> dict[str, str]:
    return {"new_password1": first, "new_password2": second}


def test_a_new_person_sets_a_password_and_is_in(cast: Cast, stranger: Client) -> None:
    link = link_of(cast)
    check_page(stranger.get(link), "Join Acme", NEW)
    response = stranger.post(link, passwords(), follow=True)
    assert response.redirect_chain == [("/queue", HTTPStatus.FOUND)]
    check_page(response, NEW)


def test_the_link_works_once(cast: Cast, stranger: Client) -> None:
    link = link_of(cast)
    stranger.post(link, passwords())
    check_page(Client().get(link), "was used or withdrawn", status=HTTPStatus.CONFLICT)


def test_a_link_that_nobody_made_is_told_the_same(db: None, stranger: Client) -> None:
    check_page(stranger.get("/invitations/guess"), "was used or withdrawn", status=HTTPStatus.CONFLICT)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("short", "short", "too short"),
        (PASSWORD, "other", "match"),
        (NEW, NEW, "similar"),
        ("password", "password", "too common"),
    ],
)
def test_a_weak_password_is_refused_and_the_invitation_stands(
    cast: Cast, stranger: Client, first: str, second: str, message: str
) -> None:
    link = link_of(cast)
    check_page(stranger.post(link, passwords(first, second)), message, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    assert not User.objects.filter(username=NEW).exists()
    check_page(stranger.get(link), "Join Acme")


def test_whoever_has_an_account_signs_in_and_comes_back(cast: Cast, stranger: Client) -> None:
    User.objects.filter(pk=cast.outsider.user_id).update(email=NEW)
    link = link_of(cast)
    check_page(stranger.get(link), f'href="/sign-in?next={link}"')
    # Without the sign-in nothing is accepted, whatever is sent.
    check_page(stranger.post(link, passwords()), "You have an account here")
    assert Membership.objects.filter(user=cast.outsider.user).count() == 1


def test_a_member_of_another_workspace_joins_and_goes_on_in_the_new_one(cast: Cast) -> None:
    User.objects.filter(pk=cast.outsider.user_id).update(email=NEW)
    desk = Desk.of(cast.outsider)
    desk.shows("/queue", "Elsewhere</span>")
    link = link_of(cast)
    desk.shows(link, "Join the workspace")
    desk.sends(link, "You are a member of Acme now.", "Acme</span>")


def test_a_person_of_another_address_is_told_whose_it_is(cast: Cast) -> None:
    desk, link = Desk.of(cast.outsider), link_of(cast)
    desk.shows(link, "You are signed in as oscar")
    desk.sends(link, "is for new@example.org", status=HTTPStatus.FORBIDDEN)
    assert Membership.objects.filter(user=cast.outsider.user).count() == 1


def test_the_page_is_kept_nowhere_and_its_address_told_to_nobody(cast: Cast, stranger: Client) -> None:
    response = stranger.get(link_of(cast))
    assert "no-store" in response["Cache-Control"]
    assert response["Referrer-Policy"] == "same-origin"


def test_nobody_signs_up_without_an_invitation(db: None, stranger: Client) -> None:
    for path in ("/signup", "/accounts/signup/", "/sign-up", "/account/signup"):
        assert stranger.get(path).status_code == HTTPStatus.NOT_FOUND
