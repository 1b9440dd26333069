"""Every action, newest first, filtered and searched: a bounded look at a time, however many there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.http import QueryDict
from django.utils.dateparse import parse_date

from reviews import access, pagination
from reviews.errors import InvalidCursorError
from reviews.models import (
    Action,
    Check,
    DecidedBy,
    Decision,
    Membership,
    MisalignmentType,
    Outcome,
    Risk,
    Status,
)

PAGE_SIZE: Final = 25
# By the index of the listing; the id decides between actions of one moment.
ORDER: Final = ("-created_at", "-id")
WINDOW: Final = 2_000
"""Actions that one page looks through for what no index finds: a page takes as long with a million as with these."""
MAX_SEARCH_LENGTH: Final = 100
OUTCOMES: Final = {
    "approve": "Approved",
    "edit": "Edited",
    "reject": "Rejected",
    "respond": "Answered",
    "checking": "Being checked",
    "pending": "Waiting",
    "expired": "Expired",
    "cancelled": "Cancelled",
    "superseded": "Superseded",
}
DECIDERS: Final = {"guard": "The guard", "policy": "A policy", "reviewer": "A person"}
TYPES: Final = {value: str(label) for value, label in MisalignmentType.choices}
RISKS: Final = {value: str(label) for value, label in Risk.choices}


@dataclass(frozen=True)
class ActionFilters:
    """Which actions are listed. The address carries it."""

    text: str = ""
    """Words of the tool, the arguments or the conversation's name."""
    agent: str = ""
    outcome: str = ""
    by: str = ""
    type: str = ""
    risk: str = ""
    until: str = ""
    """The last day that is listed, as `2026-11-23`."""
    after: str = ""
    """Cursor the page starts behind."""

    @classmethod
    def of(cls, query: QueryDict) -> "ActionFilters":
        """The filters in the address; what is not understood is left out."""
        # PostgreSQL refuses U+0000 in a text.
        given = {name: query.get(name, "").replace("\x00", "").strip()[:MAX_SEARCH_LENGTH] for name in _NAMES}
        for name, allowed in (("outcome", OUTCOMES), ("by", DECIDERS), ("type", TYPES), ("risk", RISKS)):
            given[name] = given[name] if given[name] in allowed else ""
        given["until"] = given["until"] if _day(given["until"]) else ""
        return cls(**given, after=query.get("after", ""))

    def within(self, **changes: str) -> str:
        """What stands behind an address to keep the filters: empty, or `?` and the query."""
        values = {name: getattr(self, name) for name in (*_NAMES, "after")} | changes
        query = urlencode({name: value for name, value in values.items() if value})
        return f"?{query}" if query else ""

    @property
    def narrows(self) -> bool:
        """Whether anything is left out."""
        return any(getattr(self, name) for name in _NAMES)

    @property
    def sifts(self) -> bool:
        """Whether anything is looked for that no index finds."""
        return any((self.text, self.outcome, self.by, self.type, self.risk))


_NAMES: Final = ("text", "agent", "outcome", "by", "type", "risk", "until")


@dataclass(frozen=True)
class Found:
    """One page of actions."""

    actions: Sequence[Action]
    """With `in_force`, the decision that stands, in a list."""
    next_cursor: str
    """Where to look on; empty at the end."""
    looked_back_to: datetime | None
    """The time of the oldest action that was looked at, where there are more behind it that were not."""


def find(membership: Membership, filters: ActionFilters) -> Found:
    """A page of the actions behind the cursor. A cursor that this server did not make leads to the first page."""
    listed = _indexed(membership, filters)
    try:
        behind = pagination.behind(listed, order=ORDER, cursor=filters.after or None)
    except InvalidCursorError:
        behind = listed
    in_force = Prefetch(
        "decisions", Decision.objects.filter(in_force=True).select_related("reviewer"), to_attr="in_force"
    )
    if not filters.sifts:
        page = pagination.keyset(behind.prefetch_related(in_force), order=ORDER, cursor=None, limit=PAGE_SIZE)
        return Found(page.items, page.next_cursor or "", None)
    window = behind.select_related(None).order_by(*ORDER)
    sifted = _sifted(listed.filter(pk__in=window.values("pk")[:WINDOW]), filters)
    page = pagination.keyset(sifted.prefetch_related(in_force), order=ORDER, cursor=None, limit=PAGE_SIZE)
    if page.next_cursor:
        return Found(page.items, page.next_cursor, None)
    last = window[WINDOW - 1 : WINDOW].first()
    return Found(page.items, pagination.cursor_of(last, ORDER) if last else "", last.created_at if last else None)


def _indexed(membership: Membership, filters: ActionFilters) -> QuerySet[Action]:
    """What an index narrows: an agent's actions, those up to a day."""
    actions = access.actions_for(membership)
    if filters.agent:
        # By its key: joined by its name, the listing of the agent would not be found by its index.
        agent = access.agents_for(membership).filter(name=filters.agent).values_list("pk", flat=True).first()
        actions = actions.filter(agent=agent) if agent else actions.none()
    if day := _day(filters.until):
        actions = actions.filter(created_at__lt=datetime.combine(day, time.min, UTC) + timedelta(days=1))
    return actions


def _sifted(actions: QuerySet[Action], filters: ActionFilters) -> QuerySet[Action]:
    decided: dict[str, Any] = {}
    if filters.outcome in Outcome.values:
        decided["outcome"] = filters.outcome
    elif filters.outcome in Status.values:
        actions = actions.filter(status=filters.outcome)
    if filters.by in DecidedBy.values:
        decided["decided_by"] = filters.by
    if decided:
        actions = actions.filter(Exists(Decision.objects.filter(action=OuterRef("pk"), in_force=True, **decided)))
    if filters.risk:
        actions = actions.filter(risk=filters.risk)
    if filters.type:
        objecting = Check.objects.enforced().filter(action=OuterRef("pk"), misalignment=filters.type)
        actions = actions.filter(Exists(objecting))
    if filters.text:
        actions = actions.annotate(written=Cast("arguments", TextField())).filter(
            Q(tool__icontains=filters.text)
            | Q(written__icontains=filters.text)
            | Q(trace__external_id__icontains=filters.text)
        )
    return actions


def _day(text: str) -> date | None:
    """The day; None for what is none."""
    try:
        return parse_date(text)
    except ValueError:
        return None
