"""The queue page: its time and size, and how it grows with the table behind it."""

import asyncio
from typing import Final

import pytest
from django.db import connection, models

from reviews import access
from reviews.models import Action, Review
from reviews.queue.order import QUEUE_ORDER
from tests import stack
from tests.bench.conftest import Site
from tests.bench.flow import WRONG, none_checking, person, submitted, until
from tests.bench.load import Request, drive, percentile
from tests.bench.report import report

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

WAITING: Final = 60
"""Items that wait: more than one page of them."""
FEW, MANY = 1_000, 1_000_000
LOOKS: Final = 30
GROWING: Final = (
    "/queue?risk=medium&tool=money&relation=DerivedFrom",
    "/actions",
    "/actions?agent=bench",
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
    few, size = _milliseconds(site, headers)
    few_of = {path: _milliseconds(site, headers, path)[0] for path in GROWING}
    _grow(MANY)
    many, _ = _milliseconds(site, headers)
    for path, before in few_of.items():
        now = _milliseconds(site, headers, path)[0]
        report(f"{path} at 1,000,000", ours=now / before, unit="of 1,000", goal=1.3, lower=True, ms=now, few=before)
    report("queue page", ours=few, unit="ms", goal=15, lower=True)
    report("size of the queue page", ours=size / 1024, unit="KB", goal=51, lower=True)
    report("queue page at 1,000,000 actions", ours=many / few, unit="of 1,000", goal=1.3, lower=True, ms=many, few=few)
    _explain(site)


def _milliseconds(site: Site, headers: dict[str, str], path: str = "/queue") -> tuple[float, int]:
    """The time of the page for one reader, and its bytes: the quickest quarter, as what disturbs it only ever adds."""
    looks = [Request("GET", path, headers=headers)] * (LOOKS + 10)
    load = asyncio.run(drive(site.url, looks, clients=1))
    assert load.statuses() == {200: len(looks)}
    # The first ones warm every process up.
    seconds = [answer.seconds for answer in load.answers[10:]]
    return 1000 * percentile(seconds, 25), len(load.answers[-1].body)


def _grow(actions: int) -> None:
    """Settled actions with closed reviews, until there are so many: copies of one, made by the database."""
    new = actions - Action.objects.count()
    action = columns_of_copy(Action, id="uuidv7()", status="'cancelled'", settled_at="now()", call_key="''")
    review = columns_of_copy(Review, id="uuidv7()", action_id="made.id", closed_at="made.settled_at")
    sql = f"""
        WITH made AS (
            INSERT INTO reviews_action ({", ".join(action)})
            SELECT {", ".join(action.values())}
            FROM (SELECT * FROM reviews_action LIMIT 1) AS o, generate_series(1, {new})
            RETURNING id, settled_at
        )
        INSERT INTO reviews_review ({", ".join(review)})
        SELECT {", ".join(review.values())} FROM (SELECT * FROM reviews_review LIMIT 1) AS o, made
    """  # noqa: S608 - put together of the models' own names
    with connection.cursor() as cursor:
        # Without a look at every row that each copy refers to, of which the database would make ten million.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(sql)
        cursor.execute("RESET session_replication_role")
        cursor.execute("VACUUM ANALYZE reviews_action, reviews_review")
        # Otherwise the pages would be timed beside the disk's work on the copies.
        cursor.execute("CHECKPOINT")


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
