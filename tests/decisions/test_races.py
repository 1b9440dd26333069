"""Many at once: nobody is refused because somebody else was at the same rows, and each call ends once."""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.utils import timezone

from reviews.decisions import decide, executions, expiry_and_cancellation, holds
from reviews.errors import ConflictError, NotExecutingError
from reviews.intake import actions
from reviews.models import Action, Decision, Execution, Label, Membership, OutcomeStatus, Review, Status, Text
from reviews.models.base import uuid7
from reviews.profiles import versions
from reviews.provenance.core.context import NamedText, Step
from reviews.provenance.core.trust import SourceKind
from reviews.records import store
from tests.cast import CONTEXT, Cast, flagged, make_cast, proposal, propose

pytestmark = pytest.mark.django_db(transaction=True)

# Each that starts together takes several round trips; so many leave every order of them some.
RACES = 100
HELD_RACES = 100
# A use case takes 5 ms, on a busy machine 20: they overlap, and each of them comes first in some race.
MAX_LEAD_SECONDS = 0.03
SUBMISSIONS = 160
SUBMITTERS = 8
# Not every pair of reports collides, though they are sent at once.
REPORTS = 40


@pytest.fixture
def cast(monkeypatch: pytest.MonkeyPatch) -> Cast:
    # What is told to the broker and to waiting agents plays no part in who locks what.
    monkeypatch.setattr("reviews.scheduling.broker.enqueue_task", lambda task, *args, **_: True)
    monkeypatch.setattr("reviews.messaging.signals.settled_on_commit", lambda subject_id: None)
    # The order of locks alone has to prevent collisions: a retry would hide that two use cases take them crosswise.
    monkeypatch.setattr("reviews.records.transactions.ATTEMPTS", 1)
    return make_cast()


def in_threads(*work: Callable[[], None]) -> None:
    """Everything at once, each on a connection of its own. Raises the first error."""

    def run(part: Callable[[], None]) -> None:
        try:
            part()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(work)) as threads:
        for running in [threads.submit(run, part) for part in work]:
            running.result()


def copies(review: Review, number: int) -> list[Review]:
    """As many pending actions with their reviews; made by hand, as hundreds of checks would take half a minute."""
    made = [replaced(review) for _ in range(number)]
    Action.objects.bulk_create([each.action for each in made])
    return Review.objects.bulk_create(made)


def replaced(review: Review) -> Review:
    fields = {field.attname: getattr(review.action, field.attname) for field in Action._meta.concrete_fields}
    action = Action(**fields | {"id": uuid7(), "status": Status.PENDING})
    due = {"due_at": review.due_at, "order_at": review.due_at}
    return Review(workspace_id=review.workspace_id, action=action, priority=1, reason="A race.", **due)


def test_decisions_cancellations_and_expiries_of_the_same_actions_never_fail(cast: Cast) -> None:
    reviews = copies(flagged(cast), RACES)
    start = threading.Barrier(3, timeout=30)

    def race(end: Callable[[Action], object]) -> Callable[[], None]:
        def run() -> None:
            for review in reviews:
                # An object of one's own, as in another process.
                action = Action(**{name: value for name, value in vars(review.action).items() if name[0] != "_"})
                start.wait()
                try:
                    end(action)
                except ConflictError:
                    # Somebody else was first, which is the one answer that is right.
                    continue

        return run

    in_threads(
        race(lambda action: decide.decide_action(action=action, choice=decide.Approve(), membership=cast.reviewer)),
        race(lambda action: expiry_and_cancellation.cancel_action(action=action, agent_key=cast.agent)),
        race(expiry_and_cancellation.expire_action),
    )
    raced = Action.objects.filter(pk__in=[review.action_id for review in reviews])
    ends = Counter(raced.values_list("status", flat=True))
    assert sum(ends.values()) == RACES
    assert set(ends) <= {Status.DECIDED, Status.CANCELLED, Status.EXPIRED}
    assert Decision.objects.filter(action__in=raced).count() == ends[Status.DECIDED]
    assert not Review.objects.filter(action__in=raced, closed_at__isnull=True).exists()


