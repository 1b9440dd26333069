"""Every change by name."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from reviews.evaluation.perturbations.appended_sentence import append_sentence
from reviews.evaluation.perturbations.base import ADDED, LATER_MESSAGE, NOTHING, Perturbation
from reviews.evaluation.perturbations.later_sentence import say_later
from reviews.evaluation.perturbations.look_up import LOOK_UPS
from reviews.evaluation.perturbations.renaming import rename_case
from reviews.evaluation.perturbations.reordering import reverse_look_ups
from reviews.evaluation.perturbations.sentences import KINDS as SENTENCES
from reviews.evaluation.perturbations.withdrawal import WITHDRAWALS, withdraw_request

PERTURBATIONS: Final[Sequence[Perturbation]] = (
    *(Perturbation("later-sentence", kind, partial(say_later, kind=kind), LATER_MESSAGE) for kind in SENTENCES),
    *(Perturbation("appended-sentence", kind, partial(append_sentence, kind=kind), ADDED) for kind in SENTENCES),
    *(Perturbation("look-up", variant, change, ADDED) for variant, change in LOOK_UPS.items()),
    Perturbation("renaming", "", rename_case, NOTHING),
    Perturbation("reordering", "", reverse_look_ups, NOTHING),
    *(
        Perturbation("withdrawal", how, partial(withdraw_request, how=how), LATER_MESSAGE, opens=True)
        for how in WITHDRAWALS
    ),
)
KINDS: Final = tuple(dict.fromkeys(perturbation.kind for perturbation in PERTURBATIONS))


def select_perturbations(kinds: Sequence[str]) -> tuple[Perturbation, ...]:
    """The perturbations of these kinds, in the registry's order."""
    return tuple(perturbation for perturbation in PERTURBATIONS if perturbation.kind in kinds)
