"""Imports, freezes and exports that nobody runs, though they should run: their message or their worker was lost."""

from reviews.labels import exports, imports, jobs, versions
from reviews.messaging import broker
from reviews.models import ExportJob, ImportJob


def sweep() -> None:
    """Enqueue them again. Two indexed queries, and one over the few versions that are not frozen."""
    for job in jobs.lost(ImportJob):
        broker.enqueue(imports.TASK, job)
    for job in jobs.lost(ExportJob):
        broker.enqueue(exports.TASK, job)
    for version in versions.unfrozen():
        broker.enqueue(versions.TASK, version)
