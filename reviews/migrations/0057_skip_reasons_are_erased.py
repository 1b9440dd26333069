from django.db import migrations

# As before, and why somebody gave an item back goes with what it was about.
_KEEP_LABEL = """
CREATE OR REPLACE FUNCTION reviews_keep_label() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  free text[] := '{in_force}';
BEGIN
  IF EXISTS (SELECT FROM reviews_datasetitem WHERE id = OLD.item_id AND erased_at IS NOT NULL) THEN
    free := free || '{evidence,note,interpretations,corrected_tool,corrected_arguments,reason,custom%s}'::text[];
  END IF;
  IF (NEW.in_force AND NOT OLD.in_force) OR to_jsonb(NEW) - free IS DISTINCT FROM to_jsonb(OLD) - free THEN
    RAISE integrity_constraint_violation USING MESSAGE = 'a label is superseded by another row and does not change';
  END IF;
  RETURN NEW;
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ("reviews", "0056_review_effect"),
    ]

    locks_are_short_because = "a function is replaced, and no agent writes to the tables that it guards"

    operations = [
        migrations.RunSQL(_KEEP_LABEL % ",skip_reason", _KEEP_LABEL % ""),
    ]
