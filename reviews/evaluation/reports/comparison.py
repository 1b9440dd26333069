"""Detectors side by side."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.metrics import Rate
from reviews.evaluation.reports.reasons import heading, why_stopped
from reviews.evaluation.reports.tables import markdown_table, table
from reviews.evaluation.runs.comparison import Contestant, Round, Score, chance, mistaken, score

COLUMNS: Final = (
    "detector", "ER", "IR", "Macro-F1", "accuracy", "TDE", "reliability", "PR-AUC", "ECE", "ASR", "utility",
    "undetermined", "unparsable", "calls", "prompt tokens", "completion tokens", "seconds",
)  # fmt: skip
"""ER of single calls is FNR too, accuracy micro-F1; calls, tokens and seconds are means of a verdict."""
_NONE: Final = "–"


def report(told: Round, against: Contestant | None = None) -> RenderableType:
    """Every measure for a terminal, with the intervals of ER and IR. With `against`: p that it makes fewer mistakes."""
    intervals = (f"{each.name}: {_interval(score(told, each))}" for each in told.contestants)
    return Group(table(_title(told), _columns(against), _rows(told, against)), "95 % intervals", *intervals)


def markdown(told: Round, against: Contestant | None = None) -> str:
    """The same table for a document."""
    return markdown_table(_title(told), _columns(against), _rows(told, against))


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


def _title(told: Round) -> str:
    wrong = sum(case.wrong is True for case in told.cases)
    right = sum(case.wrong is False for case in told.cases)
    return f"{told.name}: {len(told.cases)} calls, of which {wrong} should be stopped and {right} should pass"


def _columns(against: Contestant | None) -> Sequence[str]:
    return (*COLUMNS, f"p against {against.name}") if against else COLUMNS


def _rows(told: Round, against: Contestant | None) -> Iterator[Sequence[object]]:
    for each in told.contestants:
        figures = (each.name, *_figures(score(told, each)))
        yield (*figures, f"{chance(told.cases, against, each):.3f}") if against else figures


def _figures(told: Score) -> Iterator[object]:
    confusion, usage, cases = told.confusion, told.usage, max(told.cases, 1)
    yield from (confusion.error_rate, confusion.intervention_rate, _decimal(confusion.macro_f1))
    yield from (_percent(confusion.accuracy), confusion.detection_errors, _decimal(confusion.effective_reliability))
    yield from map(_decimal, (told.pr_auc, told.calibration_error))
    yield from (each if each.total else _NONE for each in (told.attack_success_rate, told.utility))
    yield from (told.undetermined, _percent(told.unparsable), f"{usage.calls / cases:.2f}")
    yield from (f"{each / cases:.0f}" for each in (usage.prompt_tokens, usage.completion_tokens))
    yield f"{told.seconds / cases:.1f}"


def _interval(told: Score) -> str:
    rates = {"ER": told.confusion.error_rate, "IR": told.confusion.intervention_rate}
    return "; ".join(f"{name} {each.told}" for name, each in rates.items())


def _percent(told: Rate) -> str:
    return _NONE if told.share is None else f"{told.share:.1%}"


def _decimal(told: float | None) -> str:
    return _NONE if told is None else f"{told:.3f}"
