"""Imports and exports in a process of their own: what a file or a record holds may keep it busy for ever, or end it."""

import ctypes
import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID

from django.conf import settings

from reviews.datasets import job_leases
from reviews.scheduling.worker_process import end_with_parent, limit_memory, worker_process

T = TypeVar("T")

NOWHERE: Final = 0
"""The place of work that is at no record."""
# Imported in the process that forks the others, so that a job, or what is left of one, begins in milliseconds.
_PRELOADED: Final = "reviews.datasets.job_preload"
# Far within the lease, and soon after somebody has cancelled the job.
_RENEW_SECONDS: Final = 5.0
# Behind the end of its job a process deletes a file, or notices that the job was cancelled.
_GRACE_SECONDS: Final = 5.0
# Agents wait for checks, and nobody for an import.
_NICENESS: Final = 10


class ProcessFailedError(Exception):
    """The process failed by an error of ours, which it has logged: another attempt may do better."""


class Place:
    """The record that is worked on, as whoever finds the process ended must know; and for how long it may be."""

    def __init__(self, number: Any = None, folder: str | None = None) -> None:
        self._number = ctypes.c_ulonglong(NOWHERE) if number is None else number
        self.folder = folder or settings.FILE_UPLOAD_TEMP_DIR
        """Where files may be left: whoever finds the process ended removes it."""

    @contextmanager
    def working_on(self, number: int, seconds: float) -> Iterator[None]:
        """Work on this record, numbered from 1; longer than so many seconds, and the process is ended."""
        self._number.value = number
        with worker_process.killed_after(seconds):
            yield
        self._number.value = NOWHERE

    def iterate_records(self, records: Iterable[T], seconds: float) -> Iterator[T]:
        """The records, each found in as many seconds: before the first of them a whole file may have to be read."""
        iterator, end = iter(records), object()
        while True:
            with worker_process.killed_after(seconds):
                record = next(iterator, end)
            if record is end:
                return
            yield record  # type: ignore[misc]  # it is no end


Work: TypeAlias = Callable[[UUID, UUID, Place], None]
"""Does what is left of the job of this key under this lease. Raises `JobLostError`."""


def run_in_process(work: Work, job: job_leases.AnyJob) -> int | None:
    """Do the work of a job that was taken. None when it ended by itself, else the record at which it was ended.

    Raises `JobLostError`, which ends the process, and `ProcessFailedError`.
    """
    return run_side_by_side([work], job)


def run_side_by_side(works: Sequence[Work], job: job_leases.AnyJob) -> int | None:
    """Do parts of the work of a job in a process each. As `run_in_process`: when one is ended, the others are, too."""
    # Not forked from a worker with many threads, whose locks a child would inherit as they are.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([_PRELOADED])
    numbers = [context.RawValue(ctypes.c_ulonglong, NOWHERE) for _ in works]
    with tempfile.TemporaryDirectory(prefix="job-", dir=settings.FILE_UPLOAD_TEMP_DIR) as folder:
        processes = [
            context.Process(target=_begin_work, args=(work, job.pk, job.lease, number, folder), daemon=True)
            for work, number in zip(works, numbers, strict=True)
        ]
        for process in processes:
            process.start()
        try:
            ended = _wait_for_processes(processes, job)
        except job_leases.JobLostError:
            for process in processes:
                process.join(_GRACE_SECONDS)
            raise
        finally:
            for process in processes:
                process.kill()
                process.join()
    return None if ended is None else int(numbers[ended].value)


def _wait_for_processes(processes: Sequence[BaseProcess], job: job_leases.AnyJob) -> int | None:
    """The process that was ended, as soon as one was; None once all have ended by themselves."""
    while True:
        codes = [process.exitcode for process in processes]
        for place, code in enumerate(codes):
            if code is not None and code > 0:
                raise ProcessFailedError(f"{type(job).__name__} {job.pk} failed")
            if code:
                return place
        running = [process.sentinel for process, code in zip(processes, codes, strict=True) if code is None]
        if not running:
            return None
        if not connection.wait(running, _RENEW_SECONDS):
            job_leases.renew_lease(job)


def _begin_work(work: Work, job_id: UUID, lease: UUID, number: Any, folder: str) -> None:
    end_with_parent(signal.SIGKILL)
    # Whoever stops the worker from a keyboard stops it alone: it ends this process when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory(settings.GUARD.check_megabytes)
    os.nice(_NICENESS)
    worker_process.declare_killable()
    try:
        work(job_id, lease, Place(number, folder))
    except job_leases.JobLostError:
        # Whoever has it now goes on.
        return
