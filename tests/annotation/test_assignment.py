from datetime import timedelta
from itertools import repeat
from typing import Any

import pytest
from django.utils import timezone

from reviews.annotation import answers, assignment, campaigns
from reviews.datasets import curation
from reviews.decisions import decide
from reviews.errors import CampaignStateError, ForbiddenError, NotAssignedError, NotFoundError
from reviews.models import Assignment, Draft
from tests.annotation.study import ALIGNED, Study, dataset_of, study
from tests.cast import WRONG, Cast, flagged
from tests.datasets.collections import past_the_database


def abandon(slot: Assignment) -> None:
    """Its lease has run out."""
    Assignment.objects.filter(pk=slot.pk).update(leased_until=timezone.now() - timedelta(seconds=1))


def test_everybody_gets_every_item_once_in_the_shuffled_order(cast: Cast) -> None:
    running = study(cast, items=4)
    order = [[running.given(person).item_id for _ in range(4)] for person in (0, 1)]
    shuffled = list(running.campaign.assignments.filter(slot=1).order_by("rank").values_list("item", flat=True))
    assert order == [shuffled, shuffled]
    assert shuffled != sorted(shuffled)
    assert assignment.next_item(campaign=running.campaign, membership=running.people[0]) is None


def test_a_call_is_asked_about_before_those_that_tell_what_became_of_it(cast: Cast) -> None:
    dataset = dataset_of(cast, 12)
    # Three conversations of four calls each, in the order of their keys.
    for number, item in enumerate(dataset.items.order_by("id")):
        with past_the_database():
            dataset.items.filter(pk=item.pk).update(conversation=f"conv-{number % 3}")
    running = study(cast, people=1, per_item=1, dataset=dataset)
    asked = [running.given(0).item for _ in range(12)]
    for conversation in ("conv-0", "conv-1", "conv-2"):
        of_it = [item.pk for item in asked if item.conversation == conversation]
        assert of_it == sorted(of_it)
    # Conversations come in any order, and between each other.
    assert len({item.conversation for item in asked[:4]}) > 1


def test_a_recorded_call_is_asked_about_before_its_retry_whichever_came_in_first(cast: Cast) -> None:
    first = flagged(cast, WRONG, trace_id="talk").action
    decide.decide_action(action=first, choice=decide.Reject("Too much."), membership=cast.reviewer)
    again = flagged(cast, WRONG, trace_id="talk", retry_of=first.pk).action
    decide.decide_action(action=again, choice=decide.Approve(), membership=cast.reviewer)
    calls = [first, again]
    for number, order in enumerate((calls, calls[::-1])):
        dataset = curation.create_dataset(by=cast.admin, name=f"Retried {number}")
        for action in order:
            curation.add_chosen_calls(dataset=dataset, by=cast.admin, actions=[action.pk])
        for seed in range(4):
            campaign = campaigns.open_campaign(
                by=cast.admin, dataset=dataset, name=f"{number} {seed}", annotators=[cast.annotator],
                annotators_per_item=1, seed=seed,
            )  # fmt: skip
            asked = campaign.assignments.order_by("rank").values_list("item__action", flat=True)
            assert list(asked) == [action.pk for action in calls]


def test_the_same_seed_gives_the_same_order_and_another_a_different_one(cast: Cast) -> None:
    running = study(cast, items=20)

    def order(name: str, seed: int) -> list[object]:
        other = campaigns.open_campaign(
            by=cast.admin, dataset=running.campaign.dataset, name=name, annotators=running.people,
            annotators_per_item=1, seed=seed,
        )  # fmt: skip
        return list(other.assignments.order_by("rank").values_list("item", flat=True))

    assert order("again", 7) == order("and again", 7) != order("otherwise", 8)


def test_what_is_begun_comes_back_until_it_is_answered(cast: Cast) -> None:
    running = study(cast)
    assert running.next().pk == running.next().pk


def test_an_item_goes_to_no_more_people_than_asked(cast: Cast) -> None:
    running = study(cast, items=1, people=3)
    running.given(0)
    running.next(1)
    assert assignment.next_item(campaign=running.campaign, membership=running.people[2]) is None


def test_an_abandoned_item_comes_back_for_somebody_else(cast: Cast) -> None:
    running = study(cast, items=1, people=2, per_item=1)
    abandon(running.next(0))
    taken = running.next(1)
    assert taken.annotator is not None
    assert taken.annotator.user == running.people[1].user


