"""How an agent is sent back to its plan: by profile, by request, and by what a person overruled."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0025_search")]

    operations = [
        # With defaults of the database's own: servers of the version before go on inserting rows.
        migrations.AddField("guardprofile", "window", models.PositiveSmallIntegerField(db_default=5, default=5)),
        migrations.AddField("guardprofile", "sends_back", models.BooleanField(db_default=False, default=False)),
        migrations.AddField("trace", "requests", models.PositiveIntegerField(db_default=1, default=1)),
        migrations.AddField("review", "sent_back_for", models.PositiveIntegerField(null=True)),
    ]
