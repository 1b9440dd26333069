"""Maps that make a detector's scores probabilities, learned from labels and kept with the profile."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0050_action_filters")]

    operations = [
        migrations.AddField(
            "guardprofile",
            "calibrations",
            models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
    ]
