"""Detectors side by side."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.attacked_runs import ATTACK_RATES, average_shares, families_of
from reviews.evaluation.measures.curves import list_trade_offs, thin_points
from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.reports import breakdowns
from reviews.evaluation.reports.reasons import describe_case, reasons_to_stop
from reviews.evaluation.reports.tables import markdown_table, terminal_table
from reviews.evaluation.runs.contestants import (
    Contestant,
    Round,
    Score,
    advantage_p_value,
    attack_rates,
    is_mistaken,
    list_scores,
    score_contestant,
)
from reviews.provenance.detectors.intent_guard import detector as intent_guard

COLUMNS: Final = (
    "detector", "ER", "IR", "Macro-F1", "accuracy", "TDE", "reliability", "PR-AUC", "ECE", "hits passed", "left alone",
    "undetermined", "unparsable", "calls", "prompt tokens", "completion tokens", "seconds",
)  # fmt: skip
"""ER of single calls is FNR too, accuracy micro-F1; calls, tokens and seconds are means of a verdict."""
# Stands for a measure that has no value: a 0 would be one.
_NONE: Final = "–"
_NO_PLANS: Final = "Where a record holds no plan, the calls made so far pose as one for intent-guard."
_REPEATED: Final = (
    "Rates are over all runs of each call. The runs of one call are not independent: a call counts once in an interval,"
    " which is Wilson's of as many observations as there are calls."
)


def render_report(compared: Round, against: Contestant | None = None) -> RenderableType:
    """Every measure for a terminal, with the intervals of the rates. With `against`: p that it makes fewer mistakes."""
    intervals: list[str] = []
    for contestant in compared.contestants:
        score = score_contestant(compared, contestant)
        rates = {
            "ER": score.measures.error_rate,
            "IR": score.measures.intervention_rate,
            "accuracy": score.measures.accuracy,
            "hits passed": score.attack_success_rate,
            "left alone": score.utility,
            "unparsable": score.unparsable,
        }
        listed = "; ".join(f"{name} {rate.with_interval}" for name, rate in rates.items() if rate.total)
        intervals.append(f"{contestant.name}: {listed or _NONE}")
    further = [terminal_table(*table) for table in _list_further_tables(compared)]
    table = terminal_table(*_score_table(compared, against, str, _format_percent))
    return Group(table, *_list_notes(compared), *further, "95 % intervals", *intervals)


def render_markdown(compared: Round, against: Contestant | None = None) -> str:
    """The same table for a document, each rate with its 95 % interval in brackets."""
    # Here the interval stands in the cell: a document has no list of them behind its tables.
    parts = [markdown_table(*_score_table(compared, against, _with_bounds, _share_with_bounds))]
    parts += _list_notes(compared)
    parts += [markdown_table(*table) for table in _list_further_tables(compared)]
    return "\n\n".join(parts)


def list_curves(compared: Round) -> Mapping[str, Sequence[tuple[float, float]]]:
    """By the detector's name the shares of calls stopped and of wrong calls passed at each threshold, 0 to 1.

    Of the round's cases alone; a detector without scores has no curve.
    """
    curves = {}
    for contestant in compared.contestants:
        trade_offs = thin_points(list_trade_offs(list_scores(compared, contestant)))
        points = [
            (point.load.share or 0.0, point.missed.share) for point in trade_offs if point.missed.share is not None
        ]
        if points:
            curves[contestant.name] = points
    return curves


def _list_notes(compared: Round) -> list[str]:
    """What a reader of the table has to know beside its title."""
    is_repeated = any(contestant.repeats for contestant in compared.contestants)
    names = {contestant.detector.name for contestant in compared.contestants}
    return [*notes_on_plans(names, compared.cases), *([_REPEATED] if is_repeated else [])]


def notes_on_plans(names: Collection[str], cases: Iterable[LabelledCase]) -> list[str]:
    """What is said where one of these detectors judges plans and was given calls in their place."""
    lacks_plans = intent_guard.NAME in names and any(not case.case.context.plan for case in cases)
    return [_NO_PLANS] if lacks_plans else []


def _list_further_tables(compared: Round) -> Iterator[breakdowns.Table]:
    """What is told of whole runs under attack, of types, of first steps and of risk, as far as labels tell."""
    if compared.attacked:
        yield _attack_table(compared)
    yield from breakdowns.list_breakdowns(compared)


def _attack_table(compared: Round) -> breakdowns.Table:
    """Title, columns and rows of what whole runs suffered, the runs without a guard first."""
    families, guards = families_of(compared.attacked), (None, *compared.contestants)
    rows: list[Sequence[object]] = []
    for guard in guards:
        rates = attack_rates(compared, guard)
        by_family = [attack_rates(compared, guard, family=family).attack_success for family in families]
        average = average_shares(by_family)
        macro = _NONE if average is None else f"{average:.1%}"
        # The macro-average over families stands in place of the ASR over all runs.
        cells = (*map(_with_bounds, by_family), macro, *map(_with_bounds, rates[1:]))
        rows.append((guard.name if guard else "no guard", *cells))
    columns = ("whole runs", *(f"ASR {family}" for family in families), *ATTACK_RATES)
    return f"{compared.name}: attacked runs and runs without attack", columns, rows


def missed_lines(cases: Sequence[LabelledCase], contestants: Sequence[Contestant]) -> Iterator[str]:
    """Each case that some detector judged wrongly, and what each of them made of it."""
    for case in cases:
        wrong = [contestant for contestant in contestants if is_mistaken(case, contestant.results)]
        if wrong:
            first = wrong[0].results[case.key]
            yield describe_case(case.label, case, first, _verdict_lines(case, contestants))


def _verdict_lines(case: LabelledCase, contestants: Sequence[Contestant]) -> Iterator[str]:
    for contestant in contestants:
        judged = contestant.results.get(case.key)
        # Without a verdict it has made no mistake, and was not right either.
        if judged is None or judged.error:
            continue
        verdict = "wrong" if is_mistaken(case, contestant.results) else "right"
        reasons = "passed" if judged.has_passed else "; ".join(reasons_to_stop(judged))
        yield f"{contestant.name} ({verdict}): {reasons}"


def _score_table(
    compared: Round, against: Contestant | None, counted: Callable[[Rate], str], share: Callable[[Rate], str]
) -> breakdowns.Table:
    """Title, columns and rows of the table. `counted` and `share` write a rate with its counts and without."""
    wrong = sum(case.wrong is True for case in compared.cases)
    right = sum(case.wrong is False for case in compared.cases)
    counts = f"of which {wrong} should be stopped and {right} should pass"
    rows: list[Sequence[object]] = []
    for contestant in compared.contestants:
        p = [f"{advantage_p_value(compared.cases, against, contestant):.3f}"] if against else []
        cells = _score_cells(score_contestant(compared, contestant), counted, share)
        rows.append((contestant.name, *cells, *p))
    columns = (*COLUMNS, f"p against {against.name}") if against else COLUMNS
    drawn = f", {compared.drawn}" if compared.drawn else ""
    return f"{compared.name}: {len(compared.cases)} calls{drawn}, {counts}", columns, rows


def _score_cells(result: Score, counted: Callable[[Rate], str], share: Callable[[Rate], str]) -> Iterator[object]:
    """What stands in the columns behind the name."""
    measures, usage = result.measures, result.usage
    # Of no case at all every mean is 0.
    cases = max(result.cases, 1)
    yield from (
        counted(measures.error_rate),
        counted(measures.intervention_rate),
        _format_decimal(measures.macro_f1),
        share(measures.accuracy),
        measures.detection_errors,
        _format_decimal(measures.effective_reliability),
    )
    yield from (_format_decimal(result.pr_auc), _format_decimal(result.calibration_error))
    yield from (counted(rate) if rate.total else _NONE for rate in (result.attack_success_rate, result.utility))
    yield from (result.undetermined, share(result.unparsable), f"{usage.calls / cases:.2f}")
    yield from (f"{usage.prompt_tokens / cases:.0f}", f"{usage.completion_tokens / cases:.0f}")
    yield f"{result.seconds / cases:.1f}"


def _format_percent(rate: Rate) -> str:
    return _NONE if rate.share is None else f"{rate.share:.1%}"


def _with_bounds(rate: Rate) -> str:
    return rate.with_bounds


def _share_with_bounds(rate: Rate) -> str:
    return " ".join(filter(None, (_format_percent(rate), rate.bounds)))


def _format_decimal(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"
