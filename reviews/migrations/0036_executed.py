"""What ran, beside what was approved."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0035_trust")]

    operations = [
        # With a default of the database's own: servers of the version before go on inserting executions.
        migrations.AddField("execution", "deviates", models.BooleanField(db_default=False, default=False)),
    ]
