"""The Celery application: Redis carries hints, the database holds the work."""

import os
import sys
from collections.abc import Mapping
from typing import Any

from celery import Celery
from celery.signals import beat_init, before_task_publish, celeryd_init, worker_init

from guardapp import telemetry
from guardapp.beat_liveness import show_beat
from guardapp.files_folder import require_files_folder

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "guardapp.settings")
# Django's checks import every page, a third of what a worker imports. They run where a release is built (`make lint`);
# a worker that succeeds a killed one is at work the sooner.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# The settings' names begin with CELERY_, so that Django's and Celery's stand in one file.
app = Celery("guardapp")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Celery would close the pool of connections around each task, and a new connection costs the server a process and
# every statement its preparation: more than a check. `reviews.tasks` hands connections back to the pool instead.
app.conf["CELERY_DB_REUSE_MAX"] = sys.maxsize
app.autodiscover_tasks()


@celeryd_init.connect
def refuse_a_folder_that_cannot_be_used(options: Mapping[str, Any], **_: object) -> None:
    """Imports and exports are work of the default queue; a worker for checks alone need not have the folder."""
    if "default" in (options.get("queues") or ["default"]):
        require_files_folder()


@worker_init.connect
def start_tracing(**_: object) -> None:
    """Before the worker forks its processes, which go on by themselves."""
    telemetry.start_tracing("worker")


@beat_init.connect
def show_that_beat_moves(**_: object) -> None:
    """Beat leaves a sign whenever it sends a task; `guardapp.healthcheck` looks at its age."""
    # Not weak: nothing else holds the function.
    before_task_publish.connect(lambda **_: show_beat(), weak=False)
