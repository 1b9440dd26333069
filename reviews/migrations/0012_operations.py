"""The request in whose course a row was written, and conversations that were erased."""

from django.db import migrations, models

import reviews.models.base


def request_id() -> models.CharField:
    # With a default of the database as well: what an older process writes during an upgrade has none.
    return models.CharField(
        blank=True, db_default="", default=reviews.models.base.current_request_id, editable=False, max_length=64
    )


class Migration(migrations.Migration):
    dependencies = [("reviews", "0011_people")]

    operations = [
        *(
            migrations.AddField(model_name=model, name="request_id", field=request_id())
            for model in ("action", "plan", "auditevent")
        ),
        migrations.AddField(model_name="trace", name="erased_at", field=models.DateTimeField(null=True)),
    ]
