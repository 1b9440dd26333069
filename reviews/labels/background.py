"""Imports, freezes and exports in the worker: whose turn it is, and what nobody runs though it should run."""

from reviews.labels import exports, imports, jobs, versions
from reviews.models import ExportJob, ImportJob
from reviews.scheduling import broker


def work() -> None:
    """Run imports and exports in turn until nothing waits that may run now.

    Whoever has to wait for a slot is served by the one whose job ends.
    """
    while job := jobs.take_next():
        match job:
            case ImportJob():
                imports.run_apart(job)
            case ExportJob():
                exports.run_apart(job)


def sweep() -> None:
    """Enqueue again what lost its message or its worker: two indexed queries, one over the few unfrozen versions."""
    for job in jobs.lost(ImportJob):
        broker.enqueue(imports.TASK, job)
    for job in jobs.lost(ExportJob):
        broker.enqueue(exports.TASK, job)
    for version in versions.unfrozen():
        broker.enqueue(versions.TASK, version)
