"""The workspace that a command is about."""

from django.core.management.base import CommandError

from reviews.models import Workspace


def workspace_named(slug: str) -> Workspace:
    """The workspace of this slug. Raises `CommandError`."""
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise CommandError(f"There is no workspace “{slug}”. `manage.py create_workspace {slug}` makes it.")
    return workspace
