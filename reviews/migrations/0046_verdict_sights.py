"""Which calls reviewers who annotate were shown, so that they are asked about none of them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import reviews.models.base


class Migration(migrations.Migration):
    dependencies = [
        ("reviews", "0045_narrowed_orders"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("workspace", "reviewers_annotate_since", models.DateTimeField(null=True)),
        migrations.CreateModel(
            name="VerdictSight",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "action",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sights", to="reviews.action"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("action", "user"), name="a_sight_of_a_verdict_is_kept_once")
                ],
            },
        ),
    ]
