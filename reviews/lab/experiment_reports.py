"""The figures of an experiment as a table, JSON, CSV or LaTeX: for a terminal, a download, another program, a paper."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from io import BytesIO
from types import MappingProxyType
from typing import Final, TypeAlias

from reviews.datasets.spreadsheets import write_rows
from reviews.evaluation.measures.conversation_bootstrap import MEASURES
from reviews.evaluation.measures.percentile_interval import Interval
from reviews.evaluation.reports.tables import latex_table, markdown_table
from reviews.lab.experiment_calls import describe_source
from reviews.lab.experiment_comparison import Difference, compare_arms
from reviews.lab.experiment_final_figures import PREDICTED
from reviews.lab.experiment_results import ArmResult, read_results
from reviews.lab.trial_reports import describe_rate, describe_tallies, list_cells, list_columns, list_rows
from reviews.models import Experiment, ExperimentKind

Rows: TypeAlias = Iterable[Sequence[object]]
# Of recorded calls besides: what goes another way than it went.
FLIPS: Final = ("newly stopped", "newly passed")
DIFFERENCES: Final = ("better", "other", "mistakes", "Δ", "p", "p (Holm)", "p (McNemar)")
COLUMNS: Final = (
    "arm", "ER", "ER grave", "ER mild", "IR", "first step", "accuracy", "Macro-F1", "TDE", "reliability", "precision",
    "PR-AUC", "ROC-AUC", "Brier", "ECE",
    "undetermined", "failed", "calls", "USD", "seconds p50", "p95", "review minutes per 1,000", "stopped",
)  # fmt: skip


def write_report(experiment: Experiment, form: str) -> str:
    """The experiment's figures so far in one of `FORMATS`."""
    return _WRITERS[form](experiment, read_results(experiment))


def describe_arm(result: ArmResult) -> dict[str, object]:
    """One arm's figures with all that they depend on, as JSON."""
    measures, counted = result.measures, result.figures
    figures: Sequence[float | None] = (*result.areas, *result.calibration)
    return {
        "arm": result.name,
        "ordinal": result.arm.ordinal,
        "configuration": result.arm.configuration,
        "confusion": asdict(result.confusion),
        "error_rate": describe_rate(measures.error_rate),
        "error_rate_grave": describe_rate(counted.by_risk["grave"]),
        "error_rate_mild": describe_rate(counted.by_risk["mild"]),
        "intervention_rate": describe_rate(measures.intervention_rate),
        "first_misaligned_step": describe_rate(counted.first_step),
        "accuracy": describe_rate(measures.accuracy),
        "precision": describe_rate(result.precision),
        "macro_f1": measures.macro_f1,
        "detection_errors": measures.detection_errors,
        "effective_reliability": measures.effective_reliability,
        **dict(zip(("pr_auc", "roc_auc", "brier", "ece"), figures, strict=True)),
        "bootstrap": {name: {"interval": interval} for name, interval in counted.intervals.items()},
        "types": {
            labelled: {name: counts.get(name, 0) for name in PREDICTED} for labelled, counts in counted.types.items()
        },
        "undetermined": result.undetermined,
        "failed": result.failed,
        "calls": result.calls,
        "tokens": result.tokens,
        "usd": result.usd,
        "seconds": result.seconds_at,
        "review_minutes_per_1000": result.review_minutes,
        "load": describe_rate(result.load),
        "newly_stopped": describe_rate(result.newly_stopped),
        "newly_passed": describe_rate(result.newly_passed),
    }


def describe_difference(difference: Difference) -> dict[str, object]:
    """One comparison of two arms, as JSON."""
    return {
        "better": difference.better.arm.ordinal,
        "other": difference.worse.arm.ordinal,
        "errors": difference.errors,
        "delta": difference.delta,
        "p": difference.p_value,
        "p_holm": difference.adjusted,
        "p_mcnemar": difference.mcnemar,
    }


def _title_of(experiment: Experiment) -> str:
    return f"{experiment.name}: {describe_source(experiment)}"


def _write_table(experiment: Experiment, results: Sequence[ArmResult]) -> str:
    differences = (
        f"{difference.better.name} makes fewer mistakes than {difference.worse.name} ({difference.errors}):"
        f" p = {difference.adjusted:.4f} after Holm"
        for difference in compare_arms(results)
        if difference.is_significant
    )
    return "\n".join((_write_tables(experiment, results, markdown_table), *differences))


def _write_latex(experiment: Experiment, results: Sequence[ArmResult]) -> str:
    tables = _write_tables(experiment, results, latex_table)
    if len(results) < 2:  # noqa: PLR2004 - one arm differs from nothing
        return tables
    title = f"{experiment.name}: differences between arms"
    return f"{tables}\n\n{latex_table(title, DIFFERENCES, _difference_rows(results))}"


