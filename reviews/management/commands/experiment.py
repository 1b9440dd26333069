"""Try detectors on a frozen dataset or on recorded calls: run an experiment here, or print one that was run."""

from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.datasets import job_leases
from reviews.errors import InvalidError, ReviewError
from reviews.lab import experiment_worker, experiments
from reviews.lab.arm_options import ARM_OPTIONS, read_option
from reviews.lab.experiment_costs import estimate_usd
from reviews.lab.experiment_reports import FORMATS, write_report
from reviews.lab.experiments import MAX_USD, ArmChoice, Source
from reviews.lab.recorded_calls import DEFAULT_CALLS, DEFAULT_DAYS, Period, draw_calls
from reviews.lab.trial_choices import TrialChoice
from reviews.management.arguments import positive_number
from reviews.management.tenants import workspace_named
from reviews.models import Dataset, DatasetVersion, Experiment, ExperimentKind, JobStatus, JudgeKind, Workspace


class Command(BaseCommand):
    """Run every chosen detector over the version, and print the measures. One that was stopped goes on."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="the workspace's slug")
        parser.add_argument("name", help="of the experiment; one of this name goes on, or is printed")
        parser.add_argument("--dataset", help="name of a dataset: its latest frozen version")
        parser.add_argument("--recorded", action="store_true", help="recorded calls in place of a dataset")
        parser.add_argument(
            "--days", type=positive_number, default=DEFAULT_DAYS, help=f"with --recorded (default: {DEFAULT_DAYS})"
        )
        parser.add_argument(
            "--calls", type=positive_number, default=DEFAULT_CALLS, help=f"drawn at most (default: {DEFAULT_CALLS})"
        )
        parser.add_argument("--detector", nargs="+", default=[], help="(default: provenance-guard)")
        parser.add_argument(
            "--arm", nargs="+", action="append", default=[], metavar=("DETECTOR", "NAME=VALUE"),
            help=f"one more, with judge, model, or options of its own: {', '.join(ARM_OPTIONS)}",
        )  # fmt: skip
        parser.add_argument("--judge", choices=JudgeKind.values, default=JudgeKind.RULES.value)
        parser.add_argument("--model", nargs="+", default=[""], help="with --judge openai: each detector with each")
        parser.add_argument("--runs", type=positive_number, default=1, help="of detectors that ask a model")
        parser.add_argument("--kind", choices=ExperimentKind.values, default=ExperimentKind.VERDICTS.value)
        parser.add_argument("--tried", nargs="+", default=[], help="kinds of changes or families (default: all)")
        parser.add_argument("--variants", type=positive_number, default=1, help="attacks of each family on each call")
        parser.add_argument("--seed", type=int, default=0, help="another one draws other values of attacks")
        parser.add_argument("--fresh", action="store_true", help="ask models even where an answer is kept")
        parser.add_argument("--max-usd", type=_dollars, help="at which it pauses; with a paused one, its new limit")
        parser.add_argument("--format", choices=FORMATS, default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = workspace_named(options["workspace"])
        try:
            experiment = _experiment_named(workspace, options)
            self._let_go_on(experiment, options["max_usd"])
            if not experiments.is_current(experiment):
                self.stderr.write("The guard has changed since: with --dataset or --recorded, it is run anew.")
            if experiment.status == JobStatus.QUEUED:
                self._tell_cost(experiment)
            if not experiment.paused and (job := job_leases.take_job(Experiment, experiment.pk)):
                experiment_worker.run_in_own_processes(job)
        except ReviewError as error:
            raise CommandError(str(error)) from error
        experiment.refresh_from_db()
        if experiment.failure:
            self.stderr.write(experiment.failure)
        if experiment.status == JobStatus.RUNNING:
            self.stderr.write("A worker runs it; these are its figures so far.")
        self.stdout.write(write_report(experiment, options["format"]))

    def _tell_cost(self, experiment: Experiment) -> None:
        estimate = estimate_usd(experiment)
        about = "nobody can tell: nothing that has a price was asked yet" if estimate is None else f"about ${estimate}"
        self.stderr.write(f"What it may cost: {about}.")

    def _let_go_on(self, experiment: Experiment, max_usd: Decimal | None) -> None:
        """Have a paused experiment go on; one whose limit is spent is printed as far as it is."""
        try:
            experiments.resume_experiment(experiment, max_usd, by=None)
        except InvalidError as error:
            self.stderr.write(error.errors[0].message)
        experiment.refresh_from_db()


def _experiment_named(workspace: Workspace, options: Mapping[str, Any]) -> Experiment:
    """The experiment of this name, begun if there is none that fits. Raises `CommandError` and `InvalidError`."""
    if options["dataset"] is not None and options["recorded"]:
        raise CommandError("An experiment is on a dataset or on recorded calls: leave out --dataset or --recorded.")
    earlier = Experiment.objects.filter(workspace=workspace, name=options["name"]).order_by("created_at").last()
    # Without any there is nothing to run it on anew: what an earlier engine found is printed.
    is_told = options["dataset"] is not None or options["recorded"]
    if earlier is not None and not is_told:
        return earlier
    if earlier is not None and _goes_on(earlier):
        _check_choices(earlier, workspace, options)
        return earlier
    return experiments.request_experiment(
        _source_of(workspace, options),
        name=options["name"],
        arms=_list_arms(options),
        runs=options["runs"],
        max_usd=options["max_usd"],
        trial=_trial_of(options),
        fresh=options["fresh"],
        by=None,
    )


def _check_choices(earlier: Experiment, workspace: Workspace, options: Mapping[str, Any]) -> None:
    """Raises `CommandError` where the earlier one was asked for with other choices: it answers another question."""
    trial, arms = _trial_of(options), [(arm.detector, arm.settings) for arm in _list_arms(options)]
    is_same = {
        "calls": _is_on(earlier, workspace, options),
        "detectors": [(arm.detector, arm.settings) for arm in earlier.arms.all()] == arms,
        "number of runs": earlier.runs == options["runs"],
        "kind or trials": (earlier.kind, earlier.trial) == (trial.kind, trial.stored),
        "use of kept answers": earlier.fresh == options["fresh"],
    }
    if differing := [name for name, same in is_same.items() if not same]:
        raise CommandError(
            f"The experiment “{earlier.name}” was asked for with other {', other '.join(differing)}. Choose another"
            " name, or leave out --dataset and --recorded to go on with it or have it printed."
        )


def _is_on(earlier: Experiment, workspace: Workspace, options: Mapping[str, Any]) -> bool:
    """Whether it judges what is named: the latest version, or as many calls of a period as long."""
    if not options["recorded"]:
        return earlier.version == _frozen_version(workspace, options["dataset"])
    if not earlier.recorded:
        return False
    since, until = (datetime.fromisoformat(earlier.recorded[name]) for name in ("since", "until"))
    return (until - since, earlier.recorded["calls"]) == (timedelta(days=options["days"]), options["calls"])


def _trial_of(options: Mapping[str, Any]) -> TrialChoice:
    kind = ExperimentKind(options["kind"])
    return TrialChoice(kind, tuple(options["tried"]), options["variants"], options["seed"])


def _list_arms(options: Mapping[str, Any]) -> list[ArmChoice]:
    """Each detector with each model, then the arms with options of their own. Raises `CommandError`."""
    detectors = options["detector"] or ([] if options["arm"] else ["provenance-guard"])
    judge = JudgeKind(options["judge"])
    arms = [ArmChoice(detector, judge, model) for detector in detectors for model in options["model"]]
    return arms + [_read_arm(detector, settings) for detector, *settings in options["arm"]]


def _read_arm(detector: str, settings: Sequence[str]) -> ArmChoice:
    """The arm of words such as `order=paper`. With a model it asks this one. Raises `CommandError`."""
    chosen = dict(setting.partition("=")[::2] for setting in settings)
    model = chosen.pop("model", "")
    judge = chosen.pop("judge", JudgeKind.OPENAI if model else JudgeKind.RULES)
    if judge not in JudgeKind.values:
        raise CommandError(f"A judge is one of {', '.join(JudgeKind.values)}, which “{judge}” is not.")
    return ArmChoice(
        detector, JudgeKind(judge), model, {name: read_option(name, text) for name, text in chosen.items()}
    )


def _source_of(workspace: Workspace, options: Mapping[str, Any]) -> Source:
    """What is to be judged. Raises `CommandError` and `InvalidError`."""
    if not options["recorded"]:
        return _frozen_version(workspace, options["dataset"])
    return draw_calls(workspace, Period.last_days(options["days"], options["calls"]))


def _goes_on(earlier: Experiment) -> bool:
    """Whether the experiment has an answer, or comes to one: what failed or was stopped does not."""
    return earlier.status not in (JobStatus.FAILED, JobStatus.CANCELLED) and experiments.is_current(earlier)


def _dollars(text: str) -> Decimal:
    """A sum above nothing, to the cent. Raises `ArgumentTypeError`."""
    try:
        dollars = Decimal(text).quantize(Decimal("0.01"))
        is_limit = 0 < dollars <= MAX_USD
    except InvalidOperation:
        is_limit = False
    if not is_limit:
        raise ArgumentTypeError(f"a budget is a sum of 0.01 to {MAX_USD} US dollars, which “{text}” is not")
    return dollars


def _frozen_version(workspace: Workspace, name: str | None) -> DatasetVersion:
    dataset = Dataset.objects.filter(workspace=workspace, name=name).first()
    version = dataset and dataset.versions.filter(frozen_at__isnull=False).last()
    if not version:
        raise CommandError(
            "A new experiment takes --recorded, or --dataset with the name of a dataset that has a frozen version."
        )
    return version
