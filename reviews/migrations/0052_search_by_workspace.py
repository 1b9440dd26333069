"""What is searched is found by the workspace as well: what others' calls say costs a search nothing."""

from uuid import UUID

import django.db.models.deletion
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.operations import AddIndexConcurrently, BtreeGinExtension, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.models.functions import Upper

# As in 0025, with the columns and values of `{}` beside the others.
FUNCTION = """
CREATE OR REPLACE FUNCTION reviews_write_action_text(action reviews_action) RETURNS void LANGUAGE sql AS $$
    INSERT INTO reviews_actiontext (action_id, created_at{0}, body)
    SELECT action.id, action.created_at{1},
        concat_ws(
            E'\\n', action.tool, left(action.arguments::text, 8000), action.subtask, t.external_id, left(q.body, 4000)
        )
    FROM reviews_trace AS t JOIN reviews_text AS q ON q.id = t.query_id WHERE t.id = action.trace_id
    ON CONFLICT (action_id) DO UPDATE SET body = EXCLUDED.body
$$;
"""
# A few hundred milliseconds of writing, as in 0025.
BATCH = 2_000
BACKFILL = """
WITH batch AS (
    SELECT action_id FROM reviews_actiontext WHERE action_id > %s AND workspace_id IS NULL ORDER BY action_id LIMIT %s
), written AS (
    UPDATE reviews_actiontext AS t SET workspace_id = a.workspace_id
    FROM batch JOIN reviews_action AS a ON a.id = batch.action_id WHERE t.action_id = batch.action_id
)
SELECT action_id FROM batch ORDER BY action_id DESC LIMIT 1
"""


def write_workspaces(apps, schema_editor):
    """Fill in the texts of before, a batch at a time; the trigger writes it for new ones already."""
    last = UUID(int=0)
    with schema_editor.connection.cursor() as cursor:
        while last is not None:
            cursor.execute(BACKFILL, [last, BATCH])
            row = cursor.fetchone()
            last = row[0] if row else None


class Migration(migrations.Migration):
    # So that nobody waits for the texts of before or for the indexes.
    atomic = False

    dependencies = [("reviews", "0051_calibrations")]

    operations = [
        BtreeGinExtension(),
        migrations.AddField(
            "actiontext",
            "workspace",
            models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="reviews.workspace",
            ),
        ),
        migrations.RunSQL(FUNCTION.format(", workspace_id", ", action.workspace_id"), FUNCTION.format("", "")),
        migrations.RunPython(write_workspaces, migrations.RunPython.noop),
        AddIndexConcurrently("actiontext", GinIndex(fields=["workspace", "words"], name="action_text_by_word")),
        AddIndexConcurrently(
            "actiontext",
            GinIndex("workspace", OpClass(Upper("body"), name="gin_trgm_ops"), name="action_text_by_part"),
        ),
        RemoveIndexConcurrently("actiontext", "action_text_words"),
        RemoveIndexConcurrently("actiontext", "action_text_parts"),
    ]
