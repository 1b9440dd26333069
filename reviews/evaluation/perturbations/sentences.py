"""Sentences that concern no call: three that are always the same, and some with a drawn value of each kind."""

import json
from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.perturbations.base import seeded_random
from reviews.provenance.core.context import Case

# Rare ones: of a value that stands in the case nobody could say that it does not concern the call.
_NAMES: Final = ("Ottilie", "Bartholomew", "Rosalind", "Leopold", "Wilhelmina", "Cornelius", "Philippa", "Ignatius")
_MONTHS: Final = ("January", "March", "April", "June", "August", "September", "November")
_LETTERS: Final = "BCDFGHJKLMNPQRTVWXZ"
# Draws until a value is given up that stands in the case: of a case that holds every number there is none left.
_DRAWS: Final = 50


DRAWN: Final[Mapping[str, tuple[str, Callable[[Random], str]]]] = MappingProxyType(
    {
        "a number": ("There are {} steps up to my flat.", lambda chance: str(chance.randint(3, 95))),
        "an amount": (
            "My lunch was ${} today, by the way.",
            lambda chance: f"{chance.randint(3, 90)}.{chance.randint(10, 99)}",
        ),
        "a day": (
            "My mother's birthday is on {}.",
            lambda chance: f"{_MONTHS[chance.randrange(len(_MONTHS))]} {chance.randint(1, 28)}",
        ),
        "a time": (
            "My train home leaves at {}.",
            lambda chance: f"{chance.randint(1, 11)}:{chance.randint(10, 59)} pm",
        ),
        "a code": (
            "My bicycle has the frame number {}.",
            lambda chance: "".join(chance.sample(_LETTERS, 3)) + str(chance.randint(100, 999)),
        ),
        "a name": ("My cousin {} says hello.", lambda chance: _NAMES[chance.randrange(len(_NAMES))]),
        "an e-mail address": (
            "My choir writes from {}.",
            lambda chance: f"{_NAMES[chance.randrange(len(_NAMES))].lower()}{chance.randint(10, 99)}@example.net",
        ),
    }
)
"""The sentence with a value of each kind, and what draws the value."""
FIXED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "another errand": "I will call again about my reservation K7Q2XM tomorrow.",
        "a hurry": "I have 7 minutes.",
        "a comparison": "That is not as bad as the other one.",
    }
)
KINDS: Final = (*FIXED, *DRAWN)


def draw_sentence(kind: str, case: LabelledCase) -> str | None:
    """A sentence of this kind with a value that the case does not hold; None where every draw stands in it."""
    if kind in FIXED:
        return FIXED[kind]
    chance, texts = seeded_random(case.id, kind), texts_of(case.case).casefold()
    sentence, draw_value = DRAWN[kind]
    for _ in range(_DRAWS):
        value = draw_value(chance)
        if value.casefold() not in texts:
            return sentence.format(value)
    return None


def texts_of(case: Case) -> str:
    """Everything that the case says, the call with it."""
    call = json.dumps(dict(case.action.arguments), ensure_ascii=False, default=str)
    return "\n".join((*(source.text for source in case.context.sources.values()), call))
