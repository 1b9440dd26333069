"""How often each rule and each question decided, and how often people upheld it, in all and by tool."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from reviews.evaluation.reports.tables import markdown_table
from reviews.lab.rule_records import MAX_CALLS, MAX_LABELS, RuleRecord, count_rule_records
from reviews.management.tenants import workspace_named


class Command(BaseCommand):
    """Print the record of each rule of a workspace, over its latest labels."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="the workspace's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        records = count_rule_records(workspace_named(options["workspace"]))
        rows = [row for record in records for row in _rows_of(record)]
        title = (
            f"Upheld by adjudication, agreement or the latest label of each call, of the latest {MAX_LABELS:,} labels;"
            f" decided: of the latest {MAX_CALLS:,} calls and those"
        )
        self.stdout.write(markdown_table(title, ("rule", "version", "tool", "decided", "upheld"), rows))


def _rows_of(record: RuleRecord) -> Iterator[tuple[str, ...]]:
    """One line for all tools, then one for each whose calls people have judged."""
    yield record.rule, record.version, "all", f"{record.decided:,}", record.precision.with_interval
    for tool in record.tools:
        yield record.rule, record.version, tool.tool, "", tool.rate.with_interval
