"""Experiments that change or attack calls as well: what is tried, and what became of every variant."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("reviews", "0046_verdict_sights")]

    operations = [
        migrations.AddField(
            "experiment",
            "kind",
            models.CharField(
                choices=[
                    ("verdicts", "Calls as they are"),
                    ("perturbation", "Also changed in ways that must not matter"),
                    ("attack", "Right calls attacked as well"),
                ],
                db_default="verdicts",
                default="verdicts",
                max_length=16,
            ),
        ),
        migrations.AddField(
            "experiment",
            "trial",
            models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddConstraint(
            "experiment",
            models.CheckConstraint(
                condition=Q(("kind__in", ["verdicts", "perturbation", "attack"])),
                name="an_experiment_has_a_known_kind",
            ),
        ),
        migrations.AddField(
            "experimentverdict", "variant", models.CharField(blank=True, db_default="", default="", max_length=80)
        ),
        migrations.AddField(
            "experimentverdict", "outcome", models.CharField(blank=True, db_default="", default="", max_length=16)
        ),
        migrations.AddField(
            "experimentverdict", "is_failure", models.BooleanField(db_default=False, default=False)
        ),
        migrations.RemoveConstraint("experimentverdict", "an_arm_judges_an_entry_once_a_run"),
        migrations.AddConstraint(
            "experimentverdict",
            models.UniqueConstraint(
                fields=("arm", "run", "entry", "variant"), name="an_arm_judges_a_variant_once_a_run"
            ),
        ),
        migrations.AddIndex(
            "experimentverdict",
            models.Index(fields=["arm", "entry"], name="experiment_failure", condition=Q(("is_failure", True))),
        ),
    ]
