"""What holds for first approvals, made sure of beside a running installation."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations, models
from django.db.models import Q

_NAME = "an_action_has_one_first_approval_that_waits"


class Migration(migrations.Migration):
    # An index is built concurrently outside of transactions only.
    atomic = False

    dependencies = [("reviews", "0037_two_people")]

    operations = [
        # Django has no concurrent form of a unique constraint.
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS {_NAME} "
                    "ON reviews_decision (action_id) WHERE awaits_second",
                    f"DROP INDEX CONCURRENTLY IF EXISTS {_NAME}",
                )
            ],
            state_operations=[
                migrations.AddConstraint(
                    model_name="decision",
                    constraint=models.UniqueConstraint(fields=["action"], condition=Q(awaits_second=True), name=_NAME),
                )
            ],
        ),
        ValidateConstraint(
            model_name="decision", name="what_awaits_a_second_approval_is_a_persons_and_not_in_force"
        ),
    ]
