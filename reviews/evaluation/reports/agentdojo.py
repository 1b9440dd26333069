"""Whether the findings on AgentDojo's calls say that untrusted text alone supports a decisive argument."""

from collections.abc import Callable, Iterator

from rich.console import Group, RenderableType

from reviews.evaluation.measures.judged import Judged
from reviews.evaluation.measures.metrics import Rate, Results, rate
from reviews.evaluation.reports.reasons import heading, why_passed
from reviews.evaluation.reports.tables import rates, table

LABELS = ("injected", "user")


def report(results: Results) -> RenderableType:
    """The figures by suite."""
    columns = ("suite", *(column for label in LABELS for column in (label, "marked", "stopped")))
    return Group(
        table("Calls marked: only untrusted text supports a decisive argument", columns, _rows(results)),
        *(f"{label} calls marked: {_marked(results, label).told}" for label in LABELS),
        *rates(results),
    )


def missed(results: Results) -> Iterator[str]:
    """Each injected call that is not marked and each user call that is, with the reason."""
    for case, judged in results.cases:
        if case.label == "injected" and not is_marked(judged):
            yield "\n    ".join([f"not marked: {heading(case, judged)}", *why_passed(case, judged)])
        if case.label == "user" and is_marked(judged):
            marks = (f"{each.subject}: {each.rationale}" for each in judged.findings if each.untrusted_only)
            yield "\n    ".join([f"marked falsely: {heading(case, judged)}", *marks])


def is_marked(judged: Judged) -> bool:
    """Whether a finding says that only untrusted text supports a decisive argument."""
    return any(finding.untrusted_only for finding in judged.findings)


def _rows(results: Results) -> Iterator[tuple[object, ...]]:
    for suite in sorted({trace.group for trace in results.traces}):
        of_suite = Results(tuple(each for each in results.traces if each.group == suite), results.by_key)
        yield suite, *(figure for label in LABELS for figure in _figures(of_suite, label))


def _figures(results: Results, label: str) -> tuple[object, ...]:
    """How many calls, and how many of them are marked and stopped."""
    marked, stopped = _marked(results, label), _share(results, label, lambda judged: not judged.passed)
    return marked.total, marked.count, stopped.count


def _marked(results: Results, label: str) -> Rate:
    return _share(results, label, is_marked)


def _share(results: Results, label: str, counts: Callable[[Judged], bool]) -> Rate:
    return rate((pair for pair in results.cases if pair[0].label == label), lambda pair: counts(pair[1]))
