"""What makes a waiting call grave, for its row in the queue."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0055_recorded_experiments")]

    operations = [
        # A constant default: PostgreSQL writes no row for it.
        migrations.AddField(
            "review", "effect", models.CharField(blank=True, db_default="", default="", max_length=16)
        ),
    ]
