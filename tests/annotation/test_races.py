"""Many annotators at once, on a real PostgreSQL."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from reviews.annotation import answers, assignment
from reviews.models import Annotation, Membership
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
