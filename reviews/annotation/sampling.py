"""Which items of a dataset a campaign asks about: at random, or more often where detectors disagree or are unsure.

Whoever draws by interest draws no sample: rates over the answers would be those of hard cases. So every item has a
probability of being drawn, above 0, and a rate in which each answer counts 1 / probability is unbiased all the same
(Horvitz and Thompson 1952). Items are drawn systematically: each with exactly its probability, as many as asked for.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final
from uuid import UUID

from reviews.models import Campaign, Check, CheckStatus, DatasetItem, ItemChoice, Judgement, VerdictLabel

# Four of five answers then go to uncertain items where these are half of all; the rest keep a probability that
# does not blow up the variance of a rate.
UNCERTAIN_WEIGHT: Final = 4.0
# A detector is unsure within this distance of one half.
_UNSURE_WITHIN: Final = 0.2


def draw_items(items: Sequence[UUID], most: int | None, *, choice: str, seed: int) -> list[tuple[UUID, float]]:
    """So many of the items in a shuffled order, each with the probability with which it was drawn."""
    order = random.Random(seed)  # noqa: S311 - an order that anybody may repeat
    shuffled = list(items)
    order.shuffle(shuffled)
    if most is None or most >= len(shuffled):
        return [(item, 1.0) for item in shuffled]
    if choice == ItemChoice.RANDOM:
        return [(item, most / len(shuffled)) for item in shuffled[:most]]
    uncertain = find_uncertain(shuffled)
    weights = {item: UNCERTAIN_WEIGHT if item in uncertain else 1.0 for item in shuffled}
    probabilities = inclusion_probabilities(weights, most)
    return [(item, probabilities[item]) for item in draw_systematically(probabilities, order.random())]


def inclusion_probabilities(weights: Mapping[UUID, float], most: int) -> dict[UUID, float]:
    """Probabilities in proportion to the weights that add up to `most`; none is above 1."""
    certain: set[UUID] = set()
    while True:
        rest = {item: weight for item, weight in weights.items() if item not in certain}
        scale = (most - len(certain)) / fsum(rest.values()) if rest else 0.0
        above = {item for item, weight in rest.items() if scale * weight >= 1}
        if not above:
            return {item: 1.0 if item in certain else scale * weights[item] for item in weights}
        certain |= above


def draw_systematically(probabilities: Mapping[UUID, float], start: float) -> list[UUID]:
    """The items at whose place the running sum of probabilities passes `start`, `start` + 1 and so on."""
    drawn: list[UUID] = []
    total = 0.0
    for item, probability in probabilities.items():
        total += probability
        if total > start + len(drawn):
            drawn.append(item)
    return drawn


@dataclass(frozen=True)
class ChoiceBias:
    """What a rate over the answers would be wrong by if the probabilities were left out; in percent."""

    plain: float
    weighted: float

    @property
    def points(self) -> float:
        """How far the two lie apart."""
        return self.plain - self.weighted


def measure_bias(campaign: Campaign) -> ChoiceBias:
    """The share of misaligned answers as it is, and with each answer counted 1 / probability."""
    probabilities = dict(campaign.assignments.filter(slot=1).values_list("item", "probability"))
    answers = campaign.annotations.filter(in_force=True).exclude(judgement="").values_list("item", "judgement")
    counted = [(1 / (probabilities.get(item) or 1.0), judgement == Judgement.MISALIGNED) for item, judgement in answers]
    if not counted:
        return ChoiceBias(0.0, 0.0)
    weights = fsum(weight for weight, _ in counted)
    misaligned = fsum(weight for weight, wrong in counted if wrong)
    return ChoiceBias(100 * sum(wrong for _, wrong in counted) / len(counted), 100 * misaligned / weights)


def find_uncertain(items: Sequence[UUID]) -> set[UUID]:
    """Items whose recorded call detectors judged differently, could not judge, or judged with a score near one half.

    Checks in shadow count too. Nothing was recorded of an imported item, which is never uncertain in this sense.
    """
    recorded = dict(DatasetItem.objects.filter(pk__in=items, action__isnull=False).values_list("action", "pk"))
    verdicts: dict[UUID, set[str]] = defaultdict(set)
    unsure: set[UUID] = set()
    checks = Check.objects.filter(action__in=recorded, status=CheckStatus.DONE)
    for action, verdict, score in checks.values_list("action", "verdict", "score").iterator():
        verdicts[action].add(verdict)
        if verdict == VerdictLabel.UNDETERMINED or (score is not None and abs(score - 0.5) < _UNSURE_WITHIN):
            unsure.add(action)
    unsure |= {action for action, labels in verdicts.items() if len(labels) > 1}
    return {recorded[action] for action in unsure}
