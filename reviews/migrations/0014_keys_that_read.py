"""Agent keys that only read."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0013_ground_truth")]

    operations = [
        migrations.AddField(
            model_name="agentkey", name="reads_only", field=models.BooleanField(db_default=False, default=False)
        ),
    ]
