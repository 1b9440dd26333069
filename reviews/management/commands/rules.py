"""How often people upheld what each rule and each question decided."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from reviews.evaluation.reports.tables import markdown_table
from reviews.lab.rule_records import MAX_LABELS, count_rule_records
from reviews.management.tenants import workspace_named


class Command(BaseCommand):
    """Print the record of each rule of a workspace, over its latest labels."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="the workspace's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        records = count_rule_records(workspace_named(options["workspace"]))
        rows = [(record.rule, record.version, record.precision.with_interval) for record in records]
        title = f"Upheld by the latest label of each call, of the latest {MAX_LABELS:,} labels"
        self.stdout.write(markdown_table(title, ("rule", "version", "upheld"), rows))
