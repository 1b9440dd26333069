"""Approvals that can be taken back before the agent is told, and since when a reviewer had the call before them."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("reviews", "0018_outcomes_that_cannot_be_stored")]

    operations = [
        *(
            migrations.AddField(model_name="decision", name=name, field=models.DateTimeField(null=True))
            for name in ("held_until", "shown_at", "withdrawn_at")
        ),
        migrations.AddField(
            model_name="guardprofile",
            name="hold_seconds",
            field=models.PositiveSmallIntegerField(db_default=5, default=5),
        ),
        AddConstraintNotValid(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=Q(in_force=False) | Q(held_until__isnull=True, withdrawn_at__isnull=True),
                name="a_decision_that_is_held_or_withdrawn_is_not_in_force",
            ),
        ),
        AddConstraintNotValid(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=Q(held_until__isnull=True) | Q(withdrawn_at__isnull=True),
                name="a_withdrawn_decision_is_no_longer_held",
            ),
        ),
        migrations.AddConstraint(
            model_name="guardprofile",
            constraint=models.CheckConstraint(
                condition=Q(hold_seconds__gte=0, hold_seconds__lte=60), name="a_profile_holds_approvals_up_to_a_minute"
            ),
        ),
    ]
