"""How many right and wrong calls each rule decided, and how often it was right to."""

from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.measures.detection_rates import Rate, Results
from reviews.evaluation.measures.rules import Decided, records_by_rule
from reviews.evaluation.reports.tables import terminal_table

COLUMNS: Final = ("rule", "right", "wrong", "at the error", "precision", "95 % between")
# What decided nothing one way has no precision there.
_NONE: Final = "–"


def render_report(results: Results, name: str) -> RenderableType:
    """A table of what each rule refuted and one of what it established; `name` is the data set's."""
    records = records_by_rule(results.cases)
    refuted = {rule: (record.refuted, record.precision_of_refuting) for rule, record in records.items()}
    established = {rule: (record.established, record.precision_of_establishing) for rule, record in records.items()}
    return Group(
        "",
        terminal_table(f"{name}: calls refuted, by rule", COLUMNS, _rule_rows(refuted)),
        terminal_table(f"{name}: calls established, by rule", COLUMNS, _rule_rows(established)),
        "A call counts once for each rule with a part in it: of a refuted one, each that fails in a stage that rejects"
        " it; of an established one, each that holds. At the error: of the wrong calls, those in which the rule spoke"
        " of the value that is wrong. Precision of refuting: those among all it refuted; of establishing: the right"
        " calls among those and the wrong ones whose wrong value it vouched for.",
    )


def _rule_rows(decided: dict[str, tuple[Decided, Rate]]) -> list[tuple[object, ...]]:
    """One row a rule, those with most calls first."""
    used = [(rule, calls, precision) for rule, (calls, precision) in decided.items() if calls.right or calls.wrong]
    ordered = sorted(used, key=lambda row: (-row[1].right - row[1].wrong, row[0]))
    return [
        (rule, calls.right, calls.wrong, calls.at_value, _format_share(precision), _format_interval(precision))
        for rule, calls, precision in ordered
    ]


def _format_share(precision: Rate) -> str:
    return _NONE if precision.share is None else f"{precision.share:.3f}"


def _format_interval(precision: Rate) -> str:
    return f"{precision.interval[0]:.3f} and {precision.interval[1]:.3f}" if precision.interval else _NONE
