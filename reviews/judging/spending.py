"""What a workspace's judge spends, day by day (UTC). The database is the truth.

The postings of one event loop are written by one thread. Those that come while it writes go together into the next
statement, so that hundreds of questions in flight cost a few statements, and the loop never waits for the database.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from typing import Final
from uuid import UUID

from django.db import DatabaseError, connection
from django.db.models import F, QuerySet

from reviews.judging.daily_budget import Limits, Reservation
from reviews.models import GuardProfile, JudgeSpend
from reviews.provenance.core.findings import Usage


@dataclass(frozen=True)
class Charge:
    """An amount of each kind; negative where an estimate is taken back."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: Decimal

    @property
    def tokens(self) -> int:
        """Tokens of prompts and completions together."""
        return self.prompt_tokens + self.completion_tokens

    @classmethod
    def of(cls, usage: Usage) -> "Charge":
        """The usage with its cost in exact dollars, as they are stored."""
        # Rounded before adding up: what was charged can then be taken back without a remainder.
        return cls(usage.calls, usage.prompt_tokens, usage.completion_tokens, _exact_dollars(usage.cost_usd))

    def __add__(self, other: "Charge") -> "Charge":
        return Charge(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def __sub__(self, other: "Charge") -> "Charge":
        return Charge(*(getattr(self, field.name) - getattr(other, field.name) for field in fields(self)))


def _exact_dollars(usd: float) -> Decimal:
    """Dollars to the ninth decimal, as the column `JudgeSpend.usd` holds them."""
    return Decimal(f"{usd:.9f}")


NOTHING = Charge.of(Usage())
NO_LIMITS = Limits()
# Half of the day's budget is kept for enforced detectors: a shadow is an experiment, and must never cause a review.
SHADOW_SHARE: Final = Decimal("0.5")
"""The share of a day's budget that may be spent when a check in shadow begins."""


@dataclass(frozen=True)
class Posting:
    """One charge to the account of a workspace and day."""

    workspace_id: UUID
    day: date
    charge: Charge
    limits: Limits = NO_LIMITS
    """The posting is made only if the day's account stays within them."""


def leaves_room_for_shadows(profile: GuardProfile) -> bool:
    """Whether today's account is still below the share of the budget that may go to what only runs in shadow."""
    if profile.daily_tokens is None and profile.daily_usd is None:
        return True
    account = JudgeSpend.objects.filter(workspace=profile.workspace_id, day=JudgeSpend.today()).first() or JudgeSpend()
    return all(
        limit is None or spent < limit * SHADOW_SHARE
        for spent, limit in ((account.tokens, profile.daily_tokens), (account.usd, profile.daily_usd))
    )


class Book:
    """Enters charges into the accounts, for coroutines of one event loop."""

    def __init__(self) -> None:
        # One thread: postings of the next batch gather while it writes, and it needs one database connection.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judge-spending")
        self._waiting: list[tuple[Posting, asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def enter_posting(self, posting: Posting) -> bool:
        """Make the posting. Returns whether it was within its limits. Raises what the database raises."""
        admitted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((posting, admitted))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_waiting())
        return await admitted

    async def _write_waiting(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            results: Sequence[bool | Exception]
            try:
                postings = [posting for posting, _ in batch]
                results = await asyncio.get_running_loop().run_in_executor(self._thread, enter_postings, postings)
            except Exception as error:  # noqa: BLE001 - whatever it was, it is raised where the postings came from
                results = [error] * len(batch)
            for (_, future), result in zip(batch, results, strict=True):
                # One whose check was cancelled meanwhile is done, and takes no result any more.
                if future.done():
                    continue
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)


class WorkspaceAccount:
    """The account of one workspace, as a `Budget` uses it."""

    def __init__(self, workspace_id: UUID, book: Book) -> None:
        self._workspace_id = workspace_id
        self._book = book

    async def reserve(self, estimate: Usage, limits: Limits) -> Reservation | None:
        """Charge the estimate to today. None when it does not fit. Raises what the database raises."""
        day = JudgeSpend.today()
        fitted = await self._book.enter_posting(Posting(self._workspace_id, day, Charge.of(estimate), limits))
        return Reservation(day, estimate) if fitted else None

    async def settle(self, reservation: Reservation, spent: Usage) -> None:
        """Replace the estimate by what was spent, on the day it was charged to. Raises what the database raises."""
        difference = Charge.of(spent) - Charge.of(reservation.estimate)
        await self._book.enter_posting(Posting(self._workspace_id, reservation.day, difference))


def enter_postings(postings: Sequence[Posting]) -> list[bool | DatabaseError]:
    """Make the postings that fit. Returns for each whether it was made, or what the database raised."""
    results: dict[int, bool | DatabaseError] = dict.fromkeys(range(len(postings)), False)
    try:
        for (workspace_id, day, limits), positions in _by_account(postings).items():
            charges = [postings[position].charge for position in positions]
            try:
                results.update(zip(positions, _charge_account(workspace_id, day, limits, charges), strict=True))
            except DatabaseError as error:
                # Of this account only: the batch holds other workspaces' postings too.
                results.update(dict.fromkeys(positions, error))
    finally:
        # The thread lives as long as the process, and would otherwise hold a connection of the pool for ever.
        connection.close()
    return list(results.values())


def _by_account(postings: Sequence[Posting]) -> dict[tuple[UUID, date, Limits], list[int]]:
    """Positions of the postings that one statement may make."""
    groups: dict[tuple[UUID, date, Limits], list[int]] = {}
    # Settlements first, which have no limits: most give back part of an estimate, so that the reservations may fit.
    for position in sorted(range(len(postings)), key=lambda position: postings[position].limits != NO_LIMITS):
        posting = postings[position]
        groups.setdefault((posting.workspace_id, posting.day, posting.limits), []).append(position)
    return groups


def _charge_account(workspace_id: UUID, day: date, limits: Limits, charges: Sequence[Charge]) -> list[bool]:
    """Charge what fits to the account, which is opened if need be. Returns for each charge whether it was made."""
    accounts = JudgeSpend.objects.filter(workspace=workspace_id, day=day)
    within = _account_within(accounts, limits)
    admitted = _admit_charges(within, charges)
    if all(admitted):
        return admitted
    # Before the day's first charge there is no account, and nothing fits. Another worker may open it while these are
    # tried, so that of several charges some are made: each of the others is tried once more.
    JudgeSpend.objects.bulk_create([JudgeSpend(workspace_id=workspace_id, day=day)], ignore_conflicts=True)
    again = iter(
        _admit_charges(within, [charge for charge, fitted in zip(charges, admitted, strict=True) if not fitted])
    )
    return [fitted or next(again) for fitted in admitted]


Within = Callable[[Charge], QuerySet[JudgeSpend]]
"""The account, if it stays within the limits with this charge."""


def _account_within(accounts: QuerySet[JudgeSpend], limits: Limits) -> Within:
    # The limits are part of the statement that charges: looked up before, another worker could use them up in between.
    def with_charge(charge: Charge) -> QuerySet[JudgeSpend]:
        within = accounts
        if limits.tokens is not None:
            used = F("prompt_tokens") + F("completion_tokens")
            within = within.alias(used=used).filter(used__lte=limits.tokens - charge.tokens)
        if limits.usd is not None:
            within = within.filter(usd__lte=_exact_dollars(limits.usd) - charge.usd)
        return within

    return with_charge


def _admit_charges(within: Within, charges: Sequence[Charge]) -> list[bool]:
    """Make the charges that fit, first come, first served. Returns for each whether it was made."""
    total = sum(charges, NOTHING)
    changed = within(total).update(
        calls=F("calls") + total.calls,
        prompt_tokens=F("prompt_tokens") + total.prompt_tokens,
        completion_tokens=F("completion_tokens") + total.completion_tokens,
        usd=F("usd") + total.usd,
    )
    if changed or len(charges) == 1:
        return [bool(changed)] * len(charges)
    # By halves: where the limit lies is found in few statements, however many charges there are.
    half = len(charges) // 2
    return _admit_charges(within, charges[:half]) + _admit_charges(within, charges[half:])
