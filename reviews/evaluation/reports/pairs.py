"""How many pairs were told apart: the right call passes and the wrong one is stopped."""

from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.measures.detection_rates import Rate, Results, count_rate
from reviews.evaluation.reports.calls import missed_lines
from reviews.evaluation.reports.tables import rate_lines, terminal_table

COLUMNS: Final = ("kind", "pairs", "told apart", "right call stopped", "wrong call passed")

__all__ = ["missed_lines", "render_report"]


def render_report(results: Results) -> RenderableType:
    """The figures by kind of pair."""
    rows = []
    for kind in sorted({trace.group for trace in results.traces}):
        part = Results(tuple(trace for trace in results.traces if trace.group == kind), results.by_key)
        pairs, measures = _rate_told_apart(part), part.by_call
        rows.append((kind, pairs.total, pairs.count, measures.intervention_rate.count, measures.error_rate.count))
    return Group(
        terminal_table("Pairs told apart", COLUMNS, rows),
        f"Pairs told apart: {_rate_told_apart(results).with_interval}",
        *rate_lines(results),
    )


def _rate_told_apart(results: Results) -> Rate:
    """How many pairs have both verdicts right. A pair of which one call failed is none."""
    passed = {case.key: judged.has_passed for case, judged in results.cases}
    # Each label says whether the call should be stopped: a right verdict is its opposite.
    return count_rate(results.traces, lambda pair: all(passed.get(case.key) is (not case.wrong) for case in pair.cases))
