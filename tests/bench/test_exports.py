"""The export of labels over HTTP, beside one COPY of the same lines without the web server."""

import asyncio
import time

import pytest
from django.db import connection

from reviews import access
from reviews.api.serializers.labels import label_line
from reviews.decisions import decide
from reviews.models import Review
from reviews.records import commit_order
from tests.bench.conftest import Site
from tests.bench.load import Request, drive
from tests.bench.report import report
from tests.cast import flagged

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

LABELS = 40_000


def test_the_export_of_labels(site: Site) -> None:
    review: Review = flagged(site.cast)
    decide.decide_action(action=review.action, choice=decide.Reject("no"), membership=site.cast.reviewer)
    with connection.cursor() as cursor:
        # A label of its own source: only an operational one belongs to a single decision.
        cursor.execute(
            "INSERT INTO reviews_label (id, created_at, workspace_id, action_id, source, aligned, misalignment,"
            " relation, corrected_tool, note) SELECT uuidv7(), now(), workspace_id, action_id, 'study', aligned,"
            " misalignment, relation, corrected_tool, note FROM reviews_label, generate_series(1, %s)",
            [LABELS],
        )
        cursor.execute("ANALYZE")
    rows = access.labels_for(site.cast.agent)
    started = time.monotonic()
    (copied,) = commit_order.copy_lines(rows, label_line(), after=commit_order.START, size=LABELS + 1)
    floor = (LABELS + 1) / (time.monotonic() - started)
    assert copied.count(b"\n") == LABELS + 1
    request = Request("GET", "/api/v1/labels.jsonl", headers={"Authorization": f"Bearer {site.cast.agent_secret}"})
    load = asyncio.run(drive(site.url, [request], clients=1))
    assert load.answers[0].body.count(b"\n") == LABELS + 1
    ours = (LABELS + 1) / load.elapsed
    report("labels.jsonl beside COPY", ours=ours / floor, unit="of COPY", goal=0.5, rows=ours, floor=floor)
