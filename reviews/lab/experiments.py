"""Experiments: asked for, paused, gone on with, stopped. A worker runs them (`experiment_worker`)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import F, FloatField, Sum
from django.db.models.functions import Cast

from reviews import access, audit
from reviews.errors import FieldProblem, InvalidError
from reviews.evaluation.runs.run_identity import engine_digest
from reviews.judging import build
from reviews.judging.model_endpoint import options_of
from reviews.lab import trial_choices
from reviews.lab.trial_choices import TrialChoice
from reviews.models import (
    DatasetVersion,
    Experiment,
    ExperimentArm,
    ExperimentVerdict,
    GuardProfile,
    JobStatus,
    JudgeKind,
)
from reviews.profiles import versions
from reviews.profiles.options import detector_options
from reviews.profiles.validation import describe_unpriced, unpriced_models
from reviews.provenance import detectors, prompts
from reviews.scheduling import broker

TASK: Final = "reviews.tasks.run_experiments"
# More columns than that no page shows side by side.
MAX_ARMS: Final = 12
# The papers use five; ten halve the noise once more, at twice the cost.
MAX_RUNS: Final = 10
# US dollars. No study comes near it, and the column holds it.
MAX_USD: Final = 1_000_000
NO_TRIAL: Final = TrialChoice()


@dataclass(frozen=True)
class ArmChoice:
    """One detector, and who answers what its rules cannot."""

    detector: str
    judge: JudgeKind = JudgeKind.RULES
    model: str = ""
    """Empty: the profile's."""

    @property
    def settings(self) -> dict[str, Any]:
        """What differs from the profile in force."""
        chosen: dict[str, Any] = {"judge": str(self.judge)}
        return chosen | ({"model": self.model} if self.model else {})


def request_experiment(
    version: DatasetVersion,
    *,
    name: str,
    arms: Sequence[ArmChoice],
    by: access.Principal | None,
    runs: int = 1,
    max_usd: Decimal | None = None,
    trial: TrialChoice = NO_TRIAL,
) -> Experiment:
    """An experiment that a worker runs as soon as none other does. Raises `InvalidError`."""
    workspace = version.dataset.workspace
    _check_choices(version, name, arms, runs)
    trial_choices.check_choice(trial)
    profile = access.current_profile(workspace)
    drafts = [versions.validate_profile(profile, **arm.settings) for arm in arms]
    _check_limit(max_usd, drafts)
    entries = version.entries.filter(erased_at__isnull=True).count()
    with transaction.atomic():
        experiment = Experiment.objects.create(
            workspace=workspace, name=name, version=version, runs=runs, max_usd=max_usd,
            kind=trial.kind, trial=trial.stored,
            requested_by=access.account_of(by), total=entries * sum(runs_of(draft, runs) for draft in drafts),
        )  # fmt: skip
        _create_arms(experiment, arms, drafts)
        details = {
            "dataset": version.dataset.name,
            "version": version.number,
            "runs": runs,
            "arms": len(arms),
            "kind": trial.kind,
        }
        audit.record(workspace=workspace, verb="experiment.begun", subject=name, by=by, details=details)
        transaction.on_commit(lambda: broker.enqueue_task(TASK), robust=True)
    return experiment


def _create_arms(experiment: Experiment, arms: Sequence[ArmChoice], drafts: Sequence[GuardProfile]) -> None:
    ExperimentArm.objects.bulk_create(
        ExperimentArm(
            experiment=experiment,
            ordinal=ordinal,
            detector=arm.detector,
            settings=arm.settings,
            configuration=describe_configuration(draft, arm.detector, experiment),
        )
        for ordinal, (arm, draft) in enumerate(zip(arms, drafts, strict=True), start=1)
    )


def _check_choices(version: DatasetVersion, name: str, arms: Sequence[ArmChoice], runs: int) -> None:
    if version.frozen_at is None:
        raise InvalidError(FieldProblem("/version", "This version is still being frozen."))
    if not name.strip():
        raise InvalidError(FieldProblem("/name", "An experiment needs a name."))
    if not 1 <= len(arms) <= MAX_ARMS:
        raise InvalidError(FieldProblem("/arms", f"Choose 1 to {MAX_ARMS} detectors."))
    if not 1 <= runs <= MAX_RUNS:
        raise InvalidError(FieldProblem("/runs", f"Each call is judged 1 to {MAX_RUNS} times."))
    for place, arm in enumerate(arms):
        if arm.detector not in detectors.DETECTORS:
            raise InvalidError(FieldProblem(f"/arms/{place}", f"There is no detector “{arm.detector}”."))


