"""Checks that wait for their judge in one process."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0015_ground_truth_stands")]

    operations = [
        migrations.AddField(
            model_name=model, name="beside_others", field=models.BooleanField(db_default=False, default=False)
        )
        for model in ("check", "plan")
    ]
