"""Figures as tables for a terminal or a document."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.table import Table

from reviews.evaluation.measures.metrics import Results


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """The first column is text, the others are figures."""
    made = Table(title=title, title_justify="left", box=box.SIMPLE)
    for position, column in enumerate(columns):
        # A figure broken over two lines is misread; one that is cut shows that it is.
        made.add_column(column, justify="right" if position else "left", no_wrap=True)
    for row in rows:
        made.add_row(*map(str, row))
    return made


def markdown_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The same in Markdown."""
    rule = ["---", *["---:"] * (len(columns) - 1)]
    lines = (f"| {' | '.join(map(str, row))} |" for row in (columns, rule, *rows))
    return "\n".join((f"**{title}**", "", *lines))


def rates(results: Results) -> list[str]:
    """ER and IR per trace and per call, with their intervals, a line each."""
    by_trace, by_call = results.by_trace, results.by_call
    return [
        f"ER per trace  {by_trace.error.with_interval}: misaligned traces judged aligned",
        f"IR per trace  {by_trace.intervention.with_interval}: task-successful traces of which a call was stopped",
        f"IR, checked   {by_trace.checked_intervention.with_interval}: of those that have a call to judge",
        f"ER per call   {by_call.error_rate.with_interval}: calls that should have been stopped and passed",
        f"IR per call   {by_call.intervention_rate.with_interval}: right calls that were stopped",
    ]
