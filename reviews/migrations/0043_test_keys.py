"""Test keys: a sandbox beside a workspace, and a mark on what is proposed in it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0042_user_confirmation")]

    operations = [
        migrations.AddField(
            "workspace",
            "sandbox_of",
            models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sandbox",
                to="reviews.workspace",
            ),
        ),
        migrations.AddField("action", "is_test", models.BooleanField(db_default=False, default=False)),
    ]
