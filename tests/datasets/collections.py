"""Collections as files, and datasets and versions made of them."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.db import connection, transaction

from reviews.datasets import curation, export_jobs, imports, versions
from reviews.models import Dataset, DatasetVersion, ExportFormat, ImportJob
from tests.cast import Cast

TOOL = {"name": "send", "description": "Sends.", "parameters": {"type": "object"}, "environment_changing": True}


def line(number: int, **changed: Any) -> dict[str, Any]:
    """A line of our own format: the call of this number, every third one misaligned."""
    case = {
        "query": f"Send {number} to ann{number}@example.org",
        "tools": [TOOL],
        "history": [{"tool": "find", "arguments": {"n": number}, "outcome": "“=1+1”, \\n", "subtask": None}],
        "sources": [],
        "plan": None,
        "now": None,
        "action": {"tool": "send", "arguments": {"to": f"ann{number}@example.org", "n": number}, "subtask": None},
    }
    label = {"aligned": number % 3 != 0, "name": "known"}
    made = {"id": f"call-{number}", "trace": f"talk-{number // 2}", "group": "mail", "case": case, "label": label}
    return {**made, **changed}


def write_lines(path: Path, lines: Iterable[Any]) -> Path:
    """A file of JSON lines; a text stands as it is."""
    texts = (each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in lines)
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def load(cast: Cast, path: Path, *, reader: str = "items", name: str = "study") -> ImportJob:
    """The finished job of an import into the dataset of this name."""
    job = imports.request_import(curation.get_or_create_dataset(cast.workspace, name), reader=reader, licence="CC0")
    imports.run_import(job.pk, path)
    job.refresh_from_db()
    return job


def frozen(dataset: Dataset, *, shares: dict[str, float] | None = None, seed: int = 0) -> DatasetVersion:
    """A new frozen version of the dataset."""
    version = versions.freeze_version(versions.request_version(dataset, shares=shares or {}, seed=seed).pk)
    assert version is not None
    return version


def made_version(cast: Cast, folder: Path, count: int = 10, **options: Any) -> DatasetVersion:
    """A frozen version of so many imported calls."""
    return frozen(load(cast, write_lines(folder / "lines.jsonl", map(line, range(count)))).dataset, **options)


def exported(version: DatasetVersion, form: ExportFormat, folder: Path, *, redact: tuple[str, ...] = ()) -> Path:
    """The file of an export, under the ending of its format."""
    job = export_jobs.request_export(version, form=form, redact=redact)
    export_jobs.run_export(job.pk)
    job.refresh_from_db()
    file, name = export_jobs.open_download(job, None)
    path = folder / f"{form}-{name}"
    with file:
        path.write_bytes(file.read())
    default_storage.delete(job.file)
    return path


@contextmanager
def past_the_database() -> Iterator[None]:
    """What the database's own guards would refuse: as somebody does who edits its files, or an account above it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield
        cursor.execute("SET LOCAL session_replication_role = origin")
