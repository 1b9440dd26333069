"""What the rows of the queue show.

As dictionaries of what stands in the columns, read without making an object of every row of six tables: a page lists
25 of them and is asked for all the time.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias
from uuid import UUID

from django.db.models import Case, F, Func, IntegerField, JSONField, OuterRef, QuerySet, Subquery, When
from django.urls import reverse
from django.utils import timezone

from reviews.desk.text.gist import gist_of
from reviews.models import Decision, Membership, Review, pipeline
from reviews.models.key_order import in_key_order
from reviews.models.reviews import BY_STANDING_ORDER
from reviews.models.sql import checks as sql
from reviews.queue.filtering import UNPROVEN, stopped_by, strongest

_ANY: Final = UUID(int=0)
Row: TypeAlias = dict[str, Any]
"""A waiting item: the columns below, `href`, `stopped_by`, `holder`, `gist` and `grave`."""

# The names that the template and the order of the queue know them by.
_OWN: Final = (
    "id",
    "priority",
    "created_at",
    "reason",
    "effect",
    "due_at",
    "escalated_at",
    "claimed_by_id",
    "claimed_until",
)
_JOINED: Final = {
    "claimed_by__username": "username",
    "action_id": "action_id",
    "action__risk": "risk",
    "action__tool": "tool",
    "action__attempt": "attempt",
    "action__agent_key__name": "agent",
    "action__trace__external_id": "trace",
    "small": "arguments",
    "small_order": "key_order",
    "first": "approved_first_by",
    "assignment__assignee__username": "assignee",
    "assignment__role": "assigned_role",
}
EFFECT_WORDS: Final[Mapping[str, str]] = {
    "deletes": "deletes", "pays": "moves money", "sends": "sends", "runs": "runs code", "grants": "grants rights",
    "steers": "steers", "final": "final", "critical": "critical", "unclear": "effect unknown", "books": "books",
    "possible": "may be grave", "sensitive": "sensitive",
}  # fmt: skip
"""What makes a call grave, short enough for a row. That its developer rates it high stands in the row already."""
# Bytes of arguments that are read for a row: the gist of a larger call is on its page.
_MAX_ARGUMENTS_SIZE: Final = 4_000


def row_values(reviews: QuerySet[Review]) -> QuerySet[Review, Any]:
    """The same items as named tuples of what a row shows."""
    size = Func(F("action__arguments"), function="pg_column_size", output_field=IntegerField())
    small, small_order = (
        Case(When(size__lte=_MAX_ARGUMENTS_SIZE, then=F(column)), output_field=JSONField())
        for column in ("action__arguments", "action__key_order")
    )
    first = Decision.objects.filter(action=OuterRef("action"), awaits_second=True).values("reviewer__username")
    reviews = reviews.select_related(None).annotate(
        size=size, small=small, small_order=small_order, first=Subquery(first)
    )
    return reviews.values_list(*_OWN, *_JOINED, named=True)


def rows_of(items: Iterable[Any], membership: Membership, *, within: str = "") -> list[Row]:
    """The rows of `row_values`, as this member sees them; `within` keeps the filters behind their addresses."""
    columns = (*_OWN, *_JOINED.values())
    rows: list[Row] = [dict(zip(columns, item, strict=True)) for item in items]
    checks = pipeline.execute(sql.SELECT_VERDICTS, ([row["action_id"] for row in rows],))
    # What each enforced check says against each call, the earliest first.
    reasons: dict[UUID, list[str]] = defaultdict(list)
    for action, verdict, misalignment, established in checks.fetchall():
        reasons[action].append(stopped_by(verdict, misalignment, established=established))
    # Looked up once for all of them.
    address = reverse("review", args=[_ANY])
    for row in rows:
        row["href"] = address.replace(str(_ANY), str(row["id"])) + within
        row["stopped_by"] = _stopped_by(row, reasons[row["action_id"]])
        row["holder"] = _holder(row, membership)
        row["meant_for"] = row["assignee"] or (row["assigned_role"] and f"{row['assigned_role']}s") or ""
        row["grave"] = EFFECT_WORDS.get(row["effect"], "")
        # In the agent's order: which of two values tells most must not differ from what the item's own page says.
        row["gist"] = gist_of("", dict(in_key_order(row["arguments"] or {}, row["key_order"] or {})))
    return rows


def _stopped_by(row: Row, reasons: Sequence[str]) -> str:
    """A misalignment type, `undetermined`, `unproven` or `policy`."""
    objections = [reason for reason in reasons if reason not in ("", UNPROVEN)]
    # An objection says more than what merely could not be established. Where neither brought the call here, a tool
    # policy did.
    otherwise = UNPROVEN if UNPROVEN in reasons and row["reason"] not in BY_STANDING_ORDER else "policy"
    return strongest(objections) or otherwise


def _holder(row: Row, membership: Membership) -> str:
    """Who has claimed it: empty, a username, or `you`."""
    # A claim that has run out holds nothing, though its row is only cleared by the next one.
    if not (row["claimed_by_id"] and row["claimed_until"] and row["claimed_until"] > timezone.now()):
        return ""
    return "you" if row["claimed_by_id"] == membership.user_id else str(row["username"])
