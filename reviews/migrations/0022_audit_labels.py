"""Labels that say what let a wrong call pass, and which of the drawn calls have been looked at."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    # An index is built concurrently outside of transactions only.
    atomic = False

    dependencies = [("reviews", "0021_queue_by_deadline")]

    operations = [
        migrations.AddField(
            model_name="decision", name="audited_at", field=models.DateTimeField(null=True)
        ),
        migrations.AddField(
            model_name="label",
            name="rule",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        # Choices are the forms' alone: the column stays as it is.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="label",
                    name="source",
                    field=models.CharField(choices=[("operational", "Operational"), ("audit", "Audit")], max_length=16),
                )
            ]
        ),
        AddIndexConcurrently(
            model_name="decision",
            index=models.Index(
                fields=["id"],
                condition=Q(audit_probability__isnull=False, audited_at__isnull=True),
                name="decision_to_audit",
            ),
        ),
    ]
