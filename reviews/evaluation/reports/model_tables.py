"""Detectors on several models as papers print them: a row a model, a column a detector.

ProvenanceGuard paper, tables 2 and 3: each rate with Δ and p of the one-sided paired permutation test on case-level
means (5.4.3).
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.significance import adjust_by_holm, permutation_p_value
from reviews.evaluation.reports.tables import Bold, latex_table
from reviews.evaluation.runs.contestants import Contestant, Round, list_excesses, mistake_shares

_RATES: Final = (("ER", "should be stopped", True), ("IR", "should pass", False))
"""The rates, which calls each is of, and how those are labelled."""
_LEVEL: Final = 0.05
# As published: a smaller p is told to be smaller.
_SMALLEST: Final = 0.001
_NONE: Final = "–"


class _Cell(NamedTuple):
    """One detector with one model."""

    judged: int
    """How many of the calls it has judged."""
    rate: float | None
    """Mean over these of the share of runs that erred; None of nothing."""
    excess: float | None = None
    """Δ: by how much the reference errs more often, below 0 where it errs less; None without one."""
    p_value: float | None = None
    """Of the reference erring less often."""


def render_latex(by_model: Mapping[str, Round], reference: str = "") -> str:
    """The tables of ER and of IR: the same calls judged with each model, whose name the row bears.

    With the name of a detector as `reference` it stands first, and every other cell has its Δ and p against it.
    """
    return "\n\n".join(_render_rate(by_model, reference, *rate) for rate in _RATES)


def _render_rate(by_model: Mapping[str, Round], reference: str, rate: str, condition: str, is_wrong: bool) -> str:
    rows = {model: _read_cells(compared, reference, is_wrong) for model, compared in by_model.items()}
    names = sorted({name: None for cells in rows.values() for name in cells}, key=lambda name: name != reference)
    p_values = {
        (model, name): cell.p_value
        for model, cells in rows.items()
        for name, cell in cells.items()
        if cell.p_value is not None
    }
    adjusted = adjust_by_holm(p_values)
    first = next(iter(by_model.values()))
    calls = sum(case.wrong is is_wrong for case in first.cases)
    table_rows = [
        (
            _name_row(model, cells, calls),
            *(_write_cell(cells.get(name), adjusted.get((model, name), 1.0)) for name in names),
        )
        for model, cells in rows.items()
    ]
    title = f"{rate} by model on {first.name}, {calls} calls that {condition}.{_explain(reference) if p_values else ''}"
    return latex_table(title, ("model", *names), table_rows)


def _explain(reference: str) -> str:
    return (
        f" In brackets Δ, the mean difference over calls ({reference} less the detector), and p, by the one-sided"
        f" paired permutation test on the mean of each call's runs, that {reference} has the lower rate."
        f" Bold: p < {_LEVEL} after Holm over the comparisons of this table."
    )


def _read_cells(compared: Round, reference: str, is_wrong: bool) -> Mapping[str, _Cell]:
    """The cells of one row by the detector's name."""
    cases = [case for case in compared.cases if case.wrong is is_wrong]
    against = next((contestant for contestant in compared.contestants if contestant.name == reference), None)
    return {contestant.name: _read_cell(cases, contestant, against) for contestant in compared.contestants}


def _read_cell(cases: Sequence[LabelledCase], contestant: Contestant, against: Contestant | None) -> _Cell:
    shares = mistake_shares(cases, contestant)
    rate = fmean(shares.values()) if shares else None
    excesses = list_excesses(cases, against, contestant) if against and against is not contestant else []
    if not excesses:
        return _Cell(len(shares), rate)
    return _Cell(len(shares), rate, fmean(excesses), permutation_p_value([-excess for excess in excesses]))


def _name_row(model: str, cells: Mapping[str, _Cell], calls: int) -> str:
    """The model, and of how many calls its figures are where some detector has judged fewer than the table has."""
    fewest = min((cell.judged for cell in cells.values() if cell.judged), default=calls)
    return f"{model} ({fewest} of {calls} calls)" if fewest < calls else model


def _write_cell(cell: _Cell | None, adjusted: float) -> str:
    if cell is None or cell.rate is None:
        return _NONE
    rate = f"{cell.rate:.3f}"
    if cell.excess is None or cell.p_value is None:
        return rate
    p_value = f"<{_SMALLEST}" if cell.p_value < _SMALLEST else f"{cell.p_value:.3f}"
    # A hyphen is no minus, and a difference that rounds to nothing has no sign.
    excess = f"{cell.excess:+.3f}".replace("-", "−") if round(cell.excess, 3) else "0.000"
    text = f"{rate} ({excess}, {p_value})"
    return Bold(text) if adjusted < _LEVEL else text
