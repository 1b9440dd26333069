"""The rule that decided a finding."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0016_checks_beside_others")]

    operations = [
        # With a default of the database's own: workers of the version before go on inserting findings.
        migrations.AddField("finding", "rule", models.CharField(blank=True, db_default="", default="", max_length=64)),
    ]
