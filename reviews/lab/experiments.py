"""Experiments: asked for, paused, gone on with, stopped. A worker runs them (`experiment_worker`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, TypeAlias
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, FloatField, Max, Sum
from django.db.models.functions import Cast

from reviews import access, audit
from reviews.datasets import job_leases
from reviews.errors import FieldProblem, InvalidError
from reviews.evaluation.runs.run_identity import engine_digest
from reviews.judging import build
from reviews.judging.model_endpoint import options_of
from reviews.lab import arm_options, trial_choices
from reviews.lab.experiment_calls import describe_source, digest_of_source
from reviews.lab.recorded_calls import RecordedDraw
from reviews.lab.trial_choices import TrialChoice
from reviews.models import (
    DatasetVersion,
    Experiment,
    ExperimentArm,
    ExperimentCall,
    ExperimentVerdict,
    GuardProfile,
    JobStatus,
    JudgeKind,
    Workspace,
)
from reviews.profiles import versions
from reviews.profiles.validation import describe_unpriced, unpriced_models
from reviews.provenance import detectors
from reviews.provenance.prompts.prompt import prompt_versions
from reviews.scheduling import broker

TASK: Final = "reviews.tasks.run_experiments"
# More columns than that no page shows side by side.
MAX_ARMS: Final = 12
# The papers use five; ten halve the noise once more, at twice the cost.
MAX_RUNS: Final = 10
# US dollars. No study comes near it, and the column holds it.
MAX_USD: Final = 1_000_000
NO_TRIAL: Final = TrialChoice()
_COST: Final = Cast("usage__cost_usd", FloatField())
Source: TypeAlias = DatasetVersion | RecordedDraw
"""What an experiment judges."""


@dataclass(frozen=True)
class ArmChoice:
    """One detector, who answers what its rules cannot, and what it sets for itself."""

    detector: str
    judge: JudgeKind = JudgeKind.RULES
    model: str = ""
    """Empty: the profile's."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """`ARM_OPTIONS` in place of the profile's."""

    @property
    def settings(self) -> dict[str, Any]:
        """What differs from the profile in force."""
        chosen: dict[str, Any] = {"judge": str(self.judge)}
        chosen |= {"model": self.model} if self.model else {}
        return chosen | ({"options": dict(self.options)} if self.options else {})


def request_experiment(
    source: Source,
    *,
    name: str,
    arms: Sequence[ArmChoice],
    by: access.Principal | None,
    runs: int = 1,
    max_usd: Decimal | None = None,
    trial: TrialChoice = NO_TRIAL,
    fresh: bool = False,
) -> Experiment:
    """An experiment that a worker runs as soon as none other does. Raises `InvalidError`.

    With `fresh` its models are asked even where an answer to the same question is kept.
    """
    _check_choices(source, name, arms, runs)
    trial_choices.check_choice(trial)
    workspace = workspace_of(source)
    drafts = [_draft_of(workspace.pk, arm.settings) for arm in arms]
    _check_limit(max_usd, drafts)
    with transaction.atomic():
        experiment = plan_experiment(source, runs=runs, trial=trial)
        experiment.name, experiment.max_usd, experiment.fresh = name, max_usd, fresh
        experiment.requested_by = access.account_of(by)
        experiment.total = count_calls(source) * sum(runs_of(draft, runs) for draft in drafts)
        experiment.save(force_insert=True)
        _create_arms(experiment, arms, drafts)
        if isinstance(source, RecordedDraw):
            _create_calls(experiment, source)
        details = {"source": describe_source(experiment), "runs": runs, "arms": len(arms), "kind": trial.kind}
        audit.record(workspace=workspace, verb="experiment.begun", subject=name, by=by, details=details)
        transaction.on_commit(lambda: broker.enqueue_task(TASK), robust=True)
    return experiment


def plan_experiment(source: Source, *, runs: int, trial: TrialChoice) -> Experiment:
    """One that nobody has begun: unsaved, without a name."""
    return Experiment(
        workspace=workspace_of(source),
        version=None if isinstance(source, RecordedDraw) else source,
        recorded=source.stored if isinstance(source, RecordedDraw) else {},
        runs=runs,
        kind=trial.kind,
        trial=trial.stored,
    )


def workspace_of(source: Source) -> Workspace:
    """Whose calls these are."""
    return source.workspace if isinstance(source, RecordedDraw) else source.dataset.workspace


def count_calls(source: Source) -> int:
    """How many calls there are to judge."""
    return len(source.calls) if isinstance(source, RecordedDraw) else source.entries.filter(erased_at=None).count()


def _create_calls(experiment: Experiment, draw: RecordedDraw) -> None:
    for call in draw.calls:
        call.experiment = experiment
    ExperimentCall.objects.bulk_create(draw.calls, batch_size=1_000)


def _create_arms(experiment: Experiment, arms: Sequence[ArmChoice], drafts: Sequence[GuardProfile]) -> None:
    ExperimentArm.objects.bulk_create(
        ExperimentArm(
            experiment=experiment,
            ordinal=ordinal,
            detector=arm.detector,
            settings=arm.settings,
            configuration=describe_configuration(draft, arm, experiment),
        )
        for ordinal, (arm, draft) in enumerate(zip(arms, drafts, strict=True), start=1)
    )


def _check_choices(source: Source, name: str, arms: Sequence[ArmChoice], runs: int) -> None:
    if isinstance(source, DatasetVersion) and source.frozen_at is None:
        raise InvalidError(FieldProblem("/version", "This version is still being frozen."))
    if not name.strip():
        raise InvalidError(FieldProblem("/name", "An experiment needs a name."))
    if len(name) > (longest := Experiment._meta.get_field("name").max_length or 0):
        raise InvalidError(FieldProblem("/name", f"A name has at most {longest} characters."))
    if not 1 <= len(arms) <= MAX_ARMS:
        raise InvalidError(FieldProblem("/arms", f"Choose 1 to {MAX_ARMS} detectors."))
    if not 1 <= runs <= MAX_RUNS:
        raise InvalidError(FieldProblem("/runs", f"Each call is judged 1 to {MAX_RUNS} times."))
    for place, arm in enumerate(arms):
        if arm.detector not in detectors.DETECTORS:
            raise InvalidError(FieldProblem(f"/arms/{place}", f"There is no detector “{arm.detector}”."))
        # Tables would name the model, which was never asked.
        if arm.model and arm.judge == JudgeKind.RULES:
            raise InvalidError(FieldProblem(f"/arms/{place}/model", "Rules alone ask no model."))
        if problems := list(arm_options.find_problems(arm.detector, arm.options, f"/arms/{place}/options")):
            raise InvalidError(*problems)


def runs_of(draft: GuardProfile, runs: int) -> int:
    """How often an arm judges each call: what rules say does not change from one time to the next."""
    return 1 if draft.judge == JudgeKind.RULES else runs


def is_sampled(experiment: Experiment) -> bool:
    """Whether its models answer at the endpoint's default temperature: several runs at 0 would be copies of one."""
    return experiment.runs > 1


