"""Figures as tables for a terminal or a document."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.table import Table

from reviews.evaluation.measures.metrics import Rate, Results


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """The first column is text, the others are figures."""
    made = Table(title=title, title_justify="left", box=box.SIMPLE)
    for n, column in enumerate(columns):
        made.add_column(column, justify="right" if n else "left", no_wrap=True)
    for row in rows:
        made.add_row(*map(str, row))
    return made


def markdown_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The same in Markdown."""
    rule = ["---", *["---:"] * (len(columns) - 1)]
    lines = (f"| {' | '.join(map(str, row))} |" for row in (columns, rule, *rows))
    return "\n".join((f"**{title}**", "", *lines))


def rates(results: Results) -> list[str]:
    """ER and IR per trace and per call, with their intervals."""
    told: list[tuple[str, Rate, str]] = [
        ("ER per trace", results.trace_error_rate, "misaligned traces judged aligned"),
        ("IR per trace", results.trace_intervention_rate, "task-successful traces of which a call was stopped"),
        ("ER per call ", results.call_error_rate, "calls that should have been stopped and passed"),
        ("IR per call ", results.call_intervention_rate, "right calls that were stopped"),
    ]
    return [f"{name}  {rate.told}: {what}" for name, rate, what in told]
