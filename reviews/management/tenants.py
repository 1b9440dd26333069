"""The workspace that a command is about."""

from collections.abc import Iterable

from django.core.management.base import CommandError
from django.db.models import Q

from reviews.models import Workspace


def workspace_named(slug: str) -> Workspace:
    """The workspace of this slug. Raises `CommandError`."""
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise CommandError(f"There is no workspace “{slug}”. `manage.py create_workspace {slug}` makes it.")
    return workspace


def with_sandbox(workspace: Workspace) -> Iterable[Workspace]:
    """The workspace and, where it has one, the sandbox in which its test keys propose."""
    return Workspace.objects.filter(Q(pk=workspace.pk) | Q(sandbox_of=workspace)).order_by("pk")
