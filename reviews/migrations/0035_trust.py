"""Who can write what a tool returns, by profile, and the conditions of a task, by trace."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0034_dataset_inside")]

    operations = [
        # With defaults of the database's own: servers of the version before go on inserting rows.
        migrations.AddField(
            "guardprofile",
            "source_trust",
            models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddField(
            "trace", "invariants", models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict)
        ),
    ]