def runs_of(draft: GuardProfile, runs: int) -> int:
    """How often an arm judges each call: what rules say does not change from one time to the next."""
    return 1 if draft.judge == JudgeKind.RULES else runs


def is_sampled(experiment: Experiment) -> bool:
    """Whether its models answer at the endpoint's default temperature: several runs at 0 would be copies of one."""
    return experiment.runs > 1


def profile_of_arm(arm: ExperimentArm) -> GuardProfile:
    """The profile in force with what the arm changes, unsaved. Raises `InvalidProfileError`."""
    return versions.validate_profile(access.current_profile(arm.experiment.workspace_id), **arm.settings)


def describe_configuration(draft: GuardProfile, detector: str, experiment: Experiment) -> dict[str, Any]:
    """Everything that can change a verdict of this arm, as JSON: code, options, model, prompts, and the data."""
    code = {"engine": engine_digest(), **trial_choices.describe_trial(experiment)}
    return code | describe_choices(draft, detector, experiment)


def describe_choices(draft: GuardProfile, detector: str, experiment: Experiment) -> dict[str, Any]:
    """The same without the code, which does not change while it runs."""
    options = detector_options(draft, detector)
    choices = {
        "detector": f"{detector} {detectors.build(detector, options).version}",
        "options": str(options),
        "judge": build.judge_for(draft).name,
        "dataset": experiment.version.content_hash,
    }
    if draft.judge == JudgeKind.RULES:
        return choices
    models = {draft.model or settings.GUARD.guard_model, *draft.question_models.values()}
    sampled = is_sampled(experiment)
    return choices | {
        "prompts": dict(prompts.prompt_versions()),
        "sampling": "the endpoint's default" if sampled else "as configured",
        "model_options": {model: options_of(model, is_sampled=sampled).fingerprint for model in sorted(models)},
    }


def is_current(experiment: Experiment) -> bool:
    """Whether every verdict of the experiment would be made in the same way now."""
    return all(
        arm.configuration == describe_configuration(profile_of_arm(arm), arm.detector, experiment)
        for arm in experiment.arms.all()
    )


def pause_experiment(experiment: Experiment) -> bool:
    """Have the experiment wait until `resume_experiment`; its worker notices within a batch. False if it is over."""
    open_rows = Experiment.objects.filter(pk=experiment.pk, paused=False)
    paused = open_rows.filter(status=JobStatus.QUEUED).update(paused=True)
    # An attempt that was stopped in order does not count as one that ended its worker.
    return bool(
        paused
        or open_rows.filter(status=JobStatus.RUNNING).update(
            paused=True, status=JobStatus.QUEUED, attempts=F("attempts") - 1, lease=None, leased_until=None
        )
    )


def resume_experiment(experiment: Experiment, max_usd: Decimal | None = None) -> bool:
    """Go on where the experiment stopped, under a new limit where one is given. Returns whether it was paused.

    Raises `InvalidError` where the limit is spent already, or its dollars cannot be counted.
    """
    waiting = Experiment.objects.filter(pk=experiment.pk, paused=True, status=JobStatus.QUEUED)
    if not waiting.exists():
        return False
    limit = experiment.max_usd if max_usd is None else max_usd
    _check_limit(limit, map(profile_of_arm, experiment.arms.all()))
    # It would judge one more batch, and pause again.
    if limit is not None and (spent := spent_usd(experiment)) >= limit:
        problem = f"${spent:.2f} of ${limit:.2f} is spent. To go on, the experiment needs a higher limit."
        raise InvalidError(FieldProblem("/max_usd", problem))
    resumed = waiting.update(paused=False, failure="", max_usd=limit)
    if resumed:
        broker.enqueue_task(TASK)
    return bool(resumed)


def spent_usd(experiment: Experiment) -> Decimal:
    """US dollars that the experiment's verdicts have cost."""
    cost = Cast("usage__cost_usd", FloatField())
    spent = ExperimentVerdict.objects.filter(arm__experiment=experiment).aggregate(usd=Sum(cost))["usd"]
    return Decimal(spent or 0)


def _check_limit(max_usd: Decimal | None, drafts: Iterable[GuardProfile]) -> None:
    """A model without a price costs nothing, so that no limit would ever stop it. Raises `InvalidError`."""
    if max_usd is None:
        return
    if unpriced := {model for draft in drafts for model in unpriced_models(draft)}:
        raise InvalidError(FieldProblem("/max_usd", describe_unpriced(unpriced)))
