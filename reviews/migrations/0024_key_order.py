"""The order of the keys of a call's arguments, which `jsonb` does not keep."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0023_action_provenance")]

    operations = [
        # With a default of the database's own: servers of the version before go on inserting actions.
        migrations.AddField(
            "action",
            "key_order",
            models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict, editable=False),
        ),
    ]
