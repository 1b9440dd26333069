"""Whether a reviewer left the type of failure and the relation as the guard had suggested them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0029_retry_rounds")]

    operations = [
        migrations.AddField("label", "type_as_suggested", models.BooleanField(null=True)),
        migrations.AddField("label", "relation_as_suggested", models.BooleanField(null=True)),
    ]
