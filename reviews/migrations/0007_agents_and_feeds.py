"""Every key gets an agent of its own, which owns what was done with the key; labels can be read in commit order."""

from itertools import count

import django.db.models.deletion
import django.db.models.functions.comparison
from django.db import migrations, models

import reviews.models.base

# A conversation that several keys have written to belongs to the agent of the key that came first. The last choice is
# for a conversation without any call: it cannot arise by the API, and must not stop the migration.
_OWN_TRACES = """
UPDATE reviews_trace SET agent_id = COALESCE(
    (SELECT action.agent_id FROM reviews_action AS action WHERE action.trace_id = reviews_trace.id
     ORDER BY action.created_at, action.id LIMIT 1),
    (SELECT key.agent_id FROM reviews_plan AS plan JOIN reviews_agentkey AS key ON key.id = plan.agent_key_id
     WHERE plan.trace_id = reviews_trace.id ORDER BY plan.created_at, plan.id LIMIT 1),
    (SELECT agent.id FROM reviews_agent AS agent WHERE agent.workspace_id = reviews_trace.workspace_id
     ORDER BY agent.created_at, agent.id LIMIT 1)
)
"""
_OWN_ACTIONS = """
UPDATE reviews_action SET agent_id = key.agent_id
FROM reviews_agentkey AS key WHERE key.id = reviews_action.agent_key_id
"""


def give_each_key_an_agent(apps, schema_editor):
    """Named as the key; numbered where several keys of a workspace have one name."""
    Agent, AgentKey = apps.get_model("reviews", "Agent"), apps.get_model("reviews", "AgentKey")
    for key in AgentKey.objects.order_by("created_at", "id"):
        names = (key.name if number == 1 else f"{key.name} ({number})" for number in count(1))
        free = next(
            name for name in names if not Agent.objects.filter(workspace_id=key.workspace_id, name=name).exists()
        )
        key.agent = Agent.objects.create(workspace_id=key.workspace_id, name=free)
        key.save(update_fields=["agent"])


def _owner(related_name, null):
    return models.ForeignKey(
        null=null,
        on_delete=django.db.models.deletion.PROTECT,
        related_name=related_name,
        to="reviews.agent",
    )


class Migration(migrations.Migration):
    dependencies = [("reviews", "0006_check_deadlines")]

    operations = [
        migrations.CreateModel(
            name="Agent",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("name", models.CharField(max_length=100)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="agents", to="reviews.workspace"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("workspace", "name"), name="an_agent_has_a_name_of_its_own_in_a_workspace"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="an_agent_has_a_name"
                    ),
                ]
            },
        ),
        migrations.AddField("agentkey", "agent", _owner("keys", null=True)),
        migrations.AddField("agentkey", "reads_all_labels", models.BooleanField(default=False)),
        migrations.AddField("action", "agent", _owner("actions", null=True)),
        migrations.AddField("trace", "agent", _owner("traces", null=True)),
        migrations.RunPython(give_each_key_an_agent, migrations.RunPython.noop),
        migrations.RunSQL(_OWN_ACTIONS, migrations.RunSQL.noop),
        migrations.RunSQL(_OWN_TRACES, migrations.RunSQL.noop),
        # PostgreSQL alters no table for whose rows a deferred foreign key is still to be checked: check them now.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED", migrations.RunSQL.noop),
        migrations.AlterField("agentkey", "agent", _owner("keys", null=False)),
        migrations.AlterField("action", "agent", _owner("actions", null=False)),
        migrations.AlterField("trace", "agent", _owner("traces", null=False)),
        migrations.AddIndex(
            "action", models.Index(fields=["agent", "-created_at", "-id"], name="action_list_of_an_agent")
        ),
        migrations.RemoveConstraint("trace", "a_trace_has_one_row_per_revision"),
        migrations.AddConstraint(
            "trace",
            models.UniqueConstraint(
                fields=("workspace", "agent", "external_id", "revision"), name="a_trace_has_one_row_per_revision"
            ),
        ),
        migrations.AddField("execution", "idempotency_key", models.CharField(blank=True, default="", max_length=200)),
        migrations.AlterField("execution", "idempotency_key", models.CharField(blank=True, max_length=200)),
        migrations.AddField("guardprofile", "execute_within", models.PositiveIntegerField(default=3600)),
        migrations.AddConstraint(
            "guardprofile",
            models.CheckConstraint(
                condition=models.Q(("execute_within__gte", 1)), name="a_profile_lets_approved_calls_run"
            ),
        ),
        # Labels that are there already get one number, this transaction's: among them the order by key stays.
        migrations.AddField(
            "label",
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
        migrations.RemoveIndex("label", "label_export"),
        migrations.AddIndex(
            "label", models.Index(fields=["workspace", "transaction", "id"], name="label_feed")
        ),
    ]
