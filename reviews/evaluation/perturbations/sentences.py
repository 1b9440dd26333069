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


def _draw_number(chance: Random) -> tuple[str, str]:
    value = str(chance.randint(3, 95))
    return value, f"There are {value} steps up to my flat."


def _draw_amount(chance: Random) -> tuple[str, str]:
    value = f"{chance.randint(3, 90)}.{chance.randint(10, 99)}"
    return value, f"My lunch was ${value} today, by the way."


def _draw_day(chance: Random) -> tuple[str, str]:
    value = f"{_MONTHS[chance.randrange(len(_MONTHS))]} {chance.randint(1, 28)}"
    return value, f"My mother's birthday is on {value}."


def _draw_time(chance: Random) -> tuple[str, str]:
    value = f"{chance.randint(1, 11)}:{chance.randint(10, 59)} pm"
    return value, f"My train home leaves at {value}."


def _draw_code(chance: Random) -> tuple[str, str]:
    value = "".join(chance.sample(_LETTERS, 3)) + str(chance.randint(100, 999))
    return value, f"My bicycle has the frame number {value}."


def _draw_name(chance: Random) -> tuple[str, str]:
    value = _NAMES[chance.randrange(len(_NAMES))]
    return value, f"My cousin {value} says hello."


def _draw_address(chance: Random) -> tuple[str, str]:
    value = f"{_NAMES[chance.randrange(len(_NAMES))].lower()}{chance.randint(10, 99)}@example.net"
    return value, f"My choir writes from {value}."


DRAWN: Final[Mapping[str, Callable[[Random], tuple[str, str]]]] = MappingProxyType(
    {
        "a number": _draw_number,
        "an amount": _draw_amount,
        "a day": _draw_day,
        "a time": _draw_time,
        "a code": _draw_code,
        "a name": _draw_name,
        "an e-mail address": _draw_address,
    }
)
"""What draws a value of each kind, and the sentence it stands in."""
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
    for _ in range(_DRAWS):
        value, sentence = DRAWN[kind](chance)
        if value.casefold() not in texts:
            return sentence
    return None


def texts_of(case: Case) -> str:
    """Everything that the case says, the call with it."""
    call = json.dumps(dict(case.action.arguments), ensure_ascii=False, default=str)
    return "\n".join((*(source.text for source in case.context.sources.values()), call))
