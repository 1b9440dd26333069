"""A tool gets the values that its caller gave, and of what a reviewer edited the like: never JSON in their place."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from reviews.agents.client.provenanceguard.payloads import to_json
from reviews.agents.client.provenanceguard.restoring import is_same_json, restore
from reviews.agents.client.provenanceguard.testing import FakeGuard, Judge, allowed, decided, edited

PAST = {"query": "Tidy up."}


class Mode(Enum):
    DRY_RUN = "dry_run"
    REAL = "real"


class Order(BaseModel):
    to: str
    amount: Decimal


class Renamed(BaseModel):
    to: str = Field(default="", serialization_alias="sentTo")


@dataclass(frozen=True)
class Line:
    mode: Mode
    day: date


class Pair(NamedTuple):
    mode: Mode
    times: int


GIVEN: dict[str, Any] = {
    "mode": Mode.DRY_RUN,
    "day": date(2026, 1, 2),
    "order": Order(to="a", amount=Decimal("10.50")),
    "amount": Decimal("12345678901234567.89"),
    "names": {"a"},
}


def received(judge: Judge, given: dict[str, Any] = GIVEN) -> dict[str, Any]:
    """What a tool gets of these arguments."""
    fake, ran = FakeGuard(judge), list[dict[str, Any]]()
    with fake.guard() as guard:
        guard.run(("tidy", given), PAST, lambda **got: ran.append(got))
    return ran[0]


def test_a_tool_gets_what_its_caller_gave() -> None:
    got = received(allowed)
    assert all(got[name] is value for name, value in GIVEN.items())


def test_of_an_edited_call_only_what_was_edited_is_another() -> None:
    got = received(edited(mode="real", day="2026-02-03"))
    assert (got["mode"], got["day"]) == (Mode.REAL, date(2026, 2, 3))
    assert all(got[name] is GIVEN[name] for name in ("order", "amount", "names"))


def test_what_has_changed_since_it_was_proposed_runs_as_it_was_approved() -> None:
    names = ["a"]

    def change(body: dict[str, Any]) -> dict[str, Any]:
        names.append("b")
        return allowed(body)

    assert received(change, {"names": names})["names"] == ["a"]


def delete(mode: Mode) -> str:
    """Deletes, unless it is a dry run."""
    return "would delete" if mode is Mode.DRY_RUN else "deleted"


@pytest.mark.parametrize(("judge", "given"), [(allowed, Mode.DRY_RUN), (edited(mode="dry_run"), Mode.REAL)])
async def test_a_dry_run_of_a_protected_tool_stays_one(judge: Judge, given: Mode) -> None:
    with FakeGuard(judge).guard() as guard:
        assert guard.protect(past=lambda: PAST)(delete)(given) == "would delete"
    async with FakeGuard(judge).async_guard() as asynchronous:
        assert await asynchronous.protect(past=lambda: PAST)(delete)(given) == "would delete"


def test_an_edit_that_is_no_such_value_runs_nothing_and_is_reported() -> None:
    fake = FakeGuard(edited(mode="dry-run"))
    with fake.guard() as guard, pytest.raises(ValueError, match="no Mode"):
        guard.protect(past=lambda: PAST)(delete)(Mode.REAL)
    assert [report["status"] for report in fake.reports] == ["failed"]


def test_another_tool_gets_its_arguments_as_they_were_approved() -> None:
    ran: list[Any] = []
    with FakeGuard(lambda body: decided(body, "edit", tool="ask")).guard() as guard:
        guard.run(("tidy", {"mode": Mode.REAL}), PAST, {"ask": lambda **got: ran.append(got)})
    assert ran == [{"mode": "real"}]


@pytest.mark.parametrize(
    ("given", "approved", "restored"),
    [
        (Order(to="a", amount=Decimal(1)), {"to": "b", "amount": "2.50"}, Order(to="b", amount=Decimal("2.50"))),
        (Line(Mode.REAL, date.min), {"mode": "dry_run", "day": "0001-01-01"}, Line(Mode.DRY_RUN, date.min)),
        (Pair(Mode.REAL, 1), ["dry_run", 2], Pair(Mode.DRY_RUN, 2)),
        ([Mode.REAL], ["dry_run", "real"], [Mode.DRY_RUN, Mode.REAL]),
        ((Mode.REAL,), [], ()),
        ({Mode.REAL}, ["dry_run"], {Mode.DRY_RUN}),
        ([], ["dry_run"], ["dry_run"]),
        ({"m": Mode.REAL, "n": 1}, {"m": "dry_run", "o": 2}, {"m": Mode.DRY_RUN, "o": 2}),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-03T00:00:00Z", datetime(2026, 1, 3, tzinfo=UTC)),
        (time(1), "02:00:00", time(2)),
        (UUID(int=1), str(UUID(int=2)), UUID(int=2)),
        (Decimal("0.1"), 0.2, Decimal("0.2")),
        ("a", "b", "b"),
        (True, 1, 1),
        (None, "b", "b"),
    ],
)
def test_an_edited_value_is_the_like_of_what_was_given(given: Any, approved: Any, restored: Any) -> None:
    got = restore(given, approved)
    assert (got, type(got)) == (restored, type(restored))


@pytest.mark.parametrize(
    ("given", "approved"),
    [
        (Mode.REAL, "unreal"),
        (Line(Mode.REAL, date.min), {"mode": "real"}),
        (Line(Mode.REAL, date.min), {"mode": "real", "day": "0001-01-01", "more": 1}),
        (Order(to="a", amount=Decimal(1)), {"to": "b"}),
        (Order(to="a", amount=Decimal(1)), {"to": "b", "amount": "1", "copy_to": "c"}),
        (Renamed(to="a"), {"sentTo": "b"}),
        (date.min, 7),
        (Decimal(1), "much"),
        ([Mode.REAL], "real"),
        ({"a": 1}, ["a"]),
    ],
)
def test_what_is_no_such_value_is_refused(given: Any, approved: Any) -> None:
    with pytest.raises((TypeError, ValueError, ArithmeticError)):
        restore(given, approved)


@pytest.mark.parametrize("value", [GIVEN, [1, 1.5, None, True, "a"]])
def test_a_value_is_the_same_as_its_own_json(value: Any) -> None:
    assert is_same_json(to_json(value), to_json(value))
    assert restore(value, to_json(value)) is value


@pytest.mark.parametrize(("first", "second"), [(1, True), ([1], [1, 2]), ({"a": 1}, {"a": 1, "b": 1}), ("1", 1)])
def test_other_json_is_not_the_same(first: Any, second: Any) -> None:
    assert not is_same_json(first, second)
