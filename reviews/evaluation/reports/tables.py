"""Figures as tables for a terminal or a document."""

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Final

from rich import box
from rich.table import Table

from reviews.evaluation.measures.detection_rates import Results

_LATEX: Final = MappingProxyType(
    {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--",
        "−": "$-$", "<": "$<$", ">": "$>$", "|": "$|$", "Δ": r"$\Delta$",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)  # fmt: skip


class Bold(str):
    """A cell that stands out, where the form of the table allows it."""

    __slots__ = ()


def terminal_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """The first column is text, the others are figures."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE)
    for position, column in enumerate(columns):
        # A figure broken over two lines is misread; one that is cut shows that it is.
        table.add_column(column, justify="right" if position else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(str, row))
    return table


def markdown_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The same in Markdown."""
    rule = ["---", *["---:"] * (len(columns) - 1)]
    lines = (f"| {' | '.join(map(_escape_markdown, row))} |" for row in (columns, rule, *rows))
    return "\n".join((f"**{title}**", "", *lines))


def _escape_markdown(cell: object) -> str:
    """The text on one line and in one cell: names of tools are the agents', of models whoever named them."""
    return " ".join(str(cell).replace("|", r"\|").split())


def latex_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The same for a paper: a table with its caption, ruled as the package booktabs does."""
    lines = (f"{' & '.join(_escape_latex(cell) for cell in row)} \\\\" for row in (columns, *rows))
    head, *body = lines
    return "\n".join(
        (
            r"% Needs \usepackage{booktabs}.",
            r"\begin{table}",
            rf"\caption{{{_escape_latex(title)}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        )
    )


def _escape_latex(cell: object) -> str:
    """The text with all that LaTeX would read as its own."""
    escaped = "".join(_LATEX.get(letter, letter) for letter in str(cell))
    return rf"\textbf{{{escaped}}}" if isinstance(cell, Bold) else escaped


def rate_lines(results: Results) -> list[str]:
    """ER and IR per trace and per call, with their intervals, a line each."""
    by_trace, by_call = results.by_trace, results.by_call
    return [
        f"ER per trace  {by_trace.error.with_interval}: misaligned traces judged aligned",
        f"IR per trace  {by_trace.intervention.with_interval}: task-successful traces of which a call was stopped",
        f"IR, checked   {by_trace.checked_intervention.with_interval}: of those that have a call to judge",
        f"ER per call   {by_call.error_rate.with_interval}: calls that should have been stopped and passed",
        f"IR per call   {by_call.intervention_rate.with_interval}: right calls that were stopped",
    ]
