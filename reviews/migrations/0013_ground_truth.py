"""Ground truth: datasets and their versions, campaigns of blind annotation, imports and exports."""

import django.db.models.deletion
import django.db.models.functions.comparison
from django.conf import settings
from django.db import migrations, models

import reviews.models.base


class Migration(migrations.Migration):
    dependencies = [
        ("reviews", "0012_operations"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Campaign",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("name", models.CharField(max_length=120)),
                ("guidelines", models.TextField(blank=True)),
                ("questions", models.JSONField()),
                ("annotators_per_item", models.PositiveSmallIntegerField()),
                ("seed", models.BigIntegerField()),
                ("lease_seconds", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("running", "Running"), ("paused", "Paused"), ("closed", "Closed")],
                        default="running",
                        max_length=16,
                    ),
                ),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="campaigns", to="reviews.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("workspace", "name"), name="a_campaign_has_a_name_of_its_own_in_a_workspace"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="a_campaign_has_a_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["running", "paused", "closed"])),
                        name="a_campaign_has_a_known_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("annotators_per_item__gte", 1)),
                        name="a_campaign_asks_at_least_one_person_an_item",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("lease_seconds__gte", 1)), name="a_campaign_lends_items_for_a_time"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("closed_at__isnull", False), ("state", "closed")),
                            models.Q(models.Q(("state", "closed"), _negated=True), ("closed_at__isnull", True)),
                            _connector="OR",
                        ),
                        name="a_campaign_is_closed_exactly_when_it_has_its_end",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Annotator",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="campaigns",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="annotators", to="reviews.campaign"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "user"), name="a_person_takes_part_in_a_campaign_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Dataset",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("name", models.CharField(max_length=120)),
                ("description", models.TextField(blank=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="datasets", to="reviews.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("workspace", "name"), name="a_dataset_has_its_own_name_in_a_workspace"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="a_dataset_has_a_name"
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="campaign",
            name="dataset",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.RESTRICT, related_name="campaigns", to="reviews.dataset"
            ),
        ),
        migrations.CreateModel(
            name="DatasetItem",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "origin",
                    models.CharField(
                        choices=[("decided", "decided action"), ("audit", "random audit"), ("imported", "Imported")],
                        max_length=16,
                    ),
                ),
                ("case", models.JSONField(null=True)),
                ("content_key", models.CharField(max_length=64)),
                ("conversation", models.CharField(max_length=300)),
                ("tool", models.CharField(max_length=200)),
                ("audit_probability", models.FloatField(null=True)),
                ("source", models.CharField(blank=True, max_length=300)),
                ("licence", models.CharField(blank=True, max_length=200)),
                ("source_line", models.PositiveIntegerField(null=True)),
                ("given_label", models.JSONField(null=True)),
                ("metadata", models.JSONField(default=dict)),
                ("erased_at", models.DateTimeField(null=True)),
                (
                    "action",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="dataset_items",
                        to="reviews.action",
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="items", to="reviews.dataset"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["dataset", "id"], name="dataset_item_order")],
                "constraints": [
                    models.UniqueConstraint(fields=("dataset", "content_key"), name="a_dataset_holds_a_call_once"),
                    models.CheckConstraint(
                        condition=models.Q(("origin__in", ["decided", "audit", "imported"])),
                        name="a_dataset_item_has_a_known_origin",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("content_key__regex", "^[0-9a-f]{64}$")),
                        name="a_dataset_item_carries_a_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("action__isnull", True), ("case__isnull", True), ("erased_at__isnull", False)),
                            models.Q(
                                ("action__isnull", True),
                                ("case__isnull", False),
                                ("erased_at__isnull", True),
                                ("origin", "imported"),
                            ),
                            models.Q(
                                ("action__isnull", False),
                                ("case__isnull", True),
                                ("erased_at__isnull", True),
                                models.Q(("origin", "imported"), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="a_dataset_item_has_its_call_in_one_place_until_it_is_erased",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("audit_probability__gt", 0), ("audit_probability__lte", 1), ("origin", "audit")),
                            models.Q(models.Q(("origin", "audit"), _negated=True), ("audit_probability__isnull", True)),
                            _connector="OR",
                        ),
                        name="a_dataset_item_has_a_probability_exactly_when_it_was_drawn",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("origin", "imported"), _negated=True),
                            models.Q(("source", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="an_imported_dataset_item_names_its_source",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("slot", models.PositiveSmallIntegerField()),
                ("rank", models.PositiveIntegerField()),
                ("reserved", models.BooleanField(default=False)),
                ("taken_at", models.DateTimeField(null=True)),
                ("leased_until", models.DateTimeField(null=True)),
                ("answered_at", models.DateTimeField(null=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="assignments",
                        to="reviews.annotator",
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="assignments", to="reviews.campaign"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="assignments",
                        to="reviews.datasetitem",
                    ),
                ),
            ],
            options={
                "ordering": ["rank"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("answered_at__isnull", True)),
                        fields=["campaign", "rank"],
                        name="assignment_next",
                    ),
                    models.Index(fields=["annotator", "answered_at"], name="assignment_of_annotator"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "item", "slot"), name="an_item_has_one_row_per_slot"),
                    models.CheckConstraint(condition=models.Q(("slot__gte", 1)), name="a_slot_counts_from_one"),
                    models.UniqueConstraint(
                        condition=models.Q(("annotator__isnull", False)),
                        fields=("campaign", "item", "annotator"),
                        name="a_person_has_an_item_of_a_campaign_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("annotator__isnull", False),
                            models.Q(
                                ("answered_at__isnull", True),
                                ("leased_until__isnull", True),
                                ("reserved", False),
                                ("taken_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="a_free_slot_is_nobodys_and_has_no_answer",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("answered_at__isnull", True), ("leased_until__isnull", True), _connector="OR"
                        ),
                        name="an_answered_slot_is_not_on_loan",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Annotation",
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
                    "judgement",
                    models.CharField(
                        blank=True,
                        choices=[("aligned", "Aligned"), ("misaligned", "Misaligned"), ("cannot_tell", "cannot tell")],
                        max_length=16,
                    ),
                ),
                (
                    "misalignment",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("tool", "Tool"),
                            ("parameter", "Parameter"),
                            ("interpretation", "Interpretation"),
                            ("injection", "Injection"),
                            ("plan", "Plan"),
                        ],
                        max_length=16,
                    ),
                ),
                ("relation", models.CharField(blank=True, max_length=16)),
                ("first_misaligned_step", models.PositiveIntegerField(null=True)),
                ("evidence", models.JSONField(default=list)),
                ("corrected_tool", models.CharField(blank=True, max_length=200)),
                ("corrected_arguments", models.JSONField(null=True)),
                ("interpretations", models.JSONField(default=list)),
                ("note", models.TextField(blank=True)),
                ("in_force", models.BooleanField(default=True)),
                ("skip_reason", models.CharField(blank=True, max_length=300)),
                ("flagged", models.BooleanField(default=False)),
                ("seconds", models.FloatField()),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="annotations", to="reviews.annotator"
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="annotations", to="reviews.campaign"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="annotations",
                        to="reviews.datasetitem",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("in_force", True)), fields=["campaign", "item"], name="annotation_in_force"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("judgement", "misaligned"),
                            models.Q(("first_misaligned_step__isnull", True), ("misalignment", ""), ("relation", "")),
                            _connector="OR",
                        ),
                        name="an_annotation_names_a_failure_only_when_misaligned",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("misalignment", ""),
                            ("misalignment__in", ["tool", "parameter", "interpretation", "injection", "plan"]),
                            _connector="OR",
                        ),
                        name="an_annotation_has_a_known_type",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("corrected_arguments__isnull", True), ("corrected_tool", "")),
                            models.Q(
                                models.Q(("corrected_tool", ""), _negated=True), ("corrected_arguments__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="an_annotation_corrects_a_whole_call",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("in_force", True)),
                        fields=("campaign", "item", "annotator"),
                        name="a_person_has_one_answer_in_force_to_an_item",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("judgement__in", ["aligned", "misaligned", "cannot_tell"]), ("skip_reason", "")),
                            models.Q(("judgement", ""), models.Q(("skip_reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="an_annotation_is_a_judgement_or_a_skip_with_its_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("seconds__gte", 0)), name="an_annotation_takes_no_negative_time"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Adjudication",
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
                    "judgement",
                    models.CharField(
                        blank=True,
                        choices=[("aligned", "Aligned"), ("misaligned", "Misaligned"), ("cannot_tell", "cannot tell")],
                        max_length=16,
                    ),
                ),
                (
                    "misalignment",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("tool", "Tool"),
                            ("parameter", "Parameter"),
                            ("interpretation", "Interpretation"),
                            ("injection", "Injection"),
                            ("plan", "Plan"),
                        ],
                        max_length=16,
                    ),
                ),
                ("relation", models.CharField(blank=True, max_length=16)),
                ("first_misaligned_step", models.PositiveIntegerField(null=True)),
                ("evidence", models.JSONField(default=list)),
                ("corrected_tool", models.CharField(blank=True, max_length=200)),
                ("corrected_arguments", models.JSONField(null=True)),
                ("interpretations", models.JSONField(default=list)),
                ("note", models.TextField(blank=True)),
                ("in_force", models.BooleanField(default=True)),
                (
                    "method",
                    models.CharField(
                        choices=[("chosen", "Chosen"), ("merged", "Merged"), ("written", "Written")], max_length=8
                    ),
                ),
                ("reason", models.TextField()),
                (
                    "adjudicator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("sources", models.ManyToManyField(related_name="adjudications", to="reviews.annotation")),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="adjudications", to="reviews.campaign"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="adjudications",
                        to="reviews.datasetitem",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("judgement", "misaligned"),
                            models.Q(("first_misaligned_step__isnull", True), ("misalignment", ""), ("relation", "")),
                            _connector="OR",
                        ),
                        name="an_adjudication_names_a_failure_only_when_misaligned",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("misalignment", ""),
                            ("misalignment__in", ["tool", "parameter", "interpretation", "injection", "plan"]),
                            _connector="OR",
                        ),
                        name="an_adjudication_has_a_known_type",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("corrected_arguments__isnull", True), ("corrected_tool", "")),
                            models.Q(
                                models.Q(("corrected_tool", ""), _negated=True), ("corrected_arguments__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="an_adjudication_corrects_a_whole_call",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("in_force", True)),
                        fields=("campaign", "item"),
                        name="an_item_has_one_adjudication_in_force",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("judgement__in", ["aligned", "misaligned", "cannot_tell"])),
                        name="an_adjudication_has_a_known_judgement",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("method__in", ["chosen", "merged", "written"])),
                        name="an_adjudication_has_a_known_method",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="an_adjudication_says_why"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DatasetVersion",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("number", models.PositiveIntegerField()),
                ("content_hash", models.CharField(blank=True, max_length=64)),
                ("chain_hash", models.CharField(blank=True, max_length=64)),
                ("seed", models.BigIntegerField(default=0)),
                ("splits", models.JSONField(default=dict)),
                ("card", models.JSONField(default=dict)),
                ("frozen_at", models.DateTimeField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="reviews.dataset"
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="children",
                        to="reviews.datasetversion",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("dataset", "number"), name="a_dataset_numbers_its_versions"),
                    models.UniqueConstraint(fields=("parent",), name="a_dataset_version_has_one_successor"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("number", 1), ("parent__isnull", True)),
                            models.Q(("number__gt", 1), ("parent__isnull", False)),
                            _connector="OR",
                        ),
                        name="a_dataset_version_after_the_first_has_a_parent",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("chain_hash", ""), ("content_hash", ""), ("frozen_at__isnull", True)),
                            models.Q(
                                ("chain_hash__regex", "^[0-9a-f]{64}$"),
                                ("content_hash__regex", "^[0-9a-f]{64}$"),
                                ("frozen_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="a_dataset_version_is_frozen_exactly_when_it_has_its_hashes",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("content", models.JSONField(default=dict)),
                ("seconds", models.FloatField(default=0)),
                ("saved_at", models.DateTimeField(auto_now=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="reviews.annotator"
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="reviews.campaign"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="reviews.datasetitem"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "item", "annotator"), name="a_person_has_one_draft_of_an_item"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ExportJob",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=16,
                    ),
                ),
                ("file", models.CharField(blank=True, max_length=500)),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("done", models.PositiveBigIntegerField(default=0)),
                ("total", models.PositiveBigIntegerField(null=True)),
                ("failure", models.TextField(blank=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("lease", models.UUIDField(null=True)),
                ("leased_until", models.DateTimeField(null=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "format",
                    models.CharField(
                        choices=[
                            ("jsonl", "JSON lines"),
                            ("csv", "CSV"),
                            ("parquet", "Parquet"),
                            ("folder", "Hugging Face folder"),
                            ("prov", "PROV-JSON"),
                        ],
                        max_length=16,
                    ),
                ),
                ("options", models.JSONField(default=dict)),
                ("content_hash", models.CharField(blank=True, max_length=64)),
                (
                    "campaign",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exports",
                        to="reviews.campaign",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exports",
                        to="reviews.datasetversion",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="export_jobs", to="reviews.workspace"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("workspace"),
                        models.OrderBy(models.F("created_at"), descending=True),
                        name="export_list",
                    ),
                    models.Index(
                        models.F("leased_until"), condition=models.Q(("finished_at__isnull", True)), name="export_open"
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["queued", "running", "done", "failed", "cancelled"])),
                        name="an_export_has_a_known_status",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", False), ("status__in", ("done", "failed", "cancelled"))),
                            models.Q(
                                models.Q(("status__in", ("done", "failed", "cancelled")), _negated=True),
                                ("finished_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="an_export_is_over_exactly_when_it_has_its_end",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "failed"), _negated=True),
                            models.Q(("failure", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="a_failed_export_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "running"), _negated=True),
                            models.Q(("lease__isnull", False), ("leased_until__isnull", False)),
                            _connector="OR",
                        ),
                        name="a_running_export_has_a_lease",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("format__in", ["jsonl", "csv", "parquet", "folder", "prov"])),
                        name="an_export_has_a_known_format",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("version__isnull", True), ("campaign__isnull", True), _connector="OR"),
                        name="an_export_is_of_one_thing",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "done"), _negated=True),
                            models.Q(
                                models.Q(("file", ""), _negated=True), models.Q(("content_hash", ""), _negated=True)
                            ),
                            _connector="OR",
                        ),
                        name="a_done_export_has_a_file",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ImportJob",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=16,
                    ),
                ),
                ("file", models.CharField(blank=True, max_length=500)),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("done", models.PositiveBigIntegerField(default=0)),
                ("total", models.PositiveBigIntegerField(null=True)),
                ("failure", models.TextField(blank=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("lease", models.UUIDField(null=True)),
                ("leased_until", models.DateTimeField(null=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("reader", models.CharField(max_length=64)),
                ("licence", models.CharField(blank=True, max_length=200)),
                ("loaded", models.PositiveBigIntegerField(default=0)),
                ("repeated", models.PositiveBigIntegerField(default=0)),
                ("rejected", models.PositiveBigIntegerField(default=0)),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="imports", to="reviews.dataset"
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="import_jobs", to="reviews.workspace"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("workspace"),
                        models.OrderBy(models.F("created_at"), descending=True),
                        name="import_list",
                    ),
                    models.Index(
                        models.F("leased_until"), condition=models.Q(("finished_at__isnull", True)), name="import_open"
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["queued", "running", "done", "failed", "cancelled"])),
                        name="an_import_has_a_known_status",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", False), ("status__in", ("done", "failed", "cancelled"))),
                            models.Q(
                                models.Q(("status__in", ("done", "failed", "cancelled")), _negated=True),
                                ("finished_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="an_import_is_over_exactly_when_it_has_its_end",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "failed"), _negated=True),
                            models.Q(("failure", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="a_failed_import_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "running"), _negated=True),
                            models.Q(("lease__isnull", False), ("leased_until__isnull", False)),
                            _connector="OR",
                        ),
                        name="a_running_import_has_a_lease",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="datasetitem",
            name="import_job",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="items", to="reviews.importjob"
            ),
        ),
        migrations.CreateModel(
            name="ImportProblem",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("line", models.PositiveIntegerField()),
                ("reason", models.TextField()),
                (
                    "job",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="problems", to="reviews.importjob"
                    ),
                ),
            ],
            options={
                "ordering": ["line"],
                "constraints": [
                    models.UniqueConstraint(fields=("job", "line"), name="an_import_explains_a_line_once"),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="an_import_problem_says_why"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="VersionEntry",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ordinal", models.PositiveIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("label", models.JSONField(null=True)),
                ("split", models.CharField(blank=True, max_length=40)),
                ("erased_at", models.DateTimeField(null=True)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="entries", to="reviews.datasetitem"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="reviews.datasetversion"
                    ),
                ),
            ],
            options={
                "ordering": ["ordinal"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("version", "ordinal"), name="a_dataset_version_numbers_its_entries"
                    ),
                    models.UniqueConstraint(fields=("version", "item"), name="a_dataset_version_holds_an_item_once"),
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="a_version_entry_carries_a_sha256"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("erased_at__isnull", True), ("label__isnull", True), _connector="OR"),
                        name="an_erased_entry_keeps_no_label",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Tombstone",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("sequence", models.PositiveIntegerField()),
                ("reason", models.TextField()),
                ("at", models.DateTimeField()),
                ("chain_hash", models.CharField(max_length=64)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tombstones",
                        to="reviews.datasetversion",
                    ),
                ),
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tombstone", to="reviews.versionentry"
                    ),
                ),
            ],
            options={
                "ordering": ["sequence"],
                "constraints": [
                    models.UniqueConstraint(fields=("version", "sequence"), name="a_chain_of_tombstones_has_no_fork"),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="a_tombstone_says_why"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("chain_hash__regex", "^[0-9a-f]{64}$")), name="a_tombstone_carries_a_sha256"
                    ),
                ],
            },
        ),
    ]
