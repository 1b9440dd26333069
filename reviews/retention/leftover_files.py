"""Delete the files that a killed process has left: a copy of what was uploaded or exported outlives no erasure."""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.files.storage import default_storage
from django.utils import timezone

from reviews.models import ExportJob, ImportJob, JobStatus

# Between storing a file and naming it in a job lie milliseconds, and as much between the end of a job and its file's.
STORED_FOR: Final = timedelta(hours=1)
"""How long a stored file may be named by no job."""
# Longer than any job has a copy of its file open: the largest collection loads in minutes.
COPIED_FOR: Final = timedelta(days=1)
"""How long a copy that a job works on may lie there."""


def delete_leftover_files() -> int:
    """Delete stored files that no job reads or hands out, and old copies that jobs worked on. Returns how many.

    Harmless to repeat, and beside running jobs.
    """
    now = timezone.now()
    # Listed before it is asked which are wanted: a file is stored before a job names it.
    stored = [*_stored_files("imports", now - STORED_FOR), *_stored_files("exports", now - STORED_FOR)]
    leftover = set(stored) - _wanted_files()
    for name in leftover:
        default_storage.delete(name)
    return len(leftover) + _delete_copies(now - COPIED_FOR)


def _wanted_files() -> set[str]:
    read = ImportJob.objects.filter(finished_at=None)
    handed_out = ExportJob.objects.filter(status__in=(JobStatus.RUNNING, JobStatus.DONE))
    return {name for jobs in (read, handed_out) for name in jobs.values_list("file", flat=True)}


def _stored_files(folder: str, before: datetime) -> Iterator[str]:
    """The files below this folder of the storage that were last written before then."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        # Nothing was ever stored there, or another sweep was faster.
        return
    for subfolder in folders:
        yield from _stored_files(f"{folder}/{subfolder}", before)
    for file in files:
        name = f"{folder}/{file}"
        try:
            is_old = default_storage.get_modified_time(name) < before
        except FileNotFoundError:
            continue
        if is_old:
            yield name


def _delete_copies(before: datetime) -> int:
    """Delete what lies in the folder for temporary files since before then; returns how much."""
    copies = [path for path in Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*") if _is_older(path, before)]
    for path in copies:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return len(copies)


def _is_older(path: Path, before: datetime) -> bool:
    try:
        return path.lstat().st_mtime < before.timestamp()
    except FileNotFoundError:
        return False
