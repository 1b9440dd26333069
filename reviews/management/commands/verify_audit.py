"""The audit chain, verified from its first event to its last, and what was frozen."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews import audit
from reviews.datasets import versions
from reviews.management.tenants import workspace_named
from reviews.models import AuditEvent, DatasetVersion, Workspace


class Command(BaseCommand):
    """Verify the audit chain of a workspace, or of all. The exit status is 1 when one is broken."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", nargs="?", help="the workspace's slug (all)")
        parser.add_argument("--datasets", action="store_true", help="also hash every frozen version anew")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["workspace"]
        workspaces = [workspace_named(slug)] if slug else list(Workspace.objects.order_by("slug"))
        broken = []
        for workspace in workspaces:
            number = audit.first_broken(workspace)
            if number is None:
                events = AuditEvent.objects.filter(workspace=workspace).count()
                self.stdout.write(f"{workspace.slug}: {events} events, each fits the one before.")
            else:
                broken.append(f"{workspace.slug}: event {number} is missing or was changed.")
            if options["datasets"]:
                broken += self._broken_versions(workspace)
        # After all have been looked at: one broken chain must not hide another.
        if broken:
            raise CommandError("\n".join(broken))

    def _broken_versions(self, workspace: Workspace) -> Iterator[str]:
        """A sentence for each frozen version that is not what was frozen."""
        frozen = DatasetVersion.objects.filter(dataset__workspace=workspace, frozen_at__isnull=False)
        for version in frozen.select_related("dataset", "parent").order_by("dataset", "number"):
            name = f"{workspace.slug}: {version.dataset.name}, {version}"
            if problem := versions.find_break(version):
                yield f"{name}: {problem}"
            else:
                self.stdout.write(f"{name}: {version.entries.count()} entries, as they were frozen.")
