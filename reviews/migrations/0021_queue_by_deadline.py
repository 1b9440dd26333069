"""The queue is listed by priority and then by deadline."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    # An index is built concurrently outside of transactions only.
    atomic = False

    dependencies = [("reviews", "0020_held_decisions_are_single")]

    operations = [
        AddIndexConcurrently(
            model_name="review",
            index=models.Index(
                F("workspace"),
                F("priority").desc(),
                F("due_at"),
                F("id"),
                condition=Q(closed_at__isnull=True),
                name="review_queue_by_deadline",
            ),
        ),
        RemoveIndexConcurrently(model_name="review", name="review_pending_queue"),
    ]
