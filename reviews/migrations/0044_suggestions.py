"""Campaigns that show what the guard found, and what was shown with each answer."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0043_test_keys")]

    operations = [
        migrations.AddField("campaign", "shows_suggestions", models.BooleanField(db_default=False, default=False)),
        migrations.AddField("annotation", "suggestion", models.JSONField(null=True)),
    ]
