from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0003_judge_spending")]

    operations = [
        migrations.AddField("check", "prompts", models.JSONField(default=dict)),
    ]
