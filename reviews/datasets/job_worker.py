"""Imports, freezes and exports in the worker: whose turn it is, and what nobody runs though it should run."""

from reviews.datasets import export_jobs, imports, job_leases, versions
from reviews.models import ExportJob, ImportJob
from reviews.scheduling import broker


def run_waiting_jobs() -> None:
    """Run imports and exports in turn until nothing waits that may run now.

    Whoever has to wait for a slot is served by the one whose job ends.
    """
    while job := job_leases.take_next_job():
        match job:
            case ImportJob():
                imports.run_in_own_process(job)
            case ExportJob():
                export_jobs.run_in_own_process(job)


def requeue_stalled() -> None:
    """Enqueue again what lost its message or its worker: two indexed queries, one over the few unfrozen versions."""
    for job in job_leases.list_stalled_jobs(ImportJob):
        broker.enqueue_task(imports.TASK, job)
    for job in job_leases.list_stalled_jobs(ExportJob):
        broker.enqueue_task(export_jobs.TASK, job)
    for version in versions.list_unfrozen_versions():
        broker.enqueue_task(versions.TASK, version)
