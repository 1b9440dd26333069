from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0001_initial")]

    operations = [
        migrations.AddField("finding", "sources", models.JSONField(default=list)),
        migrations.AddField("finding", "trust", models.FloatField(null=True)),
        migrations.AddField("finding", "untrusted_only", models.BooleanField(default=False)),
    ]
