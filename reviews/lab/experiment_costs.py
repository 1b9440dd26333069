"""What an experiment may cost, before it is begun: by what the same detector and the same model took of late."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Final
from uuid import UUID

from django.conf import settings

from reviews import access
from reviews.judging import prices
from reviews.lab import trial_choices
from reviews.lab.experiment_calls import list_calls
from reviews.lab.experiments import ArmChoice, Source, count_calls, plan_experiment
from reviews.lab.trial_choices import TrialChoice
from reviews.models import Check, Experiment, ExperimentArm, ExperimentVerdict, JudgeKind

# Latest verdicts from which the cost of one is estimated: more would tell of prompts that nobody sends any more.
_SAMPLE: Final = 200
_CENT: Final = Decimal("0.01")


def estimate_usd(experiment: Experiment) -> Decimal | None:
    """US dollars that all its verdicts may cost, to the cent; None where nothing tells it of some model."""
    return _estimate_arms(experiment, list_calls(experiment).count(), experiment.arms.all())


def estimate_choices(source: Source, arms: Iterable[ArmChoice], *, runs: int, trial: TrialChoice) -> Decimal | None:
    """The same of an experiment that nobody has begun."""
    return _estimate_arms(plan_experiment(source, runs=runs, trial=trial), count_calls(source), arms)


def _estimate_arms(experiment: Experiment, calls: int, arms: Iterable[ArmChoice | ExperimentArm]) -> Decimal | None:
    trial = trial_choices.trial_of(experiment)
    verdicts = calls * experiment.runs * (1 + (trial.per_call if trial else 0))
    usual = access.current_profile(experiment.workspace_id).model or settings.GUARD.guard_model
    total = Decimal(0)
    for arm in arms:
        if arm.settings.get("judge") == JudgeKind.RULES:
            continue
        cost = _cost_of_verdict(experiment.workspace_id, arm.detector, arm.settings.get("model") or usual)
        if cost is None:
            return None
        total += cost * verdicts
    # What costs less than a cent is not free.
    return max(total.quantize(_CENT), _CENT) if total else total.quantize(_CENT)


def _cost_of_verdict(workspace: UUID, detector: str, model: str) -> Decimal | None:
    """The mean of the latest checks with this model, else of experiments' verdicts.

    None where there are none, and where they cost nothing only because the model has no price.
    """
    # Without a name of its own, a profile asks the installation's.
    names = {model, *([""] if model == settings.GUARD.guard_model else [])}
    checks = Check.objects.filter(
        agent_key__workspace=workspace, detector=detector, action__profile__model__in=names, usage__calls__gt=0
    )
    verdicts = ExperimentVerdict.objects.filter(
        arm__experiment__workspace=workspace,
        arm__detector=detector,
        arm__configuration__model_options__has_key=model,
        usage__calls__gt=0,
    )
    for rows in (checks, verdicts):
        latest = rows.order_by("-id").values_list("usage", flat=True)[:_SAMPLE]
        if costs := [usage.get("cost_usd", 0) for usage in latest]:
            is_known = any(costs) or prices.prices_of(model) is not None
            return Decimal(sum(costs) / len(costs)) if is_known else None
    return None
