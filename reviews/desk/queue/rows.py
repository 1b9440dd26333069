"""What the rows of the queue show.

As dictionaries of what stands in the columns, read without making an object of every row of six tables: a page lists
25 of them and is asked for all the time.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias
from uuid import UUID

from django.db.models import Func, JSONField, QuerySet
from django.urls import reverse
from django.utils import timezone

from reviews.desk.text.gist import TELLING, word_gist
from reviews.models import Membership, Review, pipeline
from reviews.models.reviews import BY_STANDING_ORDER
from reviews.models.sql import checks as sql
from reviews.queue.selection import UNPROVEN, stopped_by

_ANY: Final = UUID(int=0)
_TELLING: Final = "telling"
# Characters of one argument; a gist cuts it shorter still.
MAX_TELLING_LENGTH: Final = 200
Row: TypeAlias = dict[str, Any]
"""A waiting item: the columns below, `href`, `gist`, `stopped_by` and `holder`."""

# The names that the template and the order of the queue know them by.
_OWN: Final = ("id", "priority", "created_at", "reason", "due_at", "escalated_at", "claimed_by_id", "claimed_until")
_JOINED: Final = {
    "claimed_by__username": "username",
    "action_id": "action_id",
    "action__risk": "risk",
    "action__tool": "tool",
    "action__attempt": "attempt",
    "action__agent_key__name": "agent",
    "action__trace__external_id": "trace",
}


class _TellingArguments(Func):
    """The arguments that a gist may show, cut to a line: of a call that may have megabytes of others."""

    template = f"""(
        SELECT jsonb_object_agg(key, left(value #>> '{{}}', {MAX_TELLING_LENGTH})) FROM jsonb_each(%(expressions)s)
        WHERE key IN ({", ".join(f"'{name}'" for name in TELLING)}) AND jsonb_typeof(value) IN ('string', 'number')
    )"""  # noqa: S608 - names of our own
    output_field = JSONField()


def row_values(reviews: QuerySet[Review]) -> QuerySet[Review, Any]:
    """The same items as named tuples of what a row shows."""
    telling = {_TELLING: _TellingArguments("action__arguments")}
    return reviews.select_related(None).annotate(**telling).values_list(*_OWN, *_JOINED, _TELLING, named=True)


def rows_of(items: Iterable[Any], membership: Membership, *, within: str = "") -> list[Row]:
    """The rows of `row_values`, as this member sees them; `within` keeps the filters behind their addresses."""
    columns = (*_OWN, *_JOINED.values(), _TELLING)
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
        row["gist"] = word_gist("", row.pop(_TELLING) or {})
        row["stopped_by"] = _stopped_by(row, reasons[row["action_id"]])
        row["holder"] = _holder(row, membership)
    return rows


def _stopped_by(row: Row, reasons: Sequence[str]) -> str:
    """A misalignment type, `undetermined`, `unproven` or `policy`."""
    objections = [reason for reason in reasons if reason not in ("", UNPROVEN)]
    # An objection says more than what merely could not be established. Where neither brought the call here, a tool
    # policy did.
    otherwise = UNPROVEN if UNPROVEN in reasons and row["reason"] not in BY_STANDING_ORDER else "policy"
    return objections[0] if objections else otherwise


def _holder(row: Row, membership: Membership) -> str:
    """Who has claimed it: empty, a username, or `you`."""
    # A claim that has run out holds nothing, though its row is only cleared by the next one.
    if not (row["claimed_by_id"] and row["claimed_until"] and row["claimed_until"] > timezone.now()):
        return ""
    return "you" if row["claimed_by_id"] == membership.user_id else str(row["username"])
