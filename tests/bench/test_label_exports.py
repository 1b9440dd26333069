"""How fast a million labels of some hundred bytes go out, beside COPY of the same rows, and how much memory that takes.

`LABEL_ROWS` (1,000,000) is how many there are; memory is compared with that of 10,000 of them.
"""

import os
from functools import partial
from typing import Final

import pytest
from django.db import connection

from reviews.datasets.export_writers import WRITERS
from reviews.models import Dataset, DatasetVersion, ExportFormat
from tests.bench import test_datasets as bench
from tests.cast import make_cast

# A million labels are made, copied and written twice in each of three formats.
pytestmark = [pytest.mark.bench, pytest.mark.timeout(1800), pytest.mark.django_db(transaction=True)]

ROWS: Final = int(os.environ.get("LABEL_ROWS", "200000"))
FEW: Final = 10_000
FORMATS: Final = (ExportFormat.JSONL, ExportFormat.CSV, ExportFormat.PARQUET)
CASE: Final = (
    '{"query": "Send $30 to Daniel", "tools": [], "history": [], "sources": [], "plan": null, "now": null,'
    ' "action": {"tool": "send", "arguments": {"to": "daniel@example.org", "amount": 30}, "subtask": null}}'
)


def test_labels_out() -> None:
    version = made()
    few = bench.part_of(version, FEW)
    peaks = {
        form: [bench.peak_of(partial(bench.written, WRITERS[form][0], of)) for of in (few, version)] for form in FORMATS
    }
    copied = bench.rate_of(bench.copy_of, version, ROWS)
    bench.print_row("COPY of the same rows", f"{copied:,.0f} rows a second")
    for form, (small, large) in peaks.items():
        rate = bench.rate_of(partial(bench.written_to, WRITERS[form][0]), version, ROWS)
        bench.print_row(
            f"export {form}",
            f"{rate:,.0f} rows a second",
            f"{rate / copied:.2f} of COPY (goal {bench.MIN_OF_COPY})",
            f"peak {small:.0f} MB of {FEW:,} rows, {large:.0f} MB of {ROWS:,}",
            f"{large / small:.2f} x (goal {bench.MAX_GROWTH})",
        )


def made() -> DatasetVersion:
    """A frozen version of so many imported calls. Written by the database: importing them is measured elsewhere."""
    dataset = Dataset.objects.create(workspace=make_cast().workspace, name="labels")
    version = DatasetVersion.objects.create(dataset=dataset, number=1, card={"items": ROWS})
    item = (
        'INSERT INTO reviews_datasetitem (id, created_at, dataset_id, origin, "case", content_key, conversation, tool,'
        " source, licence, source_line, metadata)"
        " SELECT uuidv7(), now(), %s, 'imported', %s, encode(sha256(n::text::bytea), 'hex'), 'conv-' || n, 'send',"
        " 'made#' || n, 'CC0', n, '{}' FROM generate_series(1, %s) n"
    )
    entry = (
        "INSERT INTO reviews_versionentry (id, created_at, version_id, ordinal, item_id, digest, label, split)"
        " SELECT uuidv7(), now(), %s, source_line, id, content_key,"
        ' \'{"aligned": true, "method": "given"}\', \'train\' FROM reviews_datasetitem WHERE dataset_id = %s'
    )
    with connection.cursor() as cursor:
        cursor.execute(item, [dataset.pk, CASE, ROWS])
        cursor.execute(entry, [version.pk, dataset.pk])
        cursor.execute("ANALYZE reviews_datasetitem, reviews_versionentry")
    return bench.stamped(version)
