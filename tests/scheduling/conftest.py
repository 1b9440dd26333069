"""Checks begin with an empty queue at the broker, whatever other tests of this process have left there."""

import pytest
from celery import current_app
from django.conf import settings


@pytest.fixture(autouse=True)
def _nothing_waits() -> None:
    # Behind a full queue nobody enqueues anything, and the server outlives the tests that have filled it.
    with current_app.connection_or_acquire() as connection:
        connection.default_channel.queue_purge(settings.CELERY_TASK_ROUTES["reviews.tasks.run_due_jobs"]["queue"])
