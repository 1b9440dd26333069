"""How much of a reported outcome could not be stored as it came."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0017_finding_rule")]

    operations = [
        migrations.AddField(
            model_name="execution",
            name="replaced_characters",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    ]
