"""One searched text for each action, and listings that are saved under a name."""

from uuid import UUID

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.text
import reviews.models.base
from django.conf import settings
from django.contrib.postgres.operations import TrigramExtension
from django.db import migrations, models

# As much of the arguments and of the request as anybody looks for; a text of this length is indexed within a millisecond.
FUNCTION = """
CREATE FUNCTION reviews_write_action_text(action reviews_action) RETURNS void LANGUAGE sql AS $$
    INSERT INTO reviews_actiontext (action_id, created_at, body)
    SELECT action.id, action.created_at,
        concat_ws(
            E'\\n', action.tool, left(action.arguments::text, 8000), action.subtask, t.external_id, left(q.body, 4000)
        )
    FROM reviews_trace AS t JOIN reviews_text AS q ON q.id = t.query_id WHERE t.id = action.trace_id
    ON CONFLICT (action_id) DO UPDATE SET body = EXCLUDED.body
$$;
CREATE FUNCTION reviews_action_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM reviews_write_action_text(NEW);
    RETURN NULL;
END
$$;
"""
TRIGGER = """
CREATE TRIGGER action_text AFTER INSERT OR UPDATE OF tool, arguments ON reviews_action
FOR EACH ROW EXECUTE FUNCTION reviews_action_text()
"""
DROP = """
DROP TRIGGER action_text ON reviews_action;
DROP FUNCTION reviews_action_text();
DROP FUNCTION reviews_write_action_text(reviews_action);
"""
# A few hundred milliseconds of writing: rows of actions are only read.
BATCH = 2_000
BACKFILL = """
WITH batch AS MATERIALIZED (
    SELECT a AS row, a.id FROM reviews_action AS a WHERE a.id > %s ORDER BY a.id LIMIT %s
), written AS (
    SELECT reviews_write_action_text(batch.row), batch.id FROM batch
)
SELECT id FROM written ORDER BY id DESC LIMIT 1
"""


def write_texts(apps, schema_editor):
    """Index the actions of before, a batch at a time; the trigger is there already."""
    last = UUID(int=0)
    with schema_editor.connection.cursor() as cursor:
        while last is not None:
            cursor.execute(BACKFILL, [last, BATCH])
            row = cursor.fetchone()
            last = row[0] if row else None


class Migration(migrations.Migration):
    # So that the actions of before are indexed batch by batch, and nobody waits.
    atomic = False

    dependencies = [
        ('reviews', '0024_key_order'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        TrigramExtension(),
        migrations.CreateModel(
            name='ActionText',
            fields=[
                ('action', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='text', serialize=False, to='reviews.action')),
                ('created_at', models.DateTimeField()),
                ('body', models.TextField()),
                ('words', models.GeneratedField(db_persist=True, expression=django.contrib.postgres.search.SearchVector(models.Func(models.F('body'), models.Value('\\W+'), models.Value(' '), models.Value('g'), function='regexp_replace', output_field=models.TextField()), config='simple'), output_field=django.contrib.postgres.search.SearchVectorField())),
            ],
            options={
                'indexes': [django.contrib.postgres.indexes.GinIndex(fields=['words'], name='action_text_words'), django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.indexes.OpClass(django.db.models.functions.text.Upper('body'), name='gin_trgm_ops'), name='action_text_parts')],
            },
        ),
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.UUIDField(default=reviews.models.base.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('page', models.CharField(choices=[('queue', 'Queue'), ('actions', 'Actions')], max_length=16)),
                ('name', models.CharField(max_length=80)),
                ('query', models.TextField()),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saved_views', to='reviews.workspace')),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('workspace', 'page', 'name'), name='a_saved_view_has_a_name_of_its_own'), models.CheckConstraint(condition=models.Q(models.Q(('name', ''), _negated=True), models.Q(('query', ''), _negated=True)), name='a_saved_view_names_some_filters'), models.CheckConstraint(condition=models.Q(('page__in', ['queue', 'actions'])), name='a_saved_view_is_of_a_known_page')],
            },
        ),
        migrations.RunSQL(FUNCTION, migrations.RunSQL.noop),
        migrations.RunSQL(TRIGGER, DROP),
        migrations.RunPython(write_texts, migrations.RunPython.noop),
    ]
