"""Experiments on recorded calls, fresh answers, and what is counted of an arm once it is over."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

import reviews.models.base


class Migration(migrations.Migration):
    dependencies = [("reviews", "0054_unchanged_verdicts")]

    operations = [
        migrations.AddField("experiment", "fresh", models.BooleanField(db_default=False, default=False)),
        migrations.AddField(
            "experiment",
            "recorded",
            models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AlterField(
            "experiment",
            "version",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="experiments",
                to="reviews.datasetversion",
            ),
        ),
        migrations.AddConstraint(
            "experiment",
            models.CheckConstraint(
                condition=Q(
                    Q(("recorded", {}), ("version__isnull", False)),
                    Q(("version__isnull", True), Q(("recorded", {}), _negated=True)),
                    _connector="OR",
                ),
                name="an_experiment_is_on_a_version_or_on_recorded_calls",
            ),
        ),
        migrations.CreateModel(
            "ExperimentCall",
            [
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ordinal", models.PositiveIntegerField()),
                ("label", models.JSONField(null=True)),
                ("was_stopped", models.BooleanField(null=True)),
                (
                    "action",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="reviews.action"
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="calls", to="reviews.experiment"
                    ),
                ),
            ],
            options={
                "ordering": ["ordinal"],
                "constraints": [
                    models.UniqueConstraint(fields=("experiment", "ordinal"), name="an_experiment_numbers_its_calls")
                ],
            },
        ),
        migrations.AddField(
            "experimentarm",
            "figures",
            models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddField("experimentverdict", "is_grave", models.BooleanField(null=True)),
        migrations.AddField("experimentverdict", "position", models.PositiveIntegerField(null=True)),
        migrations.AddField("experimentverdict", "stages", models.JSONField(null=True)),
        migrations.AlterField(
            "experimentverdict",
            "entry",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="reviews.versionentry",
            ),
        ),
        migrations.AddField(
            "experimentverdict",
            "call",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="reviews.experimentcall",
            ),
        ),
        migrations.AddConstraint(
            "experimentverdict",
            models.UniqueConstraint(
                fields=("arm", "run", "call", "variant"), name="an_arm_judges_a_variant_of_a_recorded_call_once_a_run"
            ),
        ),
        migrations.AddConstraint(
            "experimentverdict",
            models.CheckConstraint(
                condition=Q(
                    Q(("call__isnull", True), ("entry__isnull", False)),
                    Q(("call__isnull", False), ("entry__isnull", True)),
                    _connector="OR",
                ),
                name="a_verdict_is_on_an_entry_or_on_a_recorded_call",
            ),
        ),
    ]