def test_who_returns_to_an_abandoned_item_that_nobody_took_goes_on(cast: Cast) -> None:
    running = study(cast, items=2)
    slot = running.next(0)
    abandon(slot)
    assert running.next(0).pk == slot.pk


def test_what_was_typed_outlives_the_lease(cast: Cast) -> None:
    running = study(cast, items=1, people=2, per_item=1)
    slot = running.next(0)
    draft: dict[str, Any] = {
        "campaign": running.campaign,
        "item": slot.item_id,
        "membership": running.people[0],
        "seconds": 3.0,
    }
    assert answers.save_draft(content={"note": "half a"}, **draft)
    abandon(slot)
    running.given(1)
    with pytest.raises(NotAssignedError, match="kept as a draft"):
        running.gives(0, slot.item)
    assert not answers.save_draft(content={"note": "half a thought"}, **draft)
    assert Draft.objects.get().content == {"note": "half a thought"}


def test_a_late_answer_counts_while_the_item_wants_answers(cast: Cast) -> None:
    running = study(cast, items=1, people=3, per_item=2)
    slot = running.next(0)
    answers.save_draft(
        campaign=running.campaign, item=slot.item_id, membership=running.people[0], content={}, seconds=1
    )
    abandon(slot)
    running.given(1)
    running.gives(0, slot.item)
    assert running.campaign.annotations.filter(in_force=True).count() == 2


def test_nobody_answers_an_item_that_is_not_theirs(cast: Cast) -> None:
    running = study(cast, items=1, people=3, per_item=1)
    slot = running.next(0)
    with pytest.raises(NotAssignedError):
        running.gives(1, slot.item)
    with pytest.raises(NotAssignedError):
        answers.save_draft(
            campaign=running.campaign, item=slot.item_id, membership=running.people[1], content={}, seconds=1
        )


def test_what_is_put_aside_for_one_person_goes_to_nobody_else(cast: Cast) -> None:
    running = study(cast, items=2, people=2, per_item=1)
    second = running.campaign.annotators.get(user=running.people[1].user)
    assert campaigns.reserve_items(campaign=running.campaign, membership=cast.admin, annotator=second, most=5) == 2
    assert assignment.next_item(campaign=running.campaign, membership=running.people[0]) is None
    assert running.next(1).reserved


def test_a_skipped_item_goes_to_somebody_else(cast: Cast) -> None:
    running = study(cast, items=1, people=2, per_item=1)
    slot = running.next(0)
    answers.skip_item(
        campaign=running.campaign, item=slot.item_id, membership=running.people[0], reason="Not my field", seconds=1
    )
    assert assignment.next_item(campaign=running.campaign, membership=running.people[0]) is None
    assert running.next(1).item_id == slot.item_id


@pytest.mark.parametrize("role", ["reviewer", "outsider"])
def test_others_are_given_nothing(cast: Cast, role: str) -> None:
    running = study(cast)
    with pytest.raises((ForbiddenError, NotFoundError)):
        assignment.next_item(campaign=running.campaign, membership=getattr(cast, role))


def test_a_paused_campaign_gives_nothing_out_and_goes_on_where_it_was(cast: Cast) -> None:
    running = study(cast)
    slot = running.next()
    campaigns.pause_campaign(campaign=running.campaign, by=cast.admin)
    with pytest.raises(CampaignStateError, match="paused"):
        running.next()
    assert answers.save_draft(
        campaign=running.campaign, item=slot.item_id, membership=running.people[0], content={}, seconds=1
    )
    campaigns.resume_campaign(campaign=running.campaign, by=cast.admin)
    assert running.next().pk == slot.pk


def test_a_closed_campaign_stays_closed(cast: Cast) -> None:
    running = study(cast)
    campaigns.close_campaign(campaign=running.campaign, by=cast.admin)
    for act in (campaigns.pause_campaign, campaigns.resume_campaign, campaigns.close_campaign):
        with pytest.raises(CampaignStateError):
            act(campaign=running.campaign, by=cast.admin)


def test_all_is_answered_when_people_take_turns(cast: Cast) -> None:
    running = study(cast, items=5, people=3, per_item=2)
    answered = sum(_answer_one(running, person) for _ in repeat(None, 6) for person in range(3))
    assert answered == 10
    assert campaigns.measure_progress(running.campaign).finished == 5


def _answer_one(running: Study, person: int) -> bool:
    slot = assignment.next_item(campaign=running.campaign, membership=running.people[person])
    return slot is not None and bool(running.gives(person, slot.item, ALIGNED))
