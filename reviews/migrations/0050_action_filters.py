"""Actions are found by their `tool_call_id` and by their metadata."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    # An index is built concurrently outside of transactions only.
    atomic = False

    dependencies = [("reviews", "0049_notifications_and_canaries")]

    operations = [
        AddIndexConcurrently(
            "action",
            models.Index(
                fields=["agent", "tool_call_id"], name="action_by_tool_call_id", condition=~Q(tool_call_id="")
            ),
        ),
        AddIndexConcurrently(
            "action", GinIndex(fields=["metadata"], name="action_by_metadata", opclasses=["jsonb_path_ops"])
        ),
    ]
