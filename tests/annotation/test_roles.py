"""Reviewers who annotate: only where the workspace lets them, and only what they can be blind to."""

from typing import Any

import pytest

from reviews import access
from reviews.annotation import answers, assignment, campaigns
from reviews.datasets import curation
from reviews.errors import InvalidCampaignError, NotAssignedError
from reviews.models import Dataset, Membership
from reviews.workspaces import members
from tests.annotation.study import ALIGNED, dataset_of
from tests.cast import Cast, approved
from tests.desk.desk import Desk


def let_in(cast: Cast) -> Membership:
    """The reviewer, in a workspace that lets reviewers annotate."""
    members.let_reviewers_annotate(allowed=True, membership=cast.admin)
    return Membership.objects.select_related("workspace", "user").get(pk=cast.reviewer.pk)


def mixed(cast: Cast) -> Dataset:
    """One imported item, and one recorded call, which a reviewer could look up."""
    approved(cast)
    dataset = dataset_of(cast, 1)
    assert curation.add_decided_calls(dataset=dataset, by=cast.admin) == 1
    return dataset


def test_reviewers_do_not_annotate_unless_the_workspace_lets_them(cast: Cast) -> None:
    asked: dict[str, Any] = {"by": cast.admin, "dataset": mixed(cast), "annotators_per_item": 1}
    with pytest.raises(InvalidCampaignError):
        campaigns.open_campaign(name="No", annotators=[cast.reviewer], **asked)
    assert not access.can(cast.reviewer, access.Permission.ANNOTATE)
    assert access.can(let_in(cast), access.Permission.ANNOTATE)


def test_a_reviewer_is_given_imported_items_alone(cast: Cast) -> None:
    dataset, reviewer = mixed(cast), let_in(cast)
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=dataset, name="Both", annotators=[reviewer, cast.annotator], annotators_per_item=2
    )
    slot = assignment.next_item(campaign=campaign, membership=reviewer)
    assert slot is not None
    assert slot.item.action is None
    answers.store_answer(campaign=campaign, item=slot.item_id, membership=reviewer, answer=ALIGNED, seconds=1)
    assert assignment.next_item(campaign=campaign, membership=reviewer) is None
    annotator = campaign.annotators.get(user=reviewer.user)
    assert campaigns.reserve_items(campaign=campaign, membership=cast.admin, annotator=annotator, most=5) == 0
    # Even a slot that is theirs is of no use for what they can see a verdict of.
    recorded = campaign.assignments.filter(item__action__isnull=False, annotator__isnull=True)[0]
    campaign.assignments.filter(pk=recorded.pk).update(annotator=annotator)
    with pytest.raises(NotAssignedError):
        answers.store_answer(campaign=campaign, item=recorded.item_id, membership=reviewer, answer=ALIGNED, seconds=1)


def test_a_manager_who_annotates_sees_no_answer_before_their_own(cast: Cast) -> None:
    let_in(cast)
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=dataset_of(cast, 1), name="Two", annotators=[
            Membership.objects.select_related("workspace", "user").get(pk=member.pk)
            for member in (cast.admin, cast.annotator)
        ], annotators_per_item=2,
    )  # fmt: skip
    slot = assignment.next_item(campaign=campaign, membership=cast.annotator)
    assert slot is not None
    answers.store_answer(campaign=campaign, item=slot.item_id, membership=cast.annotator, answer=ALIGNED, seconds=1)
    desk, path = Desk.of(cast.admin), f"/campaigns/{campaign.pk}/adjudicate/{slot.item_id}"
    assert "Answer this item yourself first" in desk.client.get(path, follow=True).content.decode()
    inside = f"/datasets/{campaign.dataset_id}/items/{slot.item_id}"
    desk.shows(inside, "once you have answered")
    desk.lacks(inside, "Answer of anna", "by one annotator")
    slot = assignment.next_item(campaign=campaign, membership=cast.admin)
    assert slot is not None
    answers.store_answer(campaign=campaign, item=slot.item_id, membership=cast.admin, answer=ALIGNED, seconds=1)
    desk.shows(path, "Settle one label")
