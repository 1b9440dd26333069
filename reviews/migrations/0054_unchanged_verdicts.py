"""Verdicts on calls as they are, found among those on their variants."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("reviews", "0053_learned_order")]

    operations = [
        migrations.AddIndex(
            "experimentverdict",
            models.Index(
                fields=["arm", "entry"],
                include=("verdict", "score", "seconds"),
                name="experiment_unchanged",
                condition=Q(("variant", "")),
            ),
        ),
    ]
