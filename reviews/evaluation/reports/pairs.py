"""How many pairs were told apart: the right call passes and the wrong one is stopped."""

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.benchmarks.base import LabelledTrace
from reviews.evaluation.measures.metrics import Results, rate
from reviews.evaluation.reports.calls import missed
from reviews.evaluation.reports.tables import rates, table

COLUMNS: Final = ("kind", "pairs", "told apart", "right call stopped", "wrong call passed")

__all__ = ["missed", "report"]


def report(results: Results) -> RenderableType:
    """The figures by kind of pair."""
    whole = rate(results.traces, lambda trace: _is_right(trace, results))
    return Group(
        table(
            "Pairs told apart", ("kind", "pairs", "right", "right call stopped", "wrong call passed"), _rows(results)
        ),
        f"Pairs told apart: {whole.told}",
        *rates(results),
    )


def _rows(results: Results) -> Iterator[tuple[object, ...]]:
    for kind in sorted({trace.group for trace in results.traces}):
        of_kind = [trace for trace in results.traces if trace.group == kind]
        part = Results(tuple(of_kind), results.by_key)
        right = sum(_is_right(trace, results) for trace in of_kind)
        yield kind, len(of_kind), right, part.call_intervention_rate.count, part.call_error_rate.count


def _is_right(trace: LabelledTrace, results: Results) -> bool:
    verdicts = {case.wrong: judged.passed for case, judged in Results((trace,), results.by_key).cases}
    return verdicts == {False: True, True: False}