def profile_of_arm(arm: ExperimentArm) -> GuardProfile:
    """The profile in force with the arm's judge, unsaved. Raises `InvalidProfileError`."""
    return _draft_of(arm.experiment.workspace_id, arm.settings)


def _draft_of(workspace: UUID, settings: Mapping[str, Any]) -> GuardProfile:
    judge = {name: value for name, value in settings.items() if name != "options"}
    return versions.validate_profile(access.current_profile(workspace), **judge)


def describe_configuration(
    draft: GuardProfile, arm: ArmChoice | ExperimentArm, experiment: Experiment
) -> dict[str, Any]:
    """Everything that can change a verdict of this arm, as JSON: code, options, model, prompts, and the data."""
    code = {"engine": engine_digest(), **trial_choices.describe_trial(experiment)}
    return code | describe_choices(draft, arm, experiment)


def describe_choices(draft: GuardProfile, arm: ArmChoice | ExperimentArm, experiment: Experiment) -> dict[str, Any]:
    """The same without the code, which does not change while it runs."""
    options = arm_options.options_under(draft, arm.detector, arm.settings.get("options", {}))
    choices: dict[str, Any] = {
        "detector": f"{arm.detector} {detectors.build(arm.detector, options).version}",
        "options": str(options),
        "judge": build.judge_for(draft, as_published=options.as_published).name,
        "dataset": digest_of_source(experiment),
        "suspended_rules": sorted(draft.suspended_rules),
        "source_trust": draft.source_trust,
    }
    if draft.judge == JudgeKind.RULES:
        return choices
    if experiment.fresh:
        choices["answers"] = "fresh"
    models = {draft.model or settings.GUARD.guard_model, *draft.question_models.values()}
    sampled = is_sampled(experiment)
    return choices | {
        "prompts": dict(prompt_versions()),
        "sampling": "the endpoint's default" if sampled else "as configured",
        "model_options": {model: options_of(model, is_sampled=sampled).fingerprint for model in sorted(models)},
    }


