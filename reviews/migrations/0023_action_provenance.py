"""Where the agent says that it took the values of a call from."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0022_audit_labels")]

    operations = [
        # With a default of the database's own: servers of the version before go on inserting actions.
        migrations.AddField("action", "provenance", models.JSONField(db_default={}, default=dict)),
    ]
