"""Agents that say that they are stuck."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0031_day_figures")]

    operations = [
        migrations.AddField(
            model_name="action",
            name="is_stuck",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
