from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    # An index is built concurrently outside of transactions only.
    atomic = False

    dependencies = [("reviews", "0057_skip_reasons_are_erased")]

    operations = [
        AddIndexConcurrently(
            "auditevent",
            models.Index(
                fields=["workspace", "subject"],
                name="audit_of_roles",
                condition=Q(("verb__in", ("member.admitted", "member.joined", "member.removed", "member.role_changed"))),
            ),
        ),
    ]
