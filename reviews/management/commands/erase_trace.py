"""Erase one conversation on request."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.errors import UndecidedError
from reviews.management.tenants import with_sandbox, workspace_named
from reviews.models import Dataset, Workspace
from reviews.retention import conversation_erasure


class Command(BaseCommand):
    """Remove all content of one conversation, its calls and labels too; a tombstone and an audit entry stay."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="the workspace's slug")
        parser.add_argument("trace_id", help="the conversation by the name its agent gave it")
        parser.add_argument("--agent", help="only this agent's conversation of that name")
        parser.add_argument("--dataset", help="the conversation of a collection that was imported into this dataset")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = workspace_named(options["workspace"])
        if options["dataset"] is not None:
            self._erase_imported(workspace, options)
        else:
            self._erase_recorded(workspace, options)

    def _erase_recorded(self, workspace: Workspace, options: Mapping[str, Any]) -> None:
        """Raises `CommandError`."""
        name, agent = options["trace_id"], options["agent"]
        try:
            erased = [
                conversation_erasure.erase_conversation(place, name, agent=agent) for place in with_sandbox(workspace)
            ]
        except UndecidedError as error:
            raise CommandError(str(error)) from None
        traces = sum(removed.traces for removed in erased)
        if not traces:
            raise CommandError(f"There is no conversation “{name}” in {workspace}.")
        self.stdout.write(
            f"Erased {traces} revisions with {sum(removed.actions for removed in erased)} calls and"
            f" {sum(removed.texts for removed in erased)} texts. Answers of the"
            " judge that quote from them leave Redis after JUDGE_CACHE_SECONDS; backups keep what they hold."
        )

    def _erase_imported(self, workspace: Workspace, options: Mapping[str, Any]) -> None:
        """Raises `CommandError`."""
        if options["agent"] is not None:
            raise CommandError("An imported conversation is no agent's: leave out --agent or --dataset.")
        dataset = Dataset.objects.filter(workspace=workspace, name=options["dataset"]).first()
        if dataset is None:
            raise CommandError(f"There is no dataset “{options['dataset']}” in {workspace}.")
        erased = conversation_erasure.erase_imported(dataset, options["trace_id"])
        if not erased:
            raise CommandError(f"There is no imported conversation “{options['trace_id']}” in {dataset}.")
        self.stdout.write(f"Erased {erased} imported calls from {dataset}. Backups keep what they hold.")
