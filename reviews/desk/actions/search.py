"""Every action, newest first, filtered and searched: a bounded look at a time, however many there are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from reviews import access, pagination
from reviews.desk.actions.filters import STOPPED, ActionFilters, read_day
from reviews.errors import InvalidCursorError
from reviews.models import (
    Action,
    ActionText,
    Decision,
    Label,
    Membership,
    Outcome,
    Review,
    Status,
)
from reviews.queue.filtering import drop_empty, objecting_checks

PAGE_SIZE: Final = 25
# By the index of the listing; the id decides between actions of one moment.
ORDER: Final = ("-created_at", "-id")
FIRST_LOOK: Final = 250
"""Newest actions that are looked through at first: what people usually look for fills a page from these."""
WINDOW: Final = 1_000
"""Actions that one page looks through for what no index finds: a page takes as long with a million as with these."""
MAX_RARE: Final = 3
"""Of the first look, how many match a text that few actions match: then its index is quick to name all of them."""

# Some seconds of reading, for a dataset that is made once.
MAX_LOOKED_THROUGH: Final = 50_000
"""Actions that a dataset of a page's filters is chosen from."""


@dataclass(frozen=True)
class ActionPage:
    """One page of actions."""

    actions: Sequence[Action]
    """With `in_force`, the decision that stands, in a list."""
    next_cursor: str
    """Where to look on; empty at the end."""
    looked_back_to: datetime | None
    """The time of the oldest action that was looked at, where there are more behind it that were not."""


class LookedAction(NamedTuple):
    """An action that is looked through."""

    id: UUID
    created_at: datetime


def find_actions(membership: Membership, filters: ActionFilters) -> ActionPage:
    """A page of the actions behind the cursor. A cursor that this server did not make leads to the first page."""
    listed = _narrow_by_index(membership, filters)
    try:
        behind = pagination.behind(listed, order=ORDER, cursor=filters.after or None)
    except InvalidCursorError:
        behind = listed
    in_force = Prefetch(
        "decisions", Decision.objects.filter(in_force=True).select_related("reviewer"), to_attr="in_force"
    )
    if not filters.sifts:
        page = pagination.keyset(behind.prefetch_related(in_force), order=ORDER, cursor=None, limit=PAGE_SIZE)
        return ActionPage(page.items, page.next_cursor or "", None)
    for window in _read_windows(membership, behind.select_related(None), filters.text, most=WINDOW):
        sifted = _filter_unindexed(membership, listed.filter(pk__in=[action.id for action in window]), filters)
        page = pagination.keyset(sifted.prefetch_related(in_force), order=ORDER, cursor=None, limit=PAGE_SIZE)
        if page.next_cursor:
            return ActionPage(page.items, page.next_cursor, None)
    if len(window) < WINDOW:
        return ActionPage(page.items, "", None)
    last = window[-1]
    cursor = pagination.cursor_of(Action(id=last.id, created_at=last.created_at), ORDER)
    return ActionPage(page.items, cursor, last.created_at)


def select_actions(membership: Membership, filters: ActionFilters, *, most: int) -> list[UUID]:
    """The keys of the newest actions that the filters let through, of the newest `MAX_LOOKED_THROUGH`."""
    listed = _narrow_by_index(membership, filters)
    *_, window = _read_windows(membership, listed.select_related(None), filters.text, most=MAX_LOOKED_THROUGH)
    sifted = _filter_unindexed(membership, listed.filter(pk__in=[action.id for action in window]), filters)
    return list(sifted.order_by(*ORDER).values_list("pk", flat=True)[:most])


def _read_windows(
    membership: Membership, behind: QuerySet[Action], text: str, *, most: int
) -> Iterator[list[LookedAction]]:
    """The actions to look through, newest first: a few, then `most`, or those that match the text where few do."""
    newest = _read_keys(behind.order_by(*ORDER), FIRST_LOOK)
    yield newest
    if len(newest) < FIRST_LOOK:
        return
    texts = ActionText.objects.matching(membership.workspace_id, text)
    # A common word has so many places in the index that finding the newest would take seconds. By their keys, and not
    # by a query within the query, for which the database would read that index all the same.
    if text and texts.filter(action__in=[action.id for action in newest]).count() <= MAX_RARE:
        yield _read_keys(behind.filter(text__in=texts).order_by("-text__created_at", "-text__action"), most)
    else:
        yield _read_keys(behind.order_by(*ORDER), most)


def _read_keys(actions: QuerySet[Action], most: int) -> list[LookedAction]:
    # Without an object for each of thousands of rows, which takes longer than the database needs for them.
    return [LookedAction(*row) for row in actions.values_list("id", "created_at")[:most]]


def _narrow_by_index(membership: Membership, filters: ActionFilters) -> QuerySet[Action]:
    """What an index narrows: an agent's actions, those up to a day."""
    actions = access.actions_for(membership)
    if filters.agent:
        # By its key: joined by its name, the listing of the agent would not be found by its index.
        agent = access.agents_for(membership).filter(name=filters.agent).values_list("pk", flat=True).first()
        actions = actions.filter(agent=agent) if agent else actions.none()
    if day := read_day(filters.until):
        # Its last microsecond, as the database counts them: not every day has a next one.
        actions = actions.filter(created_at__lte=datetime.combine(day, time.max, UTC))
    if day := read_day(filters.since):
        actions = actions.filter(created_at__gte=datetime.combine(day, time.min, UTC))
    return actions


def _filter_unindexed(membership: Membership, actions: QuerySet[Action], filters: ActionFilters) -> QuerySet[Action]:
    """The actions that all other filters let through."""
    outcome = filters.outcome
    columns = {
        "tool": filters.tool,
        "risk": filters.risk,
        # Of a decided call the decision tells the outcome.
        "status": outcome if outcome in Status.values else "",
    }
    decision = {
        "outcome": outcome if outcome in Outcome.values else "",
        "decided_by": filters.by,
        "reviewer__username": filters.person,
        "ordered__order": filters.order,
    }
    actions = actions.filter(**drop_empty(columns))
    if decision := drop_empty(decision):
        actions = actions.filter(Exists(Decision.objects.filter(action=OuterRef("pk"), in_force=True, **decision)))
    if checks := drop_empty({"misalignment": filters.type, "detector": filters.detector}):
        actions = actions.filter(Exists(objecting_checks("pk").filter(**checks)))
    if filters.went:
        stopped = Exists(Review.objects.filter(action=OuterRef("pk")))
        actions = actions.filter(stopped if filters.went == STOPPED else ~stopped)
    if filters.label:
        labels = Label.objects.filter(action=OuterRef("pk"), aligned=filters.label == "right")
        actions = actions.filter(Exists(labels))
    if filters.text:
        actions = actions.filter(text__in=ActionText.objects.matching(membership.workspace_id, filters.text))
    return actions
