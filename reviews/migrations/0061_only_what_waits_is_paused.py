"""What is paused waits; what was paused as its worker took it could neither be resumed nor go on."""

from typing import Any

from django.db import migrations


def let_go_on(apps: Any, _editor: object) -> None:
    """Of what runs or is over nothing is paused."""
    experiments = apps.get_model("reviews", "Experiment").objects
    experiments.filter(paused=True).exclude(status="queued").update(paused=False)


class Migration(migrations.Migration):
    """Experiments alone."""

    # One statement over a handful of rows.
    atomic = False

    dependencies = [("reviews", "0060_issuers_are_protected")]

    operations = [migrations.RunPython(let_go_on, migrations.RunPython.noop, elidable=True)]
