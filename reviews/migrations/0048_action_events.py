"""What becomes of calls is kept as events, for a feed; keys may be allowed to follow all agents."""

import django.db.models.deletion
import django.db.models.functions.comparison
from django.db import migrations, models

import reviews.models.base


def _copied(to):
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to=to,
    )


class Migration(migrations.Migration):
    dependencies = [("reviews", "0047_experiment_kinds")]

    operations = [
        migrations.AddField("agentkey", "reads_all_events", models.BooleanField(db_default=False, default=False)),
        migrations.CreateModel(
            name="ActionEvent",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "transaction",
                    models.BigIntegerField(
                        db_default=django.db.models.functions.comparison.Cast(
                            django.db.models.functions.comparison.Cast(
                                models.Func(function="pg_current_xact_id"), models.TextField()
                            ),
                            models.BigIntegerField(),
                        ),
                        editable=False,
                    ),
                ),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("action.waiting", "a call waits for a person"),
                            ("action.decided", "a call is decided"),
                            ("action.expired", "nobody decided in time"),
                            ("action.cancelled", "the agent took a call back"),
                            ("action.superseded", "the agent proposed another call instead"),
                        ],
                        max_length=32,
                    ),
                ),
                (
                    "action",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="reviews.action",
                    ),
                ),
                ("agent", _copied("reviews.agent")),
                ("workspace", _copied("reviews.workspace")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("action", "type"), name="an_event_happens_to_an_action_once"
                    )
                ],
                "indexes": [
                    models.Index(fields=["agent", "transaction", "id"], name="event_feed_of_an_agent"),
                    models.Index(fields=["workspace", "transaction", "id"], name="event_feed"),
                    models.Index(fields=["created_at"], name="event_by_age"),
                ],
            },
        ),
    ]
