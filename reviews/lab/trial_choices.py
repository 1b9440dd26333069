"""What an experiment tries on calls besides judging them, as it is chosen, stored and made."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from reviews.errors import FieldProblem, InvalidError
from reviews.evaluation import attacks, perturbations
from reviews.evaluation.attacks.composing import FAMILIES
from reviews.evaluation.perturbations.registry import KINDS
from reviews.evaluation.runs.run_identity import code_digest
from reviews.evaluation.runs.trials import MAX_VARIANTS, AttackTrial, PerturbationTrial, Trial
from reviews.models import Experiment, ExperimentKind

# What PostgreSQL's integer holds; any number draws other values.
MAX_SEED: Final = 2**31 - 1


@dataclass(frozen=True)
class TrialChoice:
    """What is tried on each call."""

    kind: ExperimentKind = ExperimentKind.VERDICTS
    names: tuple[str, ...] = ()
    """Kinds of changes, or families of attacks; empty: all."""
    variants: int = 1
    """Attacks of each family on each call."""
    seed: int = 0

    @property
    def stored(self) -> dict[str, Any]:
        """As an experiment keeps it."""
        names = list(dict.fromkeys(self.names))
        match self.kind:
            case ExperimentKind.PERTURBATION:
                return {"names": names or list(KINDS)}
            case ExperimentKind.ATTACK:
                return {"names": names or list(FAMILIES), "variants": self.variants, "seed": self.seed}
            case _:
                return {}


def check_choice(choice: TrialChoice) -> None:
    """Raises `InvalidError`."""
    choosable: Collection[str] = {ExperimentKind.PERTURBATION: KINDS, ExperimentKind.ATTACK: tuple(FAMILIES)}.get(
        choice.kind, ()
    )
    for place, name in enumerate(choice.names):
        if name not in choosable:
            raise InvalidError(
                FieldProblem(f"/names/{place}", f"“{name}” cannot be tried; there is {_list_names(choosable)}.")
            )
    if not 1 <= choice.variants <= MAX_VARIANTS:
        raise InvalidError(FieldProblem("/variants", f"Of each family 1 to {MAX_VARIANTS} attacks can be tried."))
    if not 0 <= choice.seed <= MAX_SEED:
        raise InvalidError(FieldProblem("/seed", f"A seed is a number from 0 to {MAX_SEED}."))


def _list_names(names: Collection[str]) -> str:
    return ", ".join(names) or "nothing in this kind of experiment"


def trial_of(experiment: Experiment) -> Trial | None:
    """What the experiment tries on each call; None where it only judges."""
    stored = experiment.trial
    match ExperimentKind(experiment.kind):
        case ExperimentKind.PERTURBATION:
            return PerturbationTrial(tuple(stored["names"]))
        case ExperimentKind.ATTACK:
            return AttackTrial(tuple(stored["names"]), stored["variants"], stored["seed"])
        case _:
            return None


def describe_trial(experiment: Experiment) -> dict[str, Any]:
    """What can change the experiment's variants: the choices, and the code that makes them."""
    if trial_of(experiment) is None:
        return {}
    return {"trial": experiment.trial | {"kind": experiment.kind, "code": code_digest(perturbations, attacks)}}
