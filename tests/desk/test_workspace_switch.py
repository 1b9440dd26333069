from http import HTTPStatus

import pytest
from django.test import Client

from reviews.models import Membership, Role
from reviews.workspaces import members
from tests.cast import Cast, flagged
from tests.desk.desk import Desk, at


@pytest.fixture
def both(cast: Cast) -> Desk:
    """The desk of somebody who reviews here and in another workspace."""
    members.admit_member(workspace=cast.outsider.workspace, user=cast.reviewer.user, role=Role.REVIEWER)
    return Desk.of(cast.reviewer)


def test_a_person_switches_to_another_workspace_and_back(cast: Cast, both: Desk) -> None:
    both.shows("/queue", "Acme</span>", "Switch to Elsewhere")
    both.sends("/workspace", "Elsewhere</span>", "Switch to Acme", workspace=cast.outsider.workspace_id)
    both.sends("/workspace", "Acme</span>", workspace=cast.workspace.pk)


def test_what_belongs_to_the_other_workspace_is_not_there_meanwhile(cast: Cast, both: Desk) -> None:
    review = flagged(cast)
    both.shows(at(review))
    both.client.post("/workspace", {"workspace": cast.outsider.workspace_id})
    both.shows(at(review), status=HTTPStatus.NOT_FOUND)
    both.lacks("/queue", str(review.pk))


def test_whoever_is_removed_from_the_chosen_workspace_falls_back_to_their_own(cast: Cast, both: Desk) -> None:
    both.client.post("/workspace", {"workspace": cast.outsider.workspace_id})
    Membership.objects.filter(workspace=cast.outsider.workspace, user=cast.reviewer.user).delete()
    both.shows("/queue", "Acme</span>")


@pytest.mark.parametrize("chosen", ["", "x", "00000000-0000-0000-0000-000000000000"])
def test_a_workspace_that_is_none_of_theirs_is_not_there(both: Desk, chosen: str) -> None:
    both.sends("/workspace", status=HTTPStatus.NOT_FOUND, workspace=chosen)


def test_the_workspace_of_others_is_not_there(cast: Cast, desk: Desk) -> None:
    desk.sends("/workspace", status=HTTPStatus.NOT_FOUND, workspace=cast.outsider.workspace_id)
    desk.lacks("/queue", "Switch to")


def test_who_belongs_to_no_workspace_is_told(cast: Cast) -> None:
    cast.reviewer.delete()
    client = Client()
    client.force_login(cast.reviewer.user)
    Desk(client).shows("/queue", "not a member of any workspace", status=HTTPStatus.FORBIDDEN)
