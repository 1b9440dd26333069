"""Frozen versions and given labels stand in the database itself, and keys that manage ground truth."""

from django.db import migrations, models

# What people or code do past the use cases is refused as well. Erasure is the one exception: it empties an item and its
# entries, and each entry then needs its tombstone before the transaction may end.
_FUNCTIONS = """
CREATE FUNCTION reviews_keep_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- An account that is deleted takes its name along.
  IF OLD.frozen_at IS NOT NULL AND to_jsonb(NEW) - 'created_by_id' IS DISTINCT FROM to_jsonb(OLD) - 'created_by_id' THEN
    RAISE integrity_constraint_violation USING MESSAGE = 'a frozen version does not change';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION reviews_keep_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM added JOIN reviews_datasetversion v ON v.id = added.version_id WHERE v.frozen_at IS NOT NULL
  ) THEN
    RAISE integrity_constraint_violation USING MESSAGE = 'a frozen version takes no further entry';
  END IF;
  RETURN NULL;
END $$;

-- Arguments: columns that may change at any time, and those that erasure empties.
CREATE FUNCTION reviews_keep_until_erased() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  free text[] := TG_ARGV[0]::text[];
BEGIN
  IF OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL THEN
    free := free || TG_ARGV[1]::text[];
  END IF;
  IF to_jsonb(NEW) - free IS DISTINCT FROM to_jsonb(OLD) - free THEN
    RAISE integrity_constraint_violation USING MESSAGE = format('%s: what was collected does not change', TG_TABLE_NAME);
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION reviews_keep_label() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  free text[] := '{in_force}';
BEGIN
  IF EXISTS (SELECT FROM reviews_datasetitem WHERE id = OLD.item_id AND erased_at IS NOT NULL) THEN
    free := free || '{evidence,note,interpretations,corrected_tool,corrected_arguments,reason}'::text[];
  END IF;
  IF (NEW.in_force AND NOT OLD.in_force) OR to_jsonb(NEW) - free IS DISTINCT FROM to_jsonb(OLD) - free THEN
    RAISE integrity_constraint_violation USING MESSAGE = 'a label is superseded by another row and does not change';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION reviews_keep_tombstone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE integrity_constraint_violation USING MESSAGE = 'a tombstone does not change';
END $$;

CREATE FUNCTION reviews_erased_entry_has_tombstone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM reviews_tombstone WHERE entry_id = NEW.id) THEN
    RAISE integrity_constraint_violation USING MESSAGE = 'an entry is erased with a tombstone only';
  END IF;
  RETURN NULL;
END $$;

-- Arguments: the table of what a row belongs to, and the column that names it. Deferred, as Django deletes the parts of
-- a workspace before the workspace.
CREATE FUNCTION reviews_goes_with_its_whole() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  whole_remains boolean;
BEGIN
  EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE id = $1)', TG_ARGV[0])
    INTO whole_remains USING (to_jsonb(OLD) ->> TG_ARGV[1])::uuid;
  IF whole_remains THEN
    RAISE integrity_constraint_violation USING MESSAGE = format('%s: not deleted alone', TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END $$;
"""
_TRIGGERS = """
CREATE TRIGGER keep_version BEFORE UPDATE ON reviews_datasetversion
  FOR EACH ROW EXECUTE FUNCTION reviews_keep_version();
-- Once a statement: freezing adds a thousand entries with each.
CREATE TRIGGER keep_entries AFTER INSERT ON reviews_versionentry REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION reviews_keep_entries();
CREATE TRIGGER keep_entry BEFORE UPDATE ON reviews_versionentry
  FOR EACH ROW EXECUTE FUNCTION reviews_keep_until_erased('{}', '{label,erased_at}');
CREATE TRIGGER keep_item BEFORE UPDATE ON reviews_datasetitem
  FOR EACH ROW EXECUTE FUNCTION reviews_keep_until_erased(
    '{import_job_id}', '{action_id,case,given_label,conversation,metadata,erased_at}');
CREATE TRIGGER keep_label BEFORE UPDATE ON reviews_annotation FOR EACH ROW EXECUTE FUNCTION reviews_keep_label();
CREATE TRIGGER keep_label BEFORE UPDATE ON reviews_adjudication FOR EACH ROW EXECUTE FUNCTION reviews_keep_label();
CREATE TRIGGER keep_tombstone BEFORE UPDATE ON reviews_tombstone
  FOR EACH ROW EXECUTE FUNCTION reviews_keep_tombstone();
CREATE CONSTRAINT TRIGGER erased_with_tombstone AFTER UPDATE ON reviews_versionentry DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.erased_at IS NOT NULL) EXECUTE FUNCTION reviews_erased_entry_has_tombstone();
"""
_WHOLES = {
    "datasetversion": ("dataset", "dataset_id"),
    "versionentry": ("datasetversion", "version_id"),
    "tombstone": ("datasetversion", "version_id"),
    "annotation": ("campaign", "campaign_id"),
    "adjudication": ("campaign", "campaign_id"),
}
_DELETIONS = "".join(
    f"CREATE CONSTRAINT TRIGGER goes_with_its_whole AFTER DELETE ON reviews_{part} DEFERRABLE INITIALLY DEFERRED"
    f" FOR EACH ROW EXECUTE FUNCTION reviews_goes_with_its_whole('reviews_{whole}', '{column}');"
    for part, (whole, column) in _WHOLES.items()
)
# With each function go the triggers that call it.
_BACK = "".join(
    f"DROP FUNCTION reviews_{name}() CASCADE;"
    for name in (
        "keep_version", "keep_entries", "keep_until_erased", "keep_label", "keep_tombstone",
        "erased_entry_has_tombstone", "goes_with_its_whole",
    )
)  # fmt: skip


class Migration(migrations.Migration):
    dependencies = [("reviews", "0014_keys_that_read")]
    locks_are_short_because = "no agent writes to these tables, and a trigger reads no row when it is made"

    operations = [
        migrations.AddField(
            model_name="agentkey",
            name="manages_ground_truth",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.RunSQL(_FUNCTIONS + _TRIGGERS + _DELETIONS, _BACK),
    ]
