"""The acting user may be asked to confirm a call, and is one of those who decide."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models
from django.db.models import Q

NEVER_MILD_ANY = [("never", "Never"), ("mild", "Calls that are not grave"), ("any", "Grave calls, too")]

DECIDED_BY = migrations.AlterField(
    "decision",
    "decided_by",
    models.CharField(
        choices=[("guard", "Guard"), ("reviewer", "Reviewer"), ("policy", "Policy"), ("user", "User")], max_length=8
    ),
)


class Migration(migrations.Migration):
    # So that nobody waits while the rows of decisions are read.
    atomic = False

    dependencies = [("reviews", "0041_handovers")]

    operations = [
        migrations.AddField("action", "user_asked_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "guardprofile",
            "user_confirms",
            models.CharField(choices=NEVER_MILD_ANY, db_default="never", default="never", max_length=8),
        ),
        migrations.AddField("guardprofile", "agents_ask_user", models.BooleanField(db_default=False, default=False)),
        migrations.AddConstraint(
            "guardprofile",
            models.CheckConstraint(
                condition=Q(user_confirms__in=["never", "mild", "any"]), name="a_profile_says_what_users_confirm"
            ),
        ),
        # Its choices are known to forms alone: to the database the column stays as it is.
        migrations.SeparateDatabaseAndState(state_operations=[DECIDED_BY]),
        migrations.RemoveConstraint("decision", "a_decision_has_a_known_decider"),
        AddConstraintNotValid(
            "decision",
            models.CheckConstraint(
                condition=Q(decided_by__in=["guard", "reviewer", "policy", "user"]),
                name="a_decision_has_a_known_decider",
            ),
        ),
        ValidateConstraint("decision", "a_decision_has_a_known_decider"),
    ]
