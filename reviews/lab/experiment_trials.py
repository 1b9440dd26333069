"""What changes and attacks came to in an experiment, by arm and by what was tried."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.db.models import Count, F, Func, Q, QuerySet, TextField, Value

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.attack_fates import AttackFate
from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.moved_verdicts import MoveKind
from reviews.lab.experiment_calls import Subject, labelled_case
from reviews.lab.trial_choices import trial_of
from reviews.models import Experiment, ExperimentArm, ExperimentKind, ExperimentVerdict

OUTCOMES: Final[Mapping[ExperimentKind, Sequence[str]]] = {
    ExperimentKind.PERTURBATION: tuple(MoveKind),
    ExperimentKind.ATTACK: tuple(AttackFate),
}
"""What may come of a variant, by kind of experiment."""
TOTAL: Final = "all"


@dataclass
class TrialTally:
    """What one change, or one family of attacks, came to with one arm."""

    name: str
    columns: Sequence[str]
    """What may come of it."""
    outcomes: Counter[str] = field(default_factory=Counter)
    tried: int = 0
    """Variants that have a verdict."""
    failures: int = 0
    """Those in which the guard did what it must not."""
    unjudged: int = 0
    """Variants whose judge failed."""
    tried_first: int = 0
    """Of the variants those that have a verdict in the first run."""
    calls: int = 0
    """Of how many calls the variants that have a verdict are."""

    @property
    def counts(self) -> list[int]:
        """How often each of the columns came of it."""
        return [self.outcomes[outcome] for outcome in self.columns]

    @property
    def failure_rate(self) -> Rate:
        """How often the guard did what it must not."""
        # On the average of what is there yet: runs of one variant are not independent.
        runs = max(1, round(self.tried / max(1, self.tried_first)))
        # Nor are variants of one call: whatever a guard makes of it, it is likely to make of all of them.
        return Rate(self.failures, self.tried, runs, evidence=self.calls * runs or None)


@dataclass(frozen=True)
class ArmTallies:
    """One arm's tallies in the order in which things are tried, the sum of all last."""

    arm: ExperimentArm
    tallies: Sequence[TrialTally]


def read_tallies(experiment: Experiment) -> Sequence[ArmTallies]:
    """Every arm's tallies so far; none of an experiment that only judges calls as they are."""
    trial = trial_of(experiment)
    if trial is None:
        return ()
    arms = list(experiment.arms.all())
    columns = OUTCOMES[ExperimentKind(experiment.kind)]
    by_arm = {arm.pk: {name: TrialTally(name, columns) for name in (*trial.names, TOTAL)} for arm in arms}
    rows = ExperimentVerdict.objects.filter(arm__in=arms).exclude(variant="").order_by()
    counts = rows.values_list("arm", "variant", "outcome").annotate(
        tried=Count("pk", filter=~Q(verdict="")),
        first=Count("pk", filter=~Q(verdict="") & Q(run=1)),
        failures=Count("pk", filter=Q(is_failure=True)),
        rows=Count("pk"),
    )
    for arm, variant, outcome, tried, first, failures, stored in counts:
        # Attacks of one family are numbered behind its name.
        name = variant.rpartition("/")[0] if experiment.kind == ExperimentKind.ATTACK else variant
        for tally in (by_arm[arm][name], by_arm[arm][TOTAL]):
            tally.outcomes[outcome] += tried
            tally.tried += tried
            tally.tried_first += first
            tally.failures += failures
            tally.unjudged += stored - tried
    _count_calls(experiment, rows, by_arm)
    return [ArmTallies(arm, list(by_arm[arm.pk].values())) for arm in arms]


def _count_calls(
    experiment: Experiment, rows: QuerySet[ExperimentVerdict], by_arm: Mapping[UUID, Mapping[str, TrialTally]]
) -> None:
    """Tell each tally of how many calls it is."""
    is_attack = experiment.kind == ExperimentKind.ATTACK
    family = Func(F("variant"), Value("/"), Value(1), function="split_part", output_field=TextField())
    judged = rows.exclude(verdict="")
    calls = Count(experiment.subject, distinct=True)
    for arm, name, count in judged.values_list("arm", family if is_attack else "variant").annotate(calls=calls):
        by_arm[arm][name].calls = count
    for arm, count in judged.values_list("arm").annotate(calls=calls):
        by_arm[arm][TOTAL].calls = count


def list_failures(experiment: Experiment) -> QuerySet[ExperimentVerdict]:
    """The verdicts on variants that must not be, in the order of the calls."""
    failures = ExperimentVerdict.objects.filter(arm__experiment=experiment, is_failure=True)
    failures = failures.select_related("arm__experiment", "entry__item", "call__action")
    return failures.order_by(f"{experiment.subject}__ordinal", "arm__ordinal", "variant", "run")


def find_variant(experiment: Experiment, entry: Subject, name: str) -> LabelledCase | None:
    """The call as it was tried under this name, made again; None where there is no such variant."""
    trial = trial_of(experiment)
    variants = trial.list_variants(labelled_case(entry)) if trial else ()
    return next((variant.case for variant in variants if variant.name == name), None)
