"""The rates of a benchmark that labels single calls, and each call behind them."""

from collections.abc import Iterator

from rich.console import Group, RenderableType

from reviews.evaluation.measures.detection_rates import Results
from reviews.evaluation.reports.reasons import describe_case, reasons_to_pass, reasons_to_stop
from reviews.evaluation.reports.tables import rate_lines


def render_report(results: Results) -> RenderableType:
    """The rates."""
    return Group(*rate_lines(results))


def missed_lines(results: Results) -> Iterator[str]:
    """Each right call that was stopped and each wrong one that passed, with the reason."""
    for case, judged in results.cases:
        if case.wrong and judged.has_passed:
            yield describe_case("passed falsely", case, judged, reasons_to_pass(case, judged))
        if case.wrong is False and not judged.has_passed:
            yield describe_case("stopped falsely", case, judged, reasons_to_stop(judged))
