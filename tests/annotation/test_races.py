"""Many annotators at once, on a real PostgreSQL."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from reviews.annotation import answers, assignment, campaigns, staffing
from reviews.datasets import versions
from reviews.errors import ConflictError, NotFoundError
from reviews.models import Annotation, Campaign, Membership
from reviews.retention import dataset_erasure
from tests.annotation.study import ALIGNED, Study, study
from tests.cast import Cast, make_cast

pytestmark = pytest.mark.django_db(transaction=True)

# Threads at a time: each holds a connection, of which the test server has a hundred.
AT_ONCE = 25


@pytest.fixture
def everybody(transactional_db: None) -> Cast:
    return make_cast()


def at_once(work: Callable[[Any], Any], over: list[Any]) -> list[Any]:
    """What the work returns for each, all started at the same moment."""
    barrier = Barrier(min(AT_ONCE, len(over)))

    def one(each: Any) -> Any:
        try:
            barrier.wait(timeout=20)
            return work(each)
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, over))


def next_of(running: Study) -> Callable[[Membership], Any]:
    return lambda person: assignment.next_item(campaign=running.campaign, membership=person)


def test_a_hundred_annotators_never_get_the_same_slot(everybody: Cast) -> None:
    running = study(everybody, items=40, people=100, per_item=3)
    slots = at_once(next_of(running), list(running.people))
    assert None not in slots
    assert len({slot.pk for slot in slots}) == 100
    assert max(Counter(slot.item_id for slot in slots).values()) <= 3


def test_of_the_last_slots_each_goes_to_one_person_and_the_others_are_told_there_is_none(everybody: Cast) -> None:
    running = study(everybody, items=5, people=25, per_item=2)
    slots = [slot for slot in at_once(next_of(running), list(running.people)) if slot]
    # Skipped while others take them, a slot may be missed by one who asks at that moment; it is there the next time.
    slots += [slot for person in running.people if (slot := next_of(running)(person))]
    assert {slot.pk for slot in slots} == set(running.campaign.assignments.values_list("pk", flat=True))


def test_a_persons_tabs_get_the_same_item(everybody: Cast) -> None:
    running = study(everybody, items=10)
    slots = at_once(next_of(running), [running.people[0]] * 10)
    assert len({slot.pk for slot in slots}) == 1


def test_while_managers_pause_give_on_freeze_and_erase_no_answer_is_lost_or_doubled(everybody: Cast) -> None:
    running = study(everybody, items=20, people=23, per_item=3)
    campaign, admin = running.campaign, running.admin
    erased = campaign.assignments.order_by("-rank")[0].item_id
    frozen = []

    def annotate(person: Membership) -> int:
        given = 0
        for _ in range(4):
            try:
                slot = assignment.next_item(campaign=campaign, membership=person)
                if slot is not None:
                    answers.store_answer(
                        campaign=campaign, item=slot.item_id, membership=person, answer=ALIGNED, seconds=1
                    )
                    given += 1
            except (ConflictError, NotFoundError):
                # Paused, given to somebody else, or erased meanwhile: the person is told so.
                continue
        return given

    def manage(_: str) -> int:
        for annotator in campaign.annotators.order_by("pk")[:5]:
            staffing.release_items(campaign=campaign, membership=admin, annotator=annotator, to=None)
        for move in (campaigns.pause_campaign, campaigns.resume_campaign):
            with suppress(ConflictError):
                move(campaign=Campaign.objects.get(pk=campaign.pk), by=admin)
        frozen.append(versions.freeze_version(versions.request_version(campaign.dataset, shares={}).pk))
        dataset_erasure.erase_items([erased], reason="on request")
        return 0

    def work(who: Any) -> int:
        return manage(who) if isinstance(who, str) else annotate(who)

    given = sum(at_once(work, [*running.people, "manager", "manager"]))
    in_force = campaign.annotations.filter(in_force=True)
    assert in_force.count() == given == campaign.assignments.filter(answered_at__isnull=False).count()
    assert max(Counter(in_force.values_list("item", flat=True)).values()) <= 3
    for version in filter(None, frozen):
        digests = version.entries.order_by("ordinal").values_list("digest", flat=True)
        assert versions.hash_content(digests) == version.content_hash


def test_of_two_tabs_that_answer_at_once_one_answer_is_in_force(everybody: Cast) -> None:
    running = study(everybody, items=1)
    item = running.next(0).item_id

    def give(_: int) -> Annotation:
        return answers.store_answer(
            campaign=running.campaign, item=item, membership=running.people[0], answer=ALIGNED, seconds=1
        )

    assert len(at_once(give, list(range(5)))) == 5
    assert running.campaign.annotations.count() == 5
    assert running.campaign.annotations.filter(in_force=True).count() == 1
