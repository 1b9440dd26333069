"""One action for each call that an agent names."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("reviews", "0008_unknown_and_audit")]

    operations = [
        # Empty for what is stored already: its calls were submitted before their names meant anything.
        migrations.AddField(
            model_name="action",
            name="call_key",
            field=models.CharField(blank=True, default="", max_length=64),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="action",
            constraint=models.UniqueConstraint(
                condition=~Q(call_key=""),
                fields=("agent", "call_key"),
                name="an_agents_call_is_one_action",
            ),
        ),
    ]
