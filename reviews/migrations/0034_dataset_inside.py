"""Items by tool and chosen calls, questions of a campaign's own, where an import came from, reviewers who annotate."""

from django.db import migrations, models


# As before, and what was answered to a campaign's own questions goes with what it was about.
_KEEP_LABEL = """
CREATE OR REPLACE FUNCTION reviews_keep_label() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  free text[] := '{in_force}';
BEGIN
  IF EXISTS (SELECT FROM reviews_datasetitem WHERE id = OLD.item_id AND erased_at IS NOT NULL) THEN
    free := free || '{evidence,note,interpretations,corrected_tool,corrected_arguments,reason%s}'::text[];
  END IF;
  IF (NEW.in_force AND NOT OLD.in_force) OR to_jsonb(NEW) - free IS DISTINCT FROM to_jsonb(OLD) - free THEN
    RAISE integrity_constraint_violation USING MESSAGE = 'a label is superseded by another row and does not change';
  END IF;
  RETURN NEW;
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ("reviews", "0033_experiments"),
    ]

    locks_are_short_because = "no agent writes to these tables, and defaults of the database rewrite no row"

    operations = [
        migrations.RunSQL(_KEEP_LABEL % ",custom", _KEEP_LABEL % ""),
        migrations.RemoveConstraint(
            model_name='datasetitem',
            name='a_dataset_item_has_a_known_origin',
        ),
        migrations.AddField(
            model_name='annotation',
            name='custom',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name='campaign',
            name='custom_questions',
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name='importjob',
            name='file_digest',
            field=models.CharField(blank=True, db_default='', default='', max_length=64),
        ),
        migrations.AddField(
            model_name='importjob',
            name='file_name',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='workspace',
            name='lets_reviewers_annotate',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='datasetitem',
            name='origin',
            field=models.CharField(choices=[('decided', 'decided action'), ('audit', 'random audit'), ('imported', 'Imported'), ('chosen', 'chosen by filters')], max_length=16),
        ),
        migrations.AddIndex(
            model_name='datasetitem',
            index=models.Index(fields=['dataset', 'tool', 'id'], name='dataset_item_tool'),
        ),
        migrations.AddConstraint(
            model_name='datasetitem',
            constraint=models.CheckConstraint(condition=models.Q(('origin__in', ['decided', 'audit', 'imported', 'chosen'])), name='a_dataset_item_has_a_known_origin'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='probability',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='campaign',
            name='choice',
            field=models.CharField(choices=[('random', 'at random'), ('uncertain', 'more often where detectors disagree or are unsure')], db_default='random', default='random', max_length=16),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('choice__in', ['random', 'uncertain'])), name='a_campaign_has_a_known_choice'),
        ),
    ]
