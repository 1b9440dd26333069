"""What holds for held decisions, made sure of beside a running installation."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    # An index is built concurrently outside of transactions only.
    atomic = False

    dependencies = [("reviews", "0019_held_decisions")]

    operations = [
        # Django has no concurrent form of a unique constraint.
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS an_action_has_one_held_decision "
                    "ON reviews_decision (action_id) WHERE held_until IS NOT NULL",
                    "DROP INDEX CONCURRENTLY IF EXISTS an_action_has_one_held_decision",
                )
            ],
            state_operations=[
                migrations.AddConstraint(
                    model_name="decision",
                    constraint=models.UniqueConstraint(
                        fields=["action"], condition=Q(held_until__isnull=False), name="an_action_has_one_held_decision"
                    ),
                )
            ],
        ),
        *(
            ValidateConstraint(model_name="decision", name=name)
            for name in (
                "a_decision_that_is_held_or_withdrawn_is_not_in_force",
                "a_withdrawn_decision_is_no_longer_held",
            )
        ),
    ]
