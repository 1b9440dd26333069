"""How fast collections come in and frozen versions go out, and how much memory that takes.

`DATASET_ROWS` (100,000) is how many items are imported and exported; memory is compared with a tenth of them. Rates of
exports stand beside PostgreSQL's own COPY of the same rows, as text, in the same run.
"""

import json
import os
import resource
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import pytest
from django.db import connection, connections
from django.db.backends.postgresql.base import DatabaseWrapper
from django.utils import timezone

from reviews.datasets import curation, imports, versions
from reviews.datasets.export_writers import WRITERS, Writer
from reviews.models import Dataset, DatasetVersion, ExportFormat
from reviews.retention.pii_redaction import KINDS
from tests.bench.report import note
from tests.cast import make_cast
from tests.datasets.collections import line

# A hundred thousand conversations come in, are frozen, and go out twice in each of five formats: about four minutes.
pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200), pytest.mark.django_db(transaction=True)]

ROWS: Final = int(os.environ.get("DATASET_ROWS", "100000"))
# What a tool returned: the bulk of a conversation.
CONTACTS: Final = [{"id": number, "name": f"Contact {number}", "note": "lorem ipsum " * 3} for number in range(40)]
OUTCOME: Final = json.dumps(CONTACTS)
MIN_A_SECOND: Final = 500
MAX_MEGABYTES: Final = 300
MAX_GROWTH: Final = 1.2
"""Peak memory over ten times the rows, as a multiple."""
MIN_OF_COPY: Final = 0.5


def test_in_and_out(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with path.open("w") as file:
        file.writelines(f"{json.dumps(long_line(number))}\n" for number in range(ROWS))
    dataset = curation.get_or_create_dataset(make_cast().workspace, "synthetic")
    job = imports.request_import(dataset, reader="items")
    started = time.perf_counter()
    used = used_by(lambda: imports.run_import(job.pk, path))
    seconds = time.perf_counter() - started
    job.refresh_from_db()
    assert job.loaded == ROWS, job.failure
    cpu = used.ru_utime + used.ru_stime
    print_row(
        "import",
        f"{ROWS / seconds:,.0f} conversations a second (goal {MIN_A_SECOND})",
        f"{ROWS / cpu:,.0f} a second of its own processor time",
        f"peak {used.ru_maxrss / 1024:.0f} MB (goal {MAX_MEGABYTES})",
    )
    assert ROWS / seconds >= MIN_A_SECOND
    assert used.ru_maxrss / 1024 <= MAX_MEGABYTES
    started = time.perf_counter()
    version = versions.freeze_version(versions.request_version(dataset, shares={"train": 0.8, "test": 0.2}).pk)
    assert version is not None
    print_row("freeze", f"{ROWS / (time.perf_counter() - started):,.0f} entries a second")
    small = part_of(version, ROWS // 10)
    # Before this process has used Arrow itself: its threads do not come along into a fork.
    peaks = {
        form: [peak_of(partial(written, WRITERS[form][0], of)) for of in (small, version)] for form in ExportFormat
    }
    redacted = peak_of(partial(written, WRITERS[ExportFormat.JSONL][0], version, redact=tuple(KINDS)))
    copied = rate_of(copy_of, version)
    print_row("COPY of the same rows", f"{copied:,.0f} rows a second")
    for form, (few, many) in peaks.items():
        rate = rate_of(partial(written_to, WRITERS[form][0]), version)
        print_row(
            f"export {form}",
            f"{rate:,.0f} rows a second",
            f"{rate / copied:.2f} of COPY (goal {MIN_OF_COPY})",
            f"peak {few:.0f} MB of {ROWS // 10:,} rows, {many:.0f} MB of {ROWS:,}",
            f"{many / few:.2f} x (goal {MAX_GROWTH})",
        )

    rate = rate_of(partial(written_to, WRITERS[ExportFormat.JSONL][0], redact=tuple(KINDS)), version)
    print_row("export jsonl, redacted", f"{rate:,.0f} rows a second", f"peak {redacted:.0f} MB")


def long_line(number: int) -> dict[str, Any]:
    """A line of four kilobytes."""
    made = line(number)
    made["case"]["history"].append({"tool": "list", "arguments": {}, "outcome": OUTCOME, "subtask": None})
    return made


def part_of(version: DatasetVersion, count: int) -> DatasetVersion:
    """A version with the first entries alone."""
    dataset = Dataset.objects.create(workspace=version.dataset.workspace, name="part")
    part = DatasetVersion.objects.create(dataset=dataset, number=1, card=version.card)
    columns = "ordinal, item_id, digest, label, split, created_at"
    with connection.cursor() as cursor:
        source = f"SELECT uuidv7(), %s, {columns} FROM reviews_versionentry WHERE version_id = %s AND ordinal <= %s"  # noqa: S608
        cursor.execute(
            f"INSERT INTO reviews_versionentry (id, version_id, {columns}) {source}", [part.pk, version.pk, count]
        )
    return stamped(part)


def stamped(version: DatasetVersion) -> DatasetVersion:
    """The version, frozen as far as its columns say: the database then takes no further entry."""
    version.content_hash = version.chain_hash = "0" * 64
    version.frozen_at = timezone.now()
    version.save()
    return version


class Nowhere(BytesIO):
    """A file that keeps nothing."""

    at = 0

    def write(self, data: Any) -> int:
        self.at += len(data)
        return len(data)

    def tell(self) -> int:
        return self.at

    def seekable(self) -> bool:
        return False


def written(write: Writer, version: DatasetVersion, redact: Sequence[str] = ()) -> None:
    """Written to nowhere."""
    written_to(write, version, cast(BinaryIO, Nowhere()), redact)


def written_to(write: Writer, version: DatasetVersion, file: BinaryIO, redact: Sequence[str] = ()) -> None:
    write(version, redact, file, lambda rows: None)


def copy_of(version: DatasetVersion, file: BinaryIO) -> None:
    rows = "SELECT e.*, i.* FROM reviews_versionentry e JOIN reviews_datasetitem i ON i.id = e.item_id"
    # A UUID, and COPY takes no parameters.
    statement = f"COPY ({rows} WHERE e.version_id = '{version.pk}' ORDER BY e.ordinal) TO STDOUT"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        file.writelines(copy)


def rate_of(write: Callable[[DatasetVersion, BinaryIO], None], version: DatasetVersion, rows: int = ROWS) -> float:
    """Rows a second of a version with so many."""
    started = time.perf_counter()
    write(version, cast(BinaryIO, Nowhere()))
    return rows / (time.perf_counter() - started)


def peak_of(work: Callable[[], object]) -> float:
    """Megabytes of a process at its peak."""
    return used_by(work).ru_maxrss / 1024


def used_by(work: Callable[[], object]) -> resource.struct_rusage:
    """What a process uses that does nothing else: a fork, with a connection of its own.

    It has all modules of the tests at hand, some hundred megabytes that no worker has.
    """
    # The whole pool and not only this thread's connection: by one that both processes hold, the parent's pool would
    # take leave of the server after its idle time, half a minute into the child's COPY.
    connections.close_all()
    cast(DatabaseWrapper, connection).close_pool()
    child = os.fork()
    if child == 0:
        # Whatever happens, the fork must not go on with the parent's tests.
        try:
            work()
            os._exit(0)
        finally:
            traceback.print_exc()
            os._exit(1)
    _, status, used = os.wait4(child, 0)
    assert status == 0
    return used


def print_row(what: str, *figures: str) -> None:
    note(f"{what:<24}{', '.join(figures)}")
