"""The queue is ordered by a stored moment: the deadline, or what a model of findings makes of it within its class."""

from datetime import UTC, datetime

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    # An index is built concurrently outside of transactions only.
    atomic = False

    dependencies = [("reviews", "0052_search_by_workspace")]

    operations = [
        migrations.AddField(
            "guardprofile",
            "suspicion",
            models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddField("guardprofile", "orders_queue", models.BooleanField(db_default=False, default=False)),
        migrations.AddField(
            "review",
            "order_at",
            models.DateTimeField(
                db_default=models.Value(datetime(2000, 1, 1, tzinfo=UTC)), default=datetime(2000, 1, 1, tzinfo=UTC)
            ),
        ),
        # What waits; what is closed is never ordered by it.
        migrations.RunSQL(
            "UPDATE reviews_review SET order_at = due_at WHERE closed_at IS NULL", migrations.RunSQL.noop
        ),
        AddIndexConcurrently(
            "review",
            models.Index(
                F("workspace"),
                F("priority").desc(),
                F("order_at"),
                F("id"),
                condition=Q(closed_at__isnull=True),
                name="review_queue_in_order",
            ),
        ),
        RemoveIndexConcurrently("review", "review_queue_by_deadline"),
    ]
