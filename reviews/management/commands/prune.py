"""Let go of old conversations, and of texts nobody refers to any more."""

import re
from datetime import timedelta
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from reviews.management.tenants import with_sandbox, workspace_named
from reviews.models import Workspace
from reviews.retention import pruning

# Shorter than any permission or wait of an agent would cut into what is still going on.
MIN_DAYS: Final = 1


class Command(BaseCommand):
    """Remove settled, unlabelled conversations in which nothing has happened for so long. Labels and audit stay."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--older-than", required=True, metavar="90d", help="days of silence, as 90d")
        parser.add_argument("--workspace", help="only this one, by its slug")
        parser.add_argument("--dry-run", action="store_true", help="only say how many conversations would go")

    def handle(self, *args: Any, **options: Any) -> None:
        before = timezone.now() - _parse_span(options["older_than"])
        slug = options["workspace"]
        for workspace in with_sandbox(workspace_named(slug)) if slug else Workspace.objects.order_by("slug"):
            if options["dry_run"]:
                number = pruning.prunable_conversations(workspace, before).count()
                self.stdout.write(f"{workspace.slug}: {number} conversations would be removed")
                continue
            removed = pruning.prune_conversations(workspace, before)
            self.stdout.write(
                f"{workspace.slug}: removed {removed.traces} conversations with {removed.actions} calls,"
                f" {removed.texts} texts and {removed.tool_sets} sets of tools"
            )


def _parse_span(text: str) -> timedelta:
    """Days as `90d`. Raises `CommandError`."""
    match = re.fullmatch(r"([0-9]{1,5})d", text)
    if match is None or int(match[1]) < MIN_DAYS:
        raise CommandError("--older-than takes days, at least one: 90d")
    return timedelta(days=int(match[1]))
