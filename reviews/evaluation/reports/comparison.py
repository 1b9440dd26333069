"""Detectors side by side."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.comparison import Contestant, Score, mistaken, score
from reviews.evaluation.reports.reasons import heading, why_stopped
from reviews.evaluation.reports.tables import table

COLUMNS = ("detector", "ER", "IR", "undetermined", "calls", "prompt tokens", "completion tokens", "seconds")


def report(cases: Sequence[LabelledCase], contestants: Sequence[Contestant]) -> RenderableType:
    """Rates, and what a verdict costs on average."""
    rows = (_row(score(cases, each)) for each in contestants)
    return table(f"{len(cases)} cases; calls, tokens and seconds are means of a verdict", COLUMNS, rows)


def missed(cases: Sequence[LabelledCase], contestants: Sequence[Contestant]) -> Iterator[str]:
    """Each case that some detector judged wrongly, and what each of them said."""
    for case in cases:
        wrong = [each for each in contestants if mistaken(case, each.results)]
        if wrong:
            first = wrong[0].results[case.key]
            yield "\n".join([f"{case.label}: {heading(case, first)}", *_said(case, contestants)])


def _said(case: LabelledCase, contestants: Sequence[Contestant]) -> Iterator[str]:
    for each in contestants:
        judged = each.results.get(case.key)
        if judged is None or judged.error:
            continue
        verdict = "wrong" if mistaken(case, each.results) else "right"
        reasons = "passed" if judged.passed else "; ".join(why_stopped(judged))
        yield f"    {each.name} ({verdict}): {reasons}"


def _row(told: Score) -> tuple[object, ...]:
    usage, cases = told.usage, max(told.cases, 1)
    return (
        told.name,
        told.error_rate,
        told.intervention_rate,
        told.undetermined,
        f"{usage.calls / cases:.2f}",
        f"{usage.prompt_tokens / cases:.0f}",
        f"{usage.completion_tokens / cases:.0f}",
        f"{told.seconds / cases:.1f}",
    )
