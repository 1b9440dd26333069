"""Many annotators and two managers at once whose sessions with the database are ended in the middle."""

import gc
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import InterfaceError, OperationalError, connection

from reviews.annotation import adjudication, answers, assignment, campaigns, staffing
from reviews.datasets import versions
from reviews.errors import ConflictError, InvalidError, NotFoundError
from reviews.models import Campaign, DatasetVersion, Membership
from reviews.retention import dataset_erasure
from tests.annotation.study import ALIGNED, MISALIGNED, Study, study
from tests.annotation.test_races import at_once
from tests.cast import Cast, make_cast

pytestmark = pytest.mark.django_db(transaction=True)

PER_ITEM = 3
ANSWERS = 4
"""Of each person."""
KILLS = 6


@dataclass
class Turmoil:
    """A campaign in which everybody works at once, with what they were told."""

    running: Study
    erased: UUID
    acknowledged: list[UUID] = field(default_factory=list)
    """Answers whose givers were told that they are kept."""
    frozen: list[UUID] = field(default_factory=list)
    ended: int = 0
    """Steps that failed because their session was ended."""

    def attempt(self, step: Callable[[], object]) -> None:
        """Do the step; who is refused, or loses the connection, goes on with the next one."""
        try:
            step()
        except (ConflictError, NotFoundError, InvalidError):
            pass
        # Django passes on what closing a cursor of the server raises as the driver raised it.
        except (OperationalError, InterfaceError, psycopg.OperationalError):
            self.ended += 1
            connection.close()

    def annotate(self, person: Membership) -> None:
        """Answer the next few items; people differ about them."""
        for number in range(ANSWERS):
            self.attempt(lambda number=number: self.answer_next(person, number))  # type: ignore[misc]

    def answer_next(self, person: Membership, number: int) -> None:
        """Answer one item."""
        campaign = self.running.campaign
        slot = assignment.next_item(campaign=campaign, membership=person)
        if slot is not None:
            answer = (ALIGNED, MISALIGNED)[(number + person.user_id) % 2]
            stored = answers.store_answer(
                campaign=campaign, item=slot.item_id, membership=person, answer=answer, seconds=1
            )
            self.acknowledged.append(stored.pk)

    def manage(self, reason: str) -> None:
        """Everything that managers do, twice."""
        for step in 2 * (self.move_on, self.give_on, lambda: self.settle(reason), self.freeze, self.erase):
            self.attempt(step)

    def move_on(self) -> None:
        """Pause the campaign and go on."""
        for move in (campaigns.pause_campaign, campaigns.resume_campaign):
            with suppress(ConflictError):
                move(campaign=Campaign.objects.get(pk=self.running.campaign.pk), by=self.running.admin)

    def give_on(self) -> None:
        """Give the open items of some people to others."""
        for annotator in self.running.campaign.annotators.order_by("pk")[:3]:
            staffing.release_items(
                campaign=self.running.campaign, membership=self.running.admin, annotator=annotator, to=None
            )

    def settle(self, reason: str) -> None:
        """Settle what differs with the first answer."""
        for dispute in adjudication.list_disputed_items(self.running.campaign, every_column=True):
            adjudication.adjudicate_item(
                campaign=self.running.campaign, item=dispute.item, by=self.running.admin, method="chosen",
                answer=ALIGNED, reason=reason, sources=[dispute.answers[0].pk],
            )  # fmt: skip

    def freeze(self) -> None:
        """Ask for a version, and freeze it."""
        self.frozen.append(versions.request_version(self.running.campaign.dataset, shares={}).pk)
        versions.freeze_version(self.frozen[-1])

    def erase(self) -> None:
        """Erase one item on request."""
        dataset_erasure.erase_items([self.erased], reason="on request")


def own_session() -> int:
    """The number of this thread's session with the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def end_sessions(spared: int, acknowledged: list[UUID]) -> None:
    """End all other sessions, again and again, as when servers and workers are killed."""
    # On a busy machine nobody would have begun yet, and nothing could be lost.
    patience = time.monotonic() + 20
    while not acknowledged and time.monotonic() < patience:
        time.sleep(0.01)
    for _ in range(KILLS):
        time.sleep(0.1)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), %s)",
                [spared],
            )


# With both managers and whoever ends the sessions they are a multiple of those who begin at one moment.
# Whoever closes a cursor of the server's side behind the end of its session fails at it: it went with the session.
@pytest.mark.filterwarnings("ignore:.*ServerSideCursor.* was deleted while still open:ResourceWarning")
@pytest.mark.parametrize("people", [22, pytest.param(97, marks=pytest.mark.faults)])
def test_nothing_acknowledged_is_lost_and_nothing_doubled_when_sessions_end_in_the_middle(
    transactional_db: None, people: int
) -> None:
    cast: Cast = make_cast()
    running = study(cast, items=people, people=people, per_item=PER_ITEM)
    turmoil = Turmoil(running, running.campaign.assignments.order_by("-rank")[0].item_id)

    def work(who: Any) -> None:
        match who:
            case Membership():
                turmoil.annotate(who)
            case int():
                end_sessions(who, turmoil.acknowledged)
            case _:
                turmoil.manage(who)

    at_once(work, [own_session(), "one manager", "another", *running.people])
    assert turmoil.ended
    # Here, where it is expected, and not in whatever test comes next.
    gc.collect()
    check_truth(turmoil)


def check_truth(turmoil: Turmoil) -> None:
    """Every answer is there once, no item has more than were asked for, and every version holds what it says."""
    campaign = turmoil.running.campaign
    in_force = campaign.annotations.filter(in_force=True)
    assert turmoil.acknowledged
    assert set(turmoil.acknowledged) <= set(in_force.values_list("pk", flat=True))
    assert in_force.count() == campaign.assignments.filter(answered_at__isnull=False).count()
    assert max(Counter(in_force.values_list("item", flat=True)).values()) <= PER_ITEM
    settled = list(campaign.adjudications.filter(in_force=True).values_list("item", flat=True))
    assert len(settled) == len(set(settled))
    for key in turmoil.frozen:
        # What a killed worker left half frozen is finished by the next one.
        version = versions.freeze_version(key) or DatasetVersion.objects.get(pk=key)
        entries = list(version.entries.order_by("ordinal").values_list("item", "digest"))
        assert versions.hash_content([digest for _, digest in entries]) == version.content_hash
        assert len({item for item, _ in entries}) == len(entries)
