"""Try detectors on a frozen dataset: run an experiment here, or print one that was run."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.datasets import jobs
from reviews.errors import ReviewError
from reviews.evaluation.reports.tables import latex_table, markdown_table
from reviews.lab import experiment_worker, experiments
from reviews.lab.experiment_results import ArmResult, compare_arms, read_results
from reviews.lab.experiments import ArmChoice
from reviews.management.arguments import positive_number
from reviews.management.tenants import workspace_named
from reviews.models import Dataset, DatasetVersion, Experiment, JobStatus, JudgeKind, Workspace

COLUMNS: Final = (
    "arm", "ER", "IR", "accuracy", "Macro-F1", "TDE", "reliability", "precision", "PR-AUC", "ROC-AUC", "Brier", "ECE",
    "undetermined", "failed", "calls", "USD", "seconds p50", "p95", "review minutes per 1,000",
)  # fmt: skip
FORMATS: Final = ("table", "json", "latex")


class Command(BaseCommand):
    """Run every chosen detector over the version, and print the measures. One that was stopped goes on."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="the workspace's slug")
        parser.add_argument("name", help="of the experiment; one of this name goes on, or is printed")
        parser.add_argument("--dataset", help="name of a dataset: its latest frozen version")
        parser.add_argument("--detector", nargs="+", default=["provenance-guard"], help="(default: provenance-guard)")
        parser.add_argument("--judge", choices=JudgeKind.values, default=JudgeKind.RULES.value)
        parser.add_argument("--model", nargs="+", default=[""], help="with --judge openai: each detector with each")
        parser.add_argument("--runs", type=positive_number, default=1, help="of detectors that ask a model")
        parser.add_argument("--format", choices=FORMATS, default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = workspace_named(options["workspace"])
        try:
            experiment = _experiment_named(workspace, options)
            if experiment.status != JobStatus.DONE and (taken := jobs.take_job(Experiment, experiment.pk)):
                experiment_worker.run_in_own_processes(taken)
        except ReviewError as error:
            raise CommandError(str(error)) from error
        experiment.refresh_from_db()
        if experiment.failure:
            self.stderr.write(experiment.failure)
        self.stdout.write(_report(experiment, options["format"]))


def _experiment_named(workspace: Workspace, options: Mapping[str, Any]) -> Experiment:
    """The experiment of this name, begun if there is none. Raises `CommandError` and `InvalidError`."""
    earlier = Experiment.objects.filter(workspace=workspace, name=options["name"]).order_by("created_at").last()
    if earlier is not None:
        experiments.resume_experiment(earlier)
        return earlier
    arms = [
        ArmChoice(detector, JudgeKind(options["judge"]), model)
        for detector in options["detector"]
        for model in options["model"]
    ]
    version = _frozen_version(workspace, options["dataset"])
    return experiments.request_experiment(version, name=options["name"], arms=arms, runs=options["runs"], by=None)


def _frozen_version(workspace: Workspace, name: str | None) -> DatasetVersion:
    dataset = Dataset.objects.filter(workspace=workspace, name=name).first()
    version = dataset and dataset.versions.filter(frozen_at__isnull=False).last()
    if not version:
        raise CommandError("A new experiment takes --dataset with the name of a dataset that has a frozen version.")
    return version


def _report(experiment: Experiment, form: str) -> str:
    results = read_results(experiment)
    title = f"{experiment.name}: {experiment.version.dataset.name}, {experiment.version}"
    if form == "json":
        return json.dumps({"experiment": title, "arms": [_as_json(result) for result in results]}, indent=2)
    rows = [tuple(_figures(result)) for result in results]
    if form == "latex":
        return latex_table(title, COLUMNS, rows)
    differences = (
        f"{difference.better.name} makes fewer mistakes than {difference.other.name} ({difference.errors}):"
        f" p = {difference.adjusted:.4f} after Holm"
        for difference in compare_arms(results)
        if difference.is_significant
    )
    return "\n".join((markdown_table(title, COLUMNS, rows), *differences))


def _figures(result: ArmResult) -> Iterator[object]:
    """What stands in the columns, as text."""
    measures = result.measures
    yield from (result.name, measures.error_rate, measures.intervention_rate, measures.accuracy)
    yield from (_decimal(measures.macro_f1), measures.detection_errors, _decimal(measures.effective_reliability))
    yield result.precision
    yield from map(_decimal, (*result.areas, *result.calibration))
    yield from (result.undetermined, result.failed, result.calls, f"{result.usd:.4f}")
    yield from map(_decimal, result.seconds_at or (None, None))
    yield _decimal(result.review_minutes)


def _decimal(value: float | None) -> str:
    # Stands for a measure that has no value: a 0 would be one.
    return "–" if value is None else f"{value:.3f}"


def _as_json(result: ArmResult) -> dict[str, object]:
    measures = result.measures
    figures: Sequence[float | None] = (*result.areas, *result.calibration)
    return {
        "arm": result.name,
        "configuration": result.arm.configuration,
        "confusion": asdict(result.confusion),
        "error_rate": asdict(measures.error_rate),
        "intervention_rate": asdict(measures.intervention_rate),
        "macro_f1": measures.macro_f1,
        **dict(zip(("pr_auc", "roc_auc", "brier", "ece"), figures, strict=True)),
        "undetermined": result.undetermined,
        "failed": result.failed,
        "calls": result.calls,
        "tokens": result.tokens,
        "usd": result.usd,
        "seconds": result.seconds_at,
        "review_minutes_per_1000": result.review_minutes,
    }
