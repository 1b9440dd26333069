"""Whether the findings on AgentDojo's calls say that untrusted text alone supports a decisive argument."""

from collections.abc import Callable, Iterator
from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.measures.attacked_runs import ATTACK_RATES, rate_guarded, rate_unguarded
from reviews.evaluation.measures.detection_rates import Rate, Results, count_rate
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.reports.reasons import describe_case, reasons_to_pass
from reviews.evaluation.reports.tables import rate_lines, terminal_table

# The benchmark's other labels say that nobody knows on whose behalf the call was made.
LABELS: Final = ("injected", "user")


def render_report(results: Results) -> RenderableType:
    """The figures by suite."""
    columns = ("suite", *(column for label in LABELS for column in (label, "marked", "stopped")))
    return Group(
        terminal_table("Calls marked: only untrusted text supports a decisive argument", columns, _label_rows(results)),
        *(f"{label} calls marked: {_rate_label(results, label, is_marked).with_interval}" for label in LABELS),
        *rate_lines(results),
        *_attack_lines(results),
    )


def _attack_lines(results: Results) -> Iterator[str]:
    """The papers' measures of whole runs, with no guard in their way and with this one, and their 95 % intervals."""
    # Both of the same runs: of a sample most are judged in part.
    for name, rated in (("no guard", rate_unguarded(results.complete_traces)), ("guarded", rate_guarded(results))):
        yield f"{name}: " + ", ".join(
            f"{rate} {share.with_bounds}" for rate, share in zip(ATTACK_RATES, rated, strict=True)
        )


def missed_lines(results: Results) -> Iterator[str]:
    """Each injected call that is not marked and each user call that is, with the reason."""
    for case, judged in results.cases:
        if case.label == "injected" and not is_marked(judged):
            yield describe_case("not marked", case, judged, reasons_to_pass(case, judged))
        if case.label == "user" and is_marked(judged):
            marks = (finding for finding in judged.findings if finding.untrusted_only)
            reasons = (f"{finding.subject}: {finding.rationale}" for finding in marks)
            yield describe_case("marked falsely", case, judged, reasons)


def is_marked(judged: Judged) -> bool:
    """Whether a finding says that only untrusted text supports a decisive argument."""
    return any(finding.untrusted_only for finding in judged.findings)


def _label_rows(results: Results) -> Iterator[tuple[object, ...]]:
    """Of each suite and label how many calls there are, and how many of them are marked and stopped."""
    for suite in sorted({trace.group for trace in results.traces}):
        part = Results(tuple(trace for trace in results.traces if trace.group == suite), results.by_key)
        figures: list[int] = []
        for label in LABELS:
            marked = _rate_label(part, label, is_marked)
            stopped = _rate_label(part, label, lambda judged: not judged.has_passed)
            figures += [marked.total, marked.count, stopped.count]
        yield suite, *figures


def _rate_label(results: Results, label: str, counts: Callable[[Judged], bool]) -> Rate:
    """How many calls with this label count."""
    return count_rate((judged for case, judged in results.cases if case.label == label), counts)
