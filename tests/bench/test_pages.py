"""The queue page: its time and size, and how it grows with the table behind it."""

import asyncio
from dataclasses import dataclass
from typing import Final

import pytest
from django.db import connection, models

from reviews import access
from reviews.models import Action, Review
from reviews.queue.ordering import QUEUE_ORDER
from tests import stack
from tests.bench.conftest import Site
from tests.bench.flow import WRONG, none_checking, person, submitted, until
from tests.bench.load import Request, drive, percentile
from tests.bench.report import cpu_of, report

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

WAITING: Final = 60
"""Items that wait: more than one page of them."""
FEW, MANY = 1_000, 1_000_000
LOOKS: Final = 60
CONTROL: Final = "/notifications"
"""Reads none of the rows that are made. Writing them slows the machine down for minutes: it tells by how much."""
GROWING: Final = (
    "/queue",
    "/queue?risk=medium&tool=money&relation=DerivedFrom",
    "/actions",
    "/actions?agent=support-bot",
    "/actions?text=daniel&risk=medium",
    "/actions?text=nothing-of-this-kind",
    "/audit",
    "/queue?text=daniel",
    "/overview",
)


def test_the_queue_page_at_a_thousand_and_a_million_actions(site: Site) -> None:
    with stack.worker(queues="checks"):
        submitted(site, WAITING, action=WRONG)
        until(none_checking)
    # An empty page would be quick whatever stood behind it.
    assert access.open_reviews_for(site.cast.reviewer).count() == WAITING
    headers = person(site.cast.reviewer)
    _grow(FEW)
    few = {path: _look_beside(site, headers, path) for path in GROWING}
    _grow(MANY)
    for path, (before, control_before) in few.items():
        now, control = _look_beside(site, headers, path)
        machine = control.ms / control_before.ms
        report(
            f"{path} at 1,000,000 actions", ours=now.ms / before.ms / machine, unit="of 1,000", goal=1.3, lower=True,
            ms=now.ms, few_ms=before.ms, machine=machine, cpu_ms=now.cpu_ms,
        )  # fmt: skip
    queue, _ = few["/queue"]
    report("queue page", ours=queue.ms, unit="ms", goal=15, lower=True)
    report("size of the queue page", ours=queue.size / 1024, unit="KB", goal=51, lower=True)
    _explain(site)


@dataclass(frozen=True)
class Look:
    """What a page takes for one reader."""

    ms: float
    """The quickest quarter, as what disturbs it only ever adds."""
    cpu_ms: float
    """Of the site and the database, which others on the machine hardly change."""
    size: int


def _look_beside(site: Site, headers: dict[str, str], path: str) -> tuple[Look, Look]:
    """The page, and right behind it the one that reads nothing."""
    return _look_at(site, headers, path), _look_at(site, headers, CONTROL)


def _look_at(site: Site, headers: dict[str, str], path: str) -> Look:
    looks = [Request("GET", path, headers=headers)] * LOOKS
    # The first ones warm every process up.
    asyncio.run(drive(site.url, looks[:10], clients=1))
    with cpu_of(*site.pids) as used:
        load = asyncio.run(drive(site.url, looks, clients=1))
    assert load.statuses() == {200: LOOKS}
    quickest = percentile([answer.seconds for answer in load.answers], 25)
    return Look(1000 * quickest, 1000 * used["seconds"] / LOOKS, len(load.answers[-1].body))


def _grow(actions: int) -> None:
    """Settled actions with all that pages read of them, until there are so many: the database copies one."""
    sql = _copies(actions - Action.objects.count())
    with connection.cursor() as cursor:
        # Without a look at every row that each copy refers to, of which the database would make ten million.
        cursor.execute("SET session_replication_role = replica")
        gin = "tablename = 'reviews_actiontext' AND indexdef LIKE '%USING gin%'"
        cursor.execute(f"SELECT indexname, indexdef FROM pg_indexes WHERE {gin}")  # noqa: S608 - a constant
        # Built anew, which takes a fifth of the time.
        indexes = cursor.fetchall()
        cursor.execute("DROP INDEX " + ", ".join(name for name, _ in indexes))
        cursor.execute(sql)
        for _, definition in indexes:
            cursor.execute(definition)
        cursor.execute("RESET session_replication_role")
        cursor.execute("VACUUM ANALYZE reviews_action, reviews_actiontext, reviews_decision, reviews_review")
        # Otherwise the pages would be timed beside the disk's work on the copies.
        cursor.execute("CHECKPOINT")


def _copies(number: int) -> str:
    """The statement that inserts so many actions with their texts, reviews and decisions.

    One a second into the past. Half of them stopped, half the guard passed; of these some of the last quarter of an
    hour wait for their audit, and one in fifty of those before was judged.
    """
    values = {"id": "uuidv7()", "status": "'decided'", "settled_at": "now()", "call_key": "''"}
    action = columns_of_copy(Action, **values, created_at="o.created_at - n * interval '1 second'")
    review = columns_of_copy(Review, id="uuidv7()", action_id="made.id", closed_at="made.settled_at")
    return f"""
        WITH made AS (
            INSERT INTO reviews_action ({", ".join(action)})
            SELECT {", ".join(action.values())}
            FROM (SELECT * FROM reviews_action ORDER BY id LIMIT 1) AS o, generate_series(1, {number}) AS n
            RETURNING id, workspace_id, created_at, settled_at, tool, arguments, digest, hashtext(id::text) AS chance,
                created_at > now() - interval '900 seconds' AS is_recent
        ), texts AS (
            INSERT INTO reviews_actiontext (action_id, workspace_id, created_at, body)
            SELECT made.id, made.workspace_id, made.created_at, o.body || ' ' || left(md5(made.id::text), 8)
            FROM made, (SELECT body FROM reviews_actiontext ORDER BY action_id LIMIT 1) AS o
        ), decisions AS (
            INSERT INTO reviews_decision (id, created_at, action_id, outcome, decided_by, tool, arguments, digest,
                message, provenance, in_force, awaits_second, audit_probability, audited_at)
            SELECT uuidv7(), made.created_at, made.id, 'approve', 'guard', tool, arguments, digest, '', '[]', true,
                false,
                CASE WHEN chance % (CASE WHEN is_recent THEN 8 ELSE 50 END) = 0 THEN 0.02 END,
                CASE WHEN NOT is_recent THEN now() END
            FROM made WHERE chance % 2 = 0
        )
        INSERT INTO reviews_review ({", ".join(review)})
        SELECT {", ".join(review.values())}
        FROM (SELECT * FROM reviews_review ORDER BY id LIMIT 1) AS o, made WHERE chance % 2 <> 0
    """  # noqa: S608 - put together of the models' own names


def columns_of_copy(model: type[models.Model], **changed: str) -> dict[str, str]:
    """The columns of a table, and what stands in them in a copy."""
    return {
        f'"{field.column}"': changed.get(str(field.column), f'o."{field.column}"')
        for field in model._meta.concrete_fields
    }


def _explain(site: Site) -> None:
    """Print the plans of the page's two longest queries."""
    rows = access.open_reviews_for(site.cast.reviewer)
    for query in (rows.order_by(*QUEUE_ORDER)[:51], rows.order_by().values("pk")[:1000]):
        print(query.explain(analyze=True, costs=False))
