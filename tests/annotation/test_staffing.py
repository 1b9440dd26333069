from typing import Any

import pytest
from django.urls import reverse

from reviews.annotation import adjudication, answers, assignment, campaigns, staffing
from reviews.errors import CampaignStateError
from reviews.models import Draft, Membership, Role
from reviews.workspaces import members
from tests.annotation.study import ALIGNED, MISALIGNED, dataset_of, study
from tests.cast import Cast
from tests.desk.desk import Desk


def test_open_items_go_to_another_person_and_the_draft_stays(cast: Cast) -> None:
    running = study(cast, items=3, people=2, per_item=1)
    running.given(0)
    item = running.next().item_id
    answers.save_draft(
        campaign=running.campaign, item=item, membership=running.people[0], content={"note": "half"}, seconds=1
    )
    first, second = running.campaign.annotators.order_by("user__username")
    assert staffing.release_items(campaign=running.campaign, membership=cast.admin, annotator=first, to=second) == 1
    assert running.next(1).item_id == item
    assert Draft.objects.get().annotator == first
    assert running.campaign.assignments.get(item=item).reserved


@pytest.mark.parametrize("left", [True, False])
def test_nothing_is_put_aside_for_somebody_who_left_or_annotates_no_more(cast: Cast, left: bool) -> None:
    running = study(cast, items=2, people=2, per_item=1)
    held = running.next(1).item_id
    person = Membership.objects.filter(pk=running.people[0].pk)
    if left:
        person.delete()
    else:
        person.update(role=Role.REVIEWER)
    gone, other = (running.campaign.annotators.get(user=member.user) for member in running.people)
    asked: Any = {"campaign": running.campaign, "membership": cast.admin}
    assert campaigns.reserve_items(**asked, annotator=gone, most=2) == 0
    assert staffing.release_items(**asked, annotator=other, to=gone) == 1
    assert running.next(1).item_id == held
    page = {"annotator": str(gone.pk), "most": "2"}
    where = reverse("campaign-reserve", args=[running.campaign.pk])
    assert Desk.of(cast.admin).client.post(where, page).status_code == 302


@pytest.mark.parametrize("left", [True, False])
def test_what_was_put_aside_for_somebody_who_left_or_annotates_no_more_goes_to_others(cast: Cast, left: bool) -> None:
    running = study(cast, items=2, people=2, per_item=1)
    gone = running.campaign.annotators.get(user=running.people[1].user)
    campaigns.reserve_items(campaign=running.campaign, membership=cast.admin, annotator=gone, most=2)
    assert assignment.next_item(campaign=running.campaign, membership=running.people[0]) is None
    if left:
        members.remove_member(member=running.people[1], membership=cast.admin)
    else:
        members.change_role(member=running.people[1], role=Role.REVIEWER, membership=cast.admin)
    assert not running.next(0).reserved
    assert len({running.given(0).item_id for _ in range(2)}) == 2


def test_what_an_annotator_who_became_a_manager_is_answering_is_given_to_nobody_else(cast: Cast) -> None:
    running = study(cast, items=1, people=2, per_item=1)
    members.change_role(member=running.people[1], role=Role.ADMIN, membership=cast.admin)
    promoted = Membership.objects.get(pk=running.people[1].pk)
    assert assignment.next_item(campaign=running.campaign, membership=promoted)
    assert assignment.next_item(campaign=running.campaign, membership=running.people[0]) is None


def test_what_a_person_gave_back_does_not_come_back_to_them(cast: Cast) -> None:
    running = study(cast, items=1, people=2, per_item=1)
    item = running.next(1).item_id
    answers.skip_item(
        campaign=running.campaign, item=item, membership=running.people[1], reason="I know this.", seconds=1
    )
    assert running.next(0).item_id == item
    holder, gave_back = (running.campaign.annotators.get(user=person.user) for person in running.people)
    staffing.release_items(campaign=running.campaign, membership=cast.admin, annotator=holder, to=gave_back)
    assert assignment.next_item(campaign=running.campaign, membership=running.people[1]) is None
    assert running.next(0).item_id == item


def test_a_campaign_is_extended_by_what_came_in_since(cast: Cast) -> None:
    running = study(cast, items=1)
    assert staffing.extend_campaign(campaign=running.campaign, membership=cast.admin) == 0
    item = dataset_of(cast, 2, "Later").items.first()
    assert item is not None
    item.pk, item.dataset, item._state.adding = None, running.campaign.dataset, True
    item.content_key = "f" * 64
    item.pk = item._meta.pk.get_default()
    item.save(force_insert=True)
    assert staffing.extend_campaign(campaign=running.campaign, membership=cast.admin) == 1
    assert staffing.extend_campaign(campaign=running.campaign, membership=cast.admin) == 0
    assert running.campaign.assignments.filter(item=item).count() == 2
    running.given(0)
    assert assignment.next_item(campaign=running.campaign, membership=running.people[0])
    running.campaign.state = "closed"
    type(running.campaign).objects.filter(pk=running.campaign.pk).update(state="closed", closed_at=item.created_at)
    with pytest.raises(CampaignStateError):
        staffing.extend_campaign(campaign=running.campaign, membership=cast.admin)


def test_closing_early_says_what_it_costs(cast: Cast) -> None:
    running = study(cast, items=3)
    running.given(0)
    cost = staffing.cost_of_closing(running.campaign, unsettled=0)
    assert (cost.answers, cost.single, cost.unanswered) == (5, 1, 2)


def test_an_item_that_everybody_gave_back_can_be_answered_by_the_manager(cast: Cast) -> None:
    running = study(cast, items=1, people=1, per_item=1)
    item = running.next().item
    answers.skip_item(
        campaign=running.campaign, item=item.pk, membership=running.people[0], reason="Broken.", seconds=1
    )
    settled = adjudication.adjudicate_item(
        campaign=running.campaign, item=item, by=cast.admin, method="written", answer=ALIGNED, reason="It is plain.",
        sources=[],
    )  # fmt: skip
    assert settled.judgement == ALIGNED.judgement != MISALIGNED.judgement