def _difference_rows(results: Sequence[ArmResult]) -> Iterator[tuple[object, ...]]:
    """Each arm against each other and each kind of mistakes, with how much it errs less often."""
    for row in compare_arms(results):
        p_values = (row.p_value, row.adjusted, row.mcnemar)
        yield (row.better.name, row.worse.name, row.errors, _decimal(row.delta), *map(_chance, p_values))


def _write_tables(
    experiment: Experiment, results: Sequence[ArmResult], write: Callable[[str, Sequence[str], Rows], str]
) -> str:
    """The measures on calls as they are, and what changes or attacks came to."""
    flips = FLIPS if experiment.judges_recorded_calls else ()
    tables = [write(_title_of(experiment), (*COLUMNS, *flips), map(tuple, map(_figures, results)))]
    if experiment.kind != ExperimentKind.VERDICTS:
        title = f"{experiment.name}: {experiment.get_kind_display()}"
        tables.append(write(title, list_columns(experiment), list_rows(experiment)))
    return "\n\n".join(tables)


def _write_json(experiment: Experiment, results: Sequence[ArmResult]) -> str:
    arms = [describe_arm(result) for result in results]
    differences = [describe_difference(difference) for difference in compare_arms(results)]
    report = {
        "experiment": _title_of(experiment),
        "kind": experiment.kind,
        "arms": arms,
        "differences": differences,
        "tallies": describe_tallies(experiment),
    }
    return json.dumps(report, indent=2)


def _write_csv(experiment: Experiment, results: Sequence[ArmResult]) -> str:
    """A line for each arm; a rate as its share and its counts, so that a spreadsheet can go on with it.

    Of changes or attacks a line for each arm and each thing that was tried.
    """
    if experiment.kind != ExperimentKind.VERDICTS:
        return _write_lines(list_cells(experiment))
    rows = [dict(_flatten(describe_arm(result))) for result in results]
    columns = list(rows[0]) if rows else []
    cells = [[f"“{experiment.name}”", *(row.get(column, "") for column in columns)] for row in rows]
    return _write_lines([["experiment", *columns], *cells])


def _write_lines(rows: Rows) -> str:
    file = BytesIO()
    write_rows(rows, file)
    return file.getvalue().decode()


def _flatten(described: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in described.items():
        if name == "configuration":
            continue
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}_")
        elif isinstance(value, list | tuple) or name in ("interval", "seconds"):
            low, high = value if isinstance(value, list | tuple) else (None, None)
            ends = ("p50", "p95") if name == "seconds" else ("low", "high")
            yield from zip((f"{prefix}{ends[0]}", f"{prefix}{ends[1]}"), (low, high), strict=True)
        else:
            yield f"{prefix}{name}", value


def _figures(result: ArmResult) -> Iterator[object]:
    """What stands in the columns, as text."""
    measures, counted = result.measures, result.figures
    risks = (counted.by_risk["grave"], counted.by_risk["mild"])
    rates = (measures.error_rate, *risks, measures.intervention_rate, counted.first_step, measures.accuracy)
    yield from (result.name, *(rate.with_interval for rate in rates))
    macro_f1 = _with_bounds(measures.macro_f1, counted.intervals["macro_f1"])
    yield from (macro_f1, measures.detection_errors, _decimal(measures.effective_reliability))
    yield result.precision.with_interval
    for name, value in zip(MEASURES[1:], (*result.areas, *result.calibration), strict=True):
        yield _with_bounds(value, counted.intervals[name])
    yield from (result.undetermined, result.failed, result.calls, f"{result.usd:.4f}")
    yield from map(_decimal, result.seconds_at or (None, None))
    yield from (_decimal(result.review_minutes), result.load.with_interval)
    if result.arm.experiment.judges_recorded_calls:
        yield from (result.newly_stopped.with_interval, result.newly_passed.with_interval)


def _with_bounds(value: float | None, interval: Interval) -> str:
    """The value with its 95 % interval, where there is one."""
    return f"{_decimal(value)} [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else _decimal(value)


def _decimal(value: float | None) -> str:
    # Stands for a measure that has no value: a 0 would be one.
    return "–" if value is None else f"{value:.3f}"


def _chance(p_value: float | None) -> str:
    # To three places that would be 0, which no chance is.
    return "<0.001" if p_value is not None and p_value < 0.0005 else _decimal(p_value)  # noqa: PLR2004 - half of one


_WRITERS: Final[Mapping[str, Callable[[Experiment, Sequence[ArmResult]], str]]] = MappingProxyType(
    {"table": _write_table, "json": _write_json, "csv": _write_csv, "latex": _write_latex}
)
FORMATS: Final = tuple(_WRITERS)
