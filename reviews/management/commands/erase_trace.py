"""Erase one conversation on request."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.errors import UndecidedError
from reviews.management.tenants import workspace_named
from reviews.retention import conversation_erasure


class Command(BaseCommand):
    """Remove all content of one conversation, its calls and labels too; a tombstone and an audit entry stay."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="the workspace's slug")
        parser.add_argument("trace_id", help="the conversation by the name its agent gave it")
        parser.add_argument("--agent", help="only this agent's conversation of that name")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = workspace_named(options["workspace"])
        try:
            erased = conversation_erasure.erase_conversation(workspace, options["trace_id"], agent=options["agent"])
        except UndecidedError as error:
            raise CommandError(str(error)) from None
        if not erased.traces:
            raise CommandError(f"There is no conversation “{options['trace_id']}” in {workspace}.")
        self.stdout.write(
            f"Erased {erased.traces} revisions with {erased.actions} calls and {erased.texts} texts. Answers of the"
            " judge that quote from them leave Redis after JUDGE_CACHE_SECONDS; backups keep what they hold."
        )
