"""The first of two approvals that a call takes, and the second that refers to it."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("reviews", "0036_executed")]

    # The foreign key has neither constraint nor index, and the other column a constant default.
    locks_are_short_because = "no row is rewritten and none is read"

    operations = [
        migrations.AddField("decision", "awaits_second", models.BooleanField(db_default=False, default=False)),
        migrations.AddField(
            "decision",
            "first_approval",
            models.ForeignKey(
                "reviews.decision",
                models.DO_NOTHING,
                null=True,
                related_name="+",
                db_constraint=False,
                db_index=False,
            ),
        ),
        AddConstraintNotValid(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=Q(awaits_second=False)
                | Q(
                    in_force=False,
                    held_until__isnull=True,
                    withdrawn_at__isnull=True,
                    outcome__in=("approve", "edit"),
                    decided_by="reviewer",
                ),
                name="what_awaits_a_second_approval_is_a_persons_and_not_in_force",
            ),
        ),
    ]
