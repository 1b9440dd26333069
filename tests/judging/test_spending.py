import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
import time_machine
from django.db import DatabaseError

from reviews import access
from reviews.judging import spending
from reviews.judging.daily_budget import Limits, Reservation
from reviews.judging.spending import Book, WorkspaceAccount
from reviews.models import JudgeSpend, Workspace
from reviews.provenance.core.findings import Usage
from tests.cast import Cast, make_cast

pytestmark = pytest.mark.django_db(transaction=True)

ESTIMATE = Usage(calls=1, prompt_tokens=90, completion_tokens=10, cost_usd=0.1)
SPENT = Usage(calls=1, prompt_tokens=70, completion_tokens=5, cost_usd=1 / 3)
UNLIMITED = Limits()


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def reserved(workspace: Workspace, *, times: int, limits: Limits = UNLIMITED, books: int = 1) -> int:
    """How many of so many reservations at once fit, asked of so many workers."""

    async def at_once() -> list[Reservation | None]:
        accounts = [WorkspaceAccount(workspace.pk, Book()) for _ in range(books)]
        return await asyncio.gather(*(accounts[n % books].reserve(ESTIMATE, limits) for n in range(times)))

    return sum(reservation is not None for reservation in asyncio.run(at_once()))


def settled(workspace: Workspace, spent: Usage) -> None:
    """A call that was reserved and then cost this."""

    async def one_call() -> None:
        account = WorkspaceAccount(workspace.pk, Book())
        reservation = await account.reserve(ESTIMATE, UNLIMITED)
        assert reservation
        await account.settle(reservation, spent)

    asyncio.run(one_call())


def check_account(workspace: Workspace, *, calls: int, tokens: int, usd: str) -> None:
    """The one account of the workspace holds this."""
    account = JudgeSpend.objects.get(workspace=workspace)
    assert (account.calls, account.tokens, account.usd) == (calls, tokens, Decimal(usd))


def test_a_reservation_is_charged(cast: Cast) -> None:
    reserved(cast.workspace, times=1)
    check_account(cast.workspace, calls=1, tokens=100, usd="0.1")


def test_what_was_spent_takes_the_place_of_the_estimate(cast: Cast) -> None:
    settled(cast.workspace, SPENT)
    check_account(cast.workspace, calls=1, tokens=75, usd="0.333333333")


def test_a_call_that_failed_leaves_nothing(cast: Cast) -> None:
    settled(cast.workspace, Usage())
    check_account(cast.workspace, calls=0, tokens=0, usd="0")


def test_reservations_at_once_are_all_charged(cast: Cast) -> None:
    assert reserved(cast.workspace, times=100) == 100
    check_account(cast.workspace, calls=100, tokens=10_000, usd="10")


def test_an_account_that_another_worker_opens_meanwhile_refuses_no_charge(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    admit = spending._admit_charges

    def opened_behind_the_first(within: spending.Within, charges: Sequence[spending.Charge]) -> list[bool]:
        made = admit(within, charges)
        if len(charges) == 1:
            JudgeSpend.objects.get_or_create(workspace=cast.workspace, day=JudgeSpend.today())
        return made

    monkeypatch.setattr(spending, "_admit_charges", opened_behind_the_first)
    assert reserved(cast.workspace, times=4) == 4
    check_account(cast.workspace, calls=4, tokens=400, usd="0.4")


@pytest.mark.parametrize("limits", [Limits(tokens=750), Limits(usd=0.7), Limits(tokens=750, usd=100.0)])
def test_concurrent_workers_stay_within_the_limits(cast: Cast, limits: Limits) -> None:
    assert reserved(cast.workspace, times=20, limits=limits, books=4) == 7
    check_account(cast.workspace, calls=7, tokens=700, usd="0.7")


def test_what_does_not_fit_is_not_charged(cast: Cast) -> None:
    assert reserved(cast.workspace, times=3, limits=Limits(tokens=99)) == 0
    check_account(cast.workspace, calls=0, tokens=0, usd="0")


def test_another_workspace_has_an_account_of_its_own(cast: Cast) -> None:
    reserved(cast.workspace, times=7, limits=Limits(tokens=700))
    assert reserved(cast.outsider.workspace, times=1, limits=Limits(tokens=700)) == 1


def test_a_new_day_begins_at_nothing(cast: Cast) -> None:
    with time_machine.travel(datetime(2030, 1, 1, 23, 59, tzinfo=UTC), tick=False):
        reserved(cast.workspace, times=2, limits=Limits(tokens=100))
    with time_machine.travel(datetime(2030, 1, 2, 0, 0, tzinfo=UTC), tick=False):
        assert reserved(cast.workspace, times=2, limits=Limits(tokens=100)) == 1


def test_a_call_over_midnight_is_charged_to_the_day_it_began(cast: Cast) -> None:
    with time_machine.travel(datetime(2030, 1, 1, 23, 59, tzinfo=UTC), tick=False):
        reserved(cast.workspace, times=1)
    call = Reservation(date(2030, 1, 1), ESTIMATE)
    with time_machine.travel(datetime(2030, 1, 2, 0, 1, tzinfo=UTC), tick=False):
        asyncio.run(WorkspaceAccount(cast.workspace.pk, Book()).settle(call, SPENT))
    check_account(cast.workspace, calls=1, tokens=75, usd="0.333333333")


def test_the_account_of_a_workspace_that_is_gone_cannot_be_kept(cast: Cast) -> None:
    deleted = Workspace(name="Gone", slug="gone")
    with pytest.raises(DatabaseError):
        reserved(deleted, times=1)


def test_one_workspace_that_is_gone_takes_no_other_along(cast: Cast) -> None:
    deleted = Workspace(name="Gone", slug="gone")

    async def both() -> list[Reservation | BaseException | None]:
        book = Book()
        accounts = [WorkspaceAccount(each.pk, book) for each in (deleted, cast.workspace)]
        reservations = (account.reserve(ESTIMATE, UNLIMITED) for account in accounts)
        return await asyncio.gather(*reservations, return_exceptions=True)

    failed, fitted = asyncio.run(both())
    assert isinstance(failed, DatabaseError)
    assert fitted == Reservation(JudgeSpend.today(), ESTIMATE)


def test_the_account_is_seen_by_its_workspace_alone(cast: Cast) -> None:
    reserved(cast.workspace, times=1)
    assert access.judge_spends_for(cast.admin).count() == 1
    assert not access.judge_spends_for(cast.outsider).exists()
