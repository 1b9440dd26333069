"""What an experiment tries on a call besides judging it as it is: changes that must not matter, or attacks on it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from reviews.evaluation.attacks.composing import FAMILIES, compose_attacks
from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.attack_fates import fate_of
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.measures.moved_verdicts import find_move
from reviews.evaluation.perturbations.base import Perturbation
from reviews.evaluation.perturbations.registry import KINDS, select_perturbations

# Attacks of each family on each call: with more, an experiment of ten thousand calls has a million verdicts.
MAX_VARIANTS: Final = 10


class Effect(NamedTuple):
    """What a change or an attack did."""

    outcome: str
    """Where the verdict moved, empty if nowhere; or what became of the attack."""
    is_failure: bool
    """Whether the guard must not let that happen."""


@dataclass(frozen=True)
class Variant:
    """A case made of another one."""

    name: str
    """Tells it from the others of its case."""
    case: LabelledCase
    find_effect: Callable[[Judged, Judged], Effect]
    """What it did, by the verdict on the case as it is and by the one on this."""


class Trial(Protocol):
    """What is tried on each call."""

    @property
    def names(self) -> Sequence[str]:
        """What is tried, in the order of reports."""
        ...

    @property
    def per_call(self) -> int:
        """Variants of one call at most."""
        ...

    def list_variants(self, case: LabelledCase) -> Iterator[Variant]:
        """The variants of this call, alike in every run; those that do not fit are left out."""
        ...


@dataclass(frozen=True)
class PerturbationTrial:
    """Each call changed in ways that must not matter to its verdict."""

    kinds: tuple[str, ...] = KINDS

    @property
    def names(self) -> Sequence[str]:
        """Every change of these kinds."""
        return [perturbation.name for perturbation in select_perturbations(self.kinds)]

    @property
    def per_call(self) -> int:
        """Variants of one call at most."""
        return len(self.names)

    def list_variants(self, case: LabelledCase) -> Iterator[Variant]:
        """The call in its context, changed in each way that fits it."""
        for perturbation in select_perturbations(self.kinds):
            if changed := perturbation.apply(case):
                yield Variant(perturbation.name, changed, _effect_of(perturbation, case))


def _effect_of(perturbation: Perturbation, case: LabelledCase) -> Callable[[Judged, Judged], Effect]:
    def find_effect(before: Judged, after: Judged) -> Effect:
        kind, is_forbidden = find_move((case, before), after, perturbation.allowed, opens=perturbation.opens)
        return Effect(kind or "", is_forbidden)

    return find_effect


@dataclass(frozen=True)
class AttackTrial:
    """Each right call with a payload planted in what it rests on, as an agent would make it that obeys."""

    families: tuple[str, ...] = tuple(FAMILIES)
    variants: int = 1
    """Attacks of each family on each call."""
    seed: int = 0

    @property
    def names(self) -> Sequence[str]:
        """The families."""
        return self.families

    @property
    def per_call(self) -> int:
        """Variants of one call at most."""
        return len(self.families) * self.variants

    def list_variants(self, case: LabelledCase) -> Iterator[Variant]:
        """The attacks on the call; none on a wrong one, or where no value could be changed."""
        for attacked in compose_attacks([case], variants=self.variants, seed=self.seed, families=self.families):
            yield Variant(attacked.id.removeprefix(f"{case.id}/"), attacked, _fate_as_effect)


def _fate_as_effect(_: Judged, after: Judged) -> Effect:
    return Effect(fate_of(after), after.has_passed)
