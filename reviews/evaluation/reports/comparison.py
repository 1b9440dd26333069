"""Detectors side by side."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.metrics import Rate
from reviews.evaluation.reports.reasons import described, why_stopped
from reviews.evaluation.reports.tables import markdown_table, table
from reviews.evaluation.runs.comparison import Contestant, Round, Score, chance, mistaken, score

COLUMNS: Final = (
    "detector", "ER", "IR", "Macro-F1", "accuracy", "TDE", "reliability", "PR-AUC", "ECE", "ASR", "utility",
    "undetermined", "unparsable", "calls", "prompt tokens", "completion tokens", "seconds",
)  # fmt: skip
"""ER of single calls is FNR too, accuracy micro-F1; calls, tokens and seconds are means of a verdict."""
# Stands for a measure that has no value: a 0 would be one.
_NONE: Final = "–"


def report(compared: Round, against: Contestant | None = None) -> RenderableType:
    """Every measure for a terminal, with the intervals of ER and IR. With `against`: p that it makes fewer mistakes."""
    intervals: list[str] = []
    for contestant in compared.contestants:
        measures = score(compared, contestant).measures
        rates = {"ER": measures.error_rate, "IR": measures.intervention_rate}
        listed = "; ".join(f"{name} {rate.with_interval}" for name, rate in rates.items())
        intervals.append(f"{contestant.name}: {listed}")
    return Group(table(*_content(compared, against)), "95 % intervals", *intervals)


def markdown(compared: Round, against: Contestant | None = None) -> str:
    """The same table for a document."""
    return markdown_table(*_content(compared, against))


def missed(cases: Sequence[LabelledCase], contestants: Sequence[Contestant]) -> Iterator[str]:
    """Each case that some detector judged wrongly, and what each of them made of it."""
    for case in cases:
        wrong = [contestant for contestant in contestants if mistaken(case, contestant.results)]
        if wrong:
            first = wrong[0].results[case.key]
            yield described(case.label, case, first, _verdicts(case, contestants))


def _verdicts(case: LabelledCase, contestants: Sequence[Contestant]) -> Iterator[str]:
    for contestant in contestants:
        judged = contestant.results.get(case.key)
        # Without a verdict it has made no mistake, and was not right either.
        if judged is None or judged.error:
            continue
        verdict = "wrong" if mistaken(case, contestant.results) else "right"
        reasons = "passed" if judged.passed else "; ".join(why_stopped(judged))
        yield f"{contestant.name} ({verdict}): {reasons}"


def _content(compared: Round, against: Contestant | None) -> tuple[str, Sequence[str], Sequence[Sequence[object]]]:
    """Title, columns and rows of the table."""
    wrong = sum(case.wrong is True for case in compared.cases)
    right = sum(case.wrong is False for case in compared.cases)
    counts = f"of which {wrong} should be stopped and {right} should pass"
    rows: list[Sequence[object]] = []
    for contestant in compared.contestants:
        p = [f"{chance(compared.cases, against, contestant):.3f}"] if against else []
        rows.append((contestant.name, *_figures(score(compared, contestant)), *p))
    columns = (*COLUMNS, f"p against {against.name}") if against else COLUMNS
    drawn = f", {compared.drawn}" if compared.drawn else ""
    return f"{compared.name}: {len(compared.cases)} calls{drawn}, {counts}", columns, rows


def _figures(result: Score) -> Iterator[object]:
    """What stands in the columns behind the name."""
    measures, usage = result.measures, result.usage
    # Of no case at all every mean is 0.
    cases = max(result.cases, 1)
    yield from (measures.error_rate, measures.intervention_rate, _decimal(measures.macro_f1))
    yield from (_percent(measures.accuracy), measures.detection_errors, _decimal(measures.effective_reliability))
    yield from (_decimal(result.pr_auc), _decimal(result.calibration_error))
    yield from (rate if rate.total else _NONE for rate in (result.attack_success_rate, result.utility))
    yield from (result.undetermined, _percent(result.unparsable), f"{usage.calls / cases:.2f}")
    yield from (f"{usage.prompt_tokens / cases:.0f}", f"{usage.completion_tokens / cases:.0f}")
    yield f"{result.seconds / cases:.1f}"


def _percent(rate: Rate) -> str:
    return _NONE if rate.share is None else f"{rate.share:.1%}"


def _decimal(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"