def test_submissions_that_share_texts_never_fail(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    in_any_order = Random(11)
    bodies_of = store.bodies_of
    # The order of a set is that of its process: in others the same texts come in another one.
    monkeypatch.setattr(
        store, "bodies_of", lambda context: in_any_order.sample(texts := sorted(bodies_of(context)), len(texts))
    )

    def submit(first: int) -> Callable[[], None]:
        chance = Random(first)

        def run() -> None:
            for number in range(first, SUBMISSIONS, SUBMITTERS):
                # New texts in every round, brought by all threads at about the same time and in different orders.
                texts = [f"policy {number // SUBMITTERS} {part}" for part in range(6)]
                chance.shuffle(texts)
                extra = tuple(NamedText(SourceKind.SYSTEM_PROMPT, "policy", text) for text in texts)
                context = replace(CONTEXT, history=(), extra=extra)
                actions.submit_action(agent_key=cast.agent, proposal=proposal(context=context, trace_id=f"t-{number}"))

        return run

    in_threads(*(submit(first) for first in range(SUBMITTERS)))
    assert Action.objects.count() == SUBMISSIONS
    assert Text.objects.filter(body__startswith="policy").count() == SUBMISSIONS // SUBMITTERS * 6


def test_texts_that_come_in_opposite_orders_are_stored_without_a_collision(cast: Cast) -> None:
    start = threading.Barrier(2, timeout=30)

    def bring(order: int) -> Callable[[], None]:
        def run() -> None:
            for number in range(8):
                # Many, so that the two statements run at the same time for sure.
                bodies = [f"shared {number} {part}" for part in range(500)][::order]
                start.wait()
                with transaction.atomic():
                    store.store_texts(cast.workspace, bodies)

        return run

    in_threads(bring(1), bring(-1))
    assert Text.objects.filter(body__startswith="shared").count() == 8 * 500


def test_outcomes_and_submissions_of_one_conversation_never_fail(cast: Cast) -> None:
    outcomes_of = [f"outcome {number}" for number in range(10)]
    running = [approved_in(cast, f"t-{number}") for number, _ in enumerate(outcomes_of)]

    def report() -> None:
        for action, outcome in zip(running, outcomes_of, strict=True):
            executions.report_outcome(action=action, status=OutcomeStatus.SUCCEEDED, outcome=outcome)

    def submit() -> None:
        for number, outcome in enumerate(outcomes_of):
            past = (*CONTEXT.history, Step("search_contacts", {"name": "x"}, outcome))
            propose(cast, context=replace(CONTEXT, history=past), trace_id=f"t-{number}")

    in_threads(report, submit, submit)
    assert Action.objects.count() == 3 * len(outcomes_of)


def run_copy(cast: Cast, review: Review) -> Action:
    """The review's call, approved and started."""
    decide.decide_action(action=review.action, choice=decide.Approve(), membership=cast.reviewer)
    executions.start_execution(action=review.action, agent_key=cast.agent)
    return review.action


def approved_in(cast: Cast, trace_id: str) -> Action:
    """A call of this conversation that was approved and is running."""
    return run_copy(cast, flagged(cast, trace_id=trace_id))


def test_equal_reports_of_one_call_at_once_are_the_same_report(cast: Cast) -> None:
    running = [run_copy(cast, review) for review in copies(flagged(cast), REPORTS)]
    start = threading.Barrier(2, timeout=30)

    def report() -> None:
        for action in running:
            start.wait()
            executions.report_outcome(action=action, status=OutcomeStatus.SUCCEEDED, outcome="sent")

    in_threads(report, report)
    stored = Execution.objects.filter(action__in=running)
    assert [execution.outcome_status for execution in stored] == [OutcomeStatus.SUCCEEDED] * REPORTS
    assert running[0].trace.steps.filter(text__body="sent").count() == REPORTS


def test_of_different_reports_of_one_call_at_once_the_first_stands(cast: Cast) -> None:
    running = [run_copy(cast, review) for review in copies(flagged(cast), REPORTS)]
    start = threading.Barrier(2, timeout=30)
    kept: list[tuple[UUID, str]] = []

    def report(outcome: str) -> Callable[[], None]:
        def run() -> None:
            for action in running:
                start.wait()
                with suppress(NotExecutingError):
                    executions.report_outcome(action=action, status=OutcomeStatus.SUCCEEDED, outcome=outcome)
                    kept.append((action.pk, outcome))

        return run

    in_threads(report("sent"), report("lost"))
    stored = Execution.objects.values_list("action_id", "step__text__body")
    assert sorted(kept) == sorted(stored)
    assert len(kept) == REPORTS


@dataclass
class Race:
    """People and workers who act on the approval of the same call at once, over and over."""

    cast: Cast
    reviews: list[Review]
    start: threading.Barrier

    def approve(self) -> None:
        """Approve each call, its time to be taken back over at once."""
        for review in self.reviews:
            choice, member = decide.Approve(), self.cast.reviewer
            decision = decide.decide_action(action=review.action, choice=choice, membership=member)
            Decision.objects.filter(pk=decision.pk, held_until__isnull=False).update(held_until=timezone.now())
            self.start.wait()
            self.start.wait()

    def acting(self, act: Callable[[Action, Decision], object], won: set[UUID] | None = None) -> Callable[[], None]:
        """Do this to each approval as soon as it is there. `won` gets the actions for which it was not refused."""
        chance = Random()

        def run() -> None:
            for review in self.reviews:
                self.start.wait()
                action = Action.objects.get(pk=review.action_id)
                # Else whoever takes the fewest round trips to the lock is always first.
                time.sleep(chance.uniform(0, MAX_LEAD_SECONDS))
                with contextlib.suppress(ConflictError):
                    act(action, Decision.objects.get(action=action, reviewer=self.cast.reviewer.user))
                    if won is not None:
                        won.add(action.pk)
                self.start.wait()

        return run

    def undo(self, _: Action, decision: Decision) -> None:
        holds.undo_decision(decision=decision, membership=self.cast.reviewer)

    def release_and_run(self, action: Action, decision: Decision) -> None:
        holds.release_decision(decision.pk)
        executions.start_execution(action=action, agent_key=self.cast.agent)

    def reject(self, action: Action, _: Decision) -> None:
        decide.decide_action(action=action, choice=decide.Reject(), membership=self.cast.other_reviewer)

    def approve_second(self, action: Action, _: Decision) -> None:
        decide.decide_action(action=action, choice=decide.Approve(), membership=self.cast.other_reviewer)
        executions.start_execution(action=action, agent_key=self.cast.agent)

    def expire(self, action: Action, _: Decision) -> None:
        expiry_and_cancellation.expire_action(action)

    def check_ends(self, undone: set[UUID], ran: set[UUID]) -> None:
        """Nothing was both taken back and run, and an action is decided exactly when a decision is in force."""
        assert not undone & ran
        assert set(Execution.objects.values_list("action", flat=True)) == ran
        for action in Action.objects.filter(pk__in=[review.action_id for review in self.reviews]):
            in_force = action.decisions.filter(in_force=True)
            assert (action.status == Status.DECIDED) == in_force.exists()
            assert in_force.count() == Label.objects.filter(action=action).count() <= 1
        assert not Decision.objects.filter(held_until__isnull=False).exists()
        # Not one side alone has won: otherwise nothing was raced.
        assert undone
        assert ran


def begin_race(cast: Cast, *, parties: int, **profile: Any) -> Race:
    """Calls of a workspace whose profile says this, and a start for so many."""
    versions.new_version(membership=cast.admin, **profile)
    return Race(cast, copies(flagged(cast), HELD_RACES), threading.Barrier(parties, timeout=30))


def test_an_approval_is_taken_back_or_runs_and_never_both(cast: Cast) -> None:
    race = begin_race(cast, parties=5, hold_seconds=5)
    undone: set[UUID] = set()
    ran: set[UUID] = set()
    in_threads(
        race.approve,
        race.acting(race.undo, undone),
        race.acting(race.release_and_run, ran),
        race.acting(race.expire),
        race.acting(race.reject),
    )
    race.check_ends(undone, ran)


def test_a_first_approval_is_taken_back_or_seconded_and_never_both(cast: Cast) -> None:
    race = begin_race(cast, parties=4, tool_policies={"money_transfer": "two_people"})
    undone: set[UUID] = set()
    ran: set[UUID] = set()
    in_threads(
        race.approve,
        race.acting(race.undo, undone),
        race.acting(race.approve_second, ran),
        race.acting(race.expire),
    )
    race.check_ends(undone, ran)
    for action in Action.objects.filter(pk__in=ran):
        people = {decision.reviewer_id for decision in action.decisions.all()}
        assert people == {cast.reviewer.user_id, cast.other_reviewer.user_id}


def test_two_who_approve_at_once_are_first_and_second(cast: Cast) -> None:
    race = begin_race(cast, parties=2, tool_policies={"money_transfer": "two_people"})

    def approve(member: Membership) -> Callable[[], None]:
        def run() -> None:
            for review in race.reviews:
                action = Action.objects.get(pk=review.action_id)
                race.start.wait()
                decide.decide_action(action=action, choice=decide.Approve(), membership=member)

        return run

    in_threads(approve(cast.reviewer), approve(cast.other_reviewer))
    seconds = Decision.objects.filter(in_force=True, first_approval__isnull=False)
    assert seconds.count() == HELD_RACES
    assert not Decision.objects.filter(awaits_second=True).exists()
