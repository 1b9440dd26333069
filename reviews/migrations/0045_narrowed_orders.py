"""Orders narrowed by conditions on the arguments and to one conversation."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("reviews", "0044_suggestions")]

    operations = [
        migrations.AddField(
            "timedorder",
            "conditions",
            models.JSONField(db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AddField(
            "timedorder", "conversation", models.CharField(blank=True, db_default="", max_length=200)
        ),
        migrations.AddConstraint(
            "timedorder",
            models.CheckConstraint(
                condition=Q(conversation="") | Q(agent__isnull=False),
                name="a_timed_order_for_a_conversation_names_its_agent",
            ),
        ),
    ]
