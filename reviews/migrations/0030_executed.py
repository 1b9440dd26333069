"""What ran, beside what was approved."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0029_trust")]

    operations = [
        # With a default of the database's own: servers of the version before go on inserting executions.
        migrations.AddField("execution", "executed", models.JSONField(null=True)),
        migrations.AddField("execution", "deviates", models.BooleanField(db_default=False, default=False)),
    ]
