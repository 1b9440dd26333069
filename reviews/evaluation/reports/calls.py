"""The rates of a benchmark that labels single calls, and each call behind them."""

from collections.abc import Iterator

from rich.console import Group, RenderableType

from reviews.evaluation.measures.metrics import Results
from reviews.evaluation.reports.reasons import described, why_passed, why_stopped
from reviews.evaluation.reports.tables import rates


def report(results: Results) -> RenderableType:
    """The rates."""
    return Group(*rates(results))


def missed(results: Results) -> Iterator[str]:
    """Each right call that was stopped and each wrong one that passed, with the reason."""
    for case, judged in results.cases:
        if case.wrong and judged.passed:
            yield described("passed falsely", case, judged, why_passed(case, judged))
        if case.wrong is False and not judged.passed:
            yield described("stopped falsely", case, judged, why_stopped(judged))