def is_current(experiment: Experiment) -> bool:
    """Whether every verdict of the experiment would be made in the same way now."""
    return all(
        arm.configuration == describe_configuration(profile_of_arm(arm), arm, experiment)
        for arm in experiment.arms.all()
    )


@transaction.atomic
def pause_experiment(experiment: Experiment, *, by: access.Principal | None) -> bool:
    """Have the experiment wait until `resume_experiment`; its worker notices within a batch. False if it is over."""
    open_rows = Experiment.objects.filter(pk=experiment.pk, paused=False)
    paused = open_rows.filter(status=JobStatus.QUEUED).update(paused=True)
    # An attempt that was stopped in order does not count as one that ended its worker.
    paused = paused or open_rows.filter(status=JobStatus.RUNNING).update(
        paused=True, status=JobStatus.QUEUED, attempts=F("attempts") - 1, lease=None, leased_until=None
    )
    return _record_move("experiment.paused", experiment, by) if paused else False


@transaction.atomic
def stop_experiment(experiment: Experiment, *, by: access.Principal | None) -> bool:
    """End the experiment for good; what was found stays. Returns whether it was still open."""
    if not job_leases.cancel_job(experiment):
        return False
    # What is over waits for nobody: pages would call it paused for ever.
    Experiment.objects.filter(pk=experiment.pk).update(paused=False)
    return _record_move("experiment.stopped", experiment, by)


@transaction.atomic
def resume_experiment(experiment: Experiment, max_usd: Decimal | None = None, *, by: access.Principal | None) -> bool:
    """Go on where the experiment stopped, under a new limit where one is given. Returns whether it was paused.

    Raises `InvalidError` where the limit is spent already, or its dollars cannot be counted.
    """
    waiting = Experiment.objects.filter(pk=experiment.pk, paused=True, status=JobStatus.QUEUED)
    if not waiting.exists():
        return False
    limit = experiment.max_usd if max_usd is None else max_usd
    _check_limit(limit, map(profile_of_arm, experiment.arms.all()))
    # It would pause again at once.
    if limit is not None and (spent := spent_usd(experiment)) >= limit:
        problem = f"${spent:.2f} of ${limit:.2f} is spent. To go on, the experiment needs a higher limit."
        raise InvalidError(FieldProblem("/max_usd", problem))
    if not waiting.update(paused=False, failure="", max_usd=limit):
        return False
    transaction.on_commit(lambda: broker.enqueue_task(TASK), robust=True)
    return _record_move("experiment.resumed", experiment, by, max_usd=None if limit is None else f"{limit:.2f}")


def _record_move(verb: str, experiment: Experiment, by: access.Principal | None, **details: object) -> bool:
    """Keep who moved it; a resumed one may spend more than anybody had allowed before."""
    audit.record(
        workspace=experiment.workspace, verb=verb, subject=experiment.name, by=by,
        details={"experiment": str(experiment.pk), **details},
    )  # fmt: skip
    return True


def spent_usd(experiment: Experiment) -> Decimal:
    """US dollars that the experiment's verdicts have cost."""
    spent = ExperimentVerdict.objects.filter(arm__experiment=experiment).aggregate(usd=Sum(_COST))["usd"]
    return Decimal(spent or 0)


def dearest_call_usd(arm: ExperimentArm) -> Decimal:
    """US dollars that the dearest call of the arm so far has cost, in one run with all its variants."""
    calls = ExperimentVerdict.objects.filter(arm=arm).values("run", arm.experiment.subject)
    return Decimal(calls.annotate(usd=Sum(_COST)).aggregate(most=Max("usd"))["most"] or 0)


def _check_limit(max_usd: Decimal | None, drafts: Iterable[GuardProfile]) -> None:
    """A model without a price costs nothing, so that no limit would ever stop it. Raises `InvalidError`."""
    if max_usd is None:
        return
    if unpriced := {model for draft in drafts for model in unpriced_models(draft)}:
        raise InvalidError(FieldProblem("/max_usd", describe_unpriced(unpriced)))
