"""What a workspace's judge spends, day by day (UTC). The database is the truth.

The questions of one event loop are entered by one thread: what is asked while it writes goes together into the next
statement, so that hundreds of questions in flight cost a few statements, and the loop never waits for the database.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

from django.db import DatabaseError, connection
from django.db.models import F, QuerySet

from reviews.models import GuardProfile, JudgeSpend
from reviews.provenance.core.findings import Usage
from reviews.provenance.judges.budget import Limits, Reservation


@dataclass(frozen=True)
class Charge:
    """An amount of each kind; negative where an estimate is taken back."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: Decimal

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.completion_tokens

    @classmethod
    def of(cls, usage: Usage) -> "Charge":
        """In exact dollars, as they are stored: what was charged can be taken back without a rest."""
        return cls(usage.calls, usage.prompt_tokens, usage.completion_tokens, _exact(usage.cost_usd))

    def __add__(self, other: "Charge") -> "Charge":
        return Charge(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def __sub__(self, other: "Charge") -> "Charge":
        return Charge(*(getattr(self, each.name) - getattr(other, each.name) for each in fields(self)))


def _exact(usd: float) -> Decimal:
    return Decimal(f"{usd:.9f}")


NOTHING = Charge.of(Usage())
NO_LIMITS = Limits()
SHADOW_SHARE: Final = Decimal("0.5")
"""Of a day's budget: the rest is kept for the detectors that are enforced."""


@dataclass(frozen=True)
class Entry:
    """One line of the book."""

    workspace_id: UUID
    day: date
    charge: Charge
    limits: Limits = NO_LIMITS
    """The entry is made only if the day's account stays within."""


def today() -> date:
    """The current day of every account."""
    return datetime.now(UTC).date()


def leaves_room_for_shadows(profile: GuardProfile) -> bool:
    """Whether today's account is still below the share of the budget that may go to what only runs in shadow."""
    if profile.daily_tokens is None and profile.daily_usd is None:
        return True
    account = JudgeSpend.objects.filter(workspace=profile.workspace_id, day=today()).first() or JudgeSpend()
    return all(
        limit is None or spent < limit * SHADOW_SHARE
        for spent, limit in ((account.tokens, profile.daily_tokens), (account.usd, profile.daily_usd))
    )


class Book:
    """Enters charges into the accounts, for coroutines of one event loop."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judge-spending")
        self._waiting: list[tuple[Entry, asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def enter(self, entry: Entry) -> bool:
        """Whether the entry fitted and was made. Raises what the database raises."""
        made: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((entry, made))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return await made

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            made = await self._written([entry for entry, _ in batch])
            for (_, future), result in zip(batch, made, strict=True):
                _tell(future, result)

    async def _written(self, entries: list[Entry]) -> Sequence[bool | Exception]:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, enter, entries)
        except Exception as error:  # noqa: BLE001 - whatever it was, it is raised where the entries came from
            return [error] * len(entries)


def _tell(future: asyncio.Future[bool], result: bool | Exception) -> None:
    if future.done():
        return
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
        """Charge the estimate to today, if it fits. Raises what the database raises."""
        day = today()
        fitted = await self._book.enter(Entry(self._workspace_id, day, Charge.of(estimate), limits))
        return Reservation(day, estimate) if fitted else None

    async def settle(self, reservation: Reservation, spent: Usage) -> None:
        """Replace the estimate by what was spent, on the day it was charged to. Raises what the database raises."""
        difference = Charge.of(spent) - Charge.of(reservation.estimate)
        await self._book.enter(Entry(self._workspace_id, reservation.day, difference))


def enter(entries: Sequence[Entry]) -> list[bool | DatabaseError]:
    """Which of the entries fitted and were made, or why that cannot be told. Gives the connection back to the pool."""
    made: dict[int, bool | DatabaseError] = dict.fromkeys(range(len(entries)), False)
    try:
        for account, positions in _together(entries).items():
            made.update(zip(positions, _results(*account, [entries[each].charge for each in positions]), strict=True))
    finally:
        connection.close()
    return list(made.values())


def _results(
    workspace_id: UUID, day: date, limits: Limits, charges: Sequence[Charge]
) -> Sequence[bool | DatabaseError]:
    # What one account raises is its own: another workspace's entries stand in the same batch.
    try:
        return _charged(workspace_id, day, limits, charges)
    except DatabaseError as error:
        return [error] * len(charges)


def _together(entries: Sequence[Entry]) -> dict[tuple[UUID, date, Limits], list[int]]:
    """Positions of the entries that one statement may make: settlements first, for they give back."""
    groups: dict[tuple[UUID, date, Limits], list[int]] = {}
    for position in sorted(range(len(entries)), key=lambda position: entries[position].limits != NO_LIMITS):
        entry = entries[position]
        groups.setdefault((entry.workspace_id, entry.day, entry.limits), []).append(position)
    return groups


def _charged(workspace_id: UUID, day: date, limits: Limits, charges: Sequence[Charge]) -> list[bool]:
    within = _within(JudgeSpend.objects.filter(workspace=workspace_id, day=day), limits)
    made = _admitted(within, charges)
    return _admitted(within, charges) if not any(made) and _opened(workspace_id, day) else made


def _opened(workspace_id: UUID, day: date) -> bool:
    """Whether the account was not there yet, but is now."""
    if JudgeSpend.objects.filter(workspace=workspace_id, day=day).exists():
        return False
    JudgeSpend.objects.bulk_create([JudgeSpend(workspace_id=workspace_id, day=day)], ignore_conflicts=True)
    return True


Within = Callable[[Charge], QuerySet[JudgeSpend]]
"""The account, if it stays within the limits with this charge."""


def _within(accounts: QuerySet[JudgeSpend], limits: Limits) -> Within:
    def with_charge(charge: Charge) -> QuerySet[JudgeSpend]:
        within = accounts
        if limits.tokens is not None:
            used = F("prompt_tokens") + F("completion_tokens")
            within = within.alias(used=used).filter(used__lte=limits.tokens - charge.tokens)
        if limits.usd is not None:
            within = within.filter(usd__lte=_exact(limits.usd) - charge.usd)
        return within

    return with_charge


def _admitted(within: Within, charges: Sequence[Charge]) -> list[bool]:
    """All of them in one statement if they fit, else by halves: first come, first served."""
    if _made(within, sum(charges, NOTHING)):
        return [True] * len(charges)
    if len(charges) == 1:
        return [False]
    half = len(charges) // 2
    return _admitted(within, charges[:half]) + _admitted(within, charges[half:])


def _made(within: Within, charge: Charge) -> bool:
    changed = within(charge).update(
        calls=F("calls") + charge.calls,
        prompt_tokens=F("prompt_tokens") + charge.prompt_tokens,
        completion_tokens=F("completion_tokens") + charge.completion_tokens,
        usd=F("usd") + charge.usd,
    )
    return changed == 1
