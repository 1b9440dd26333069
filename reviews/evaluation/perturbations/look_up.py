"""One more look-up in the history, whose result does not concern the call."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.perturbations.base import seeded_random, with_context
from reviews.evaluation.perturbations.cipher import renaming_of
from reviews.evaluation.perturbations.reordering import is_look_up
from reviews.evaluation.perturbations.sentences import texts_of
from reviews.evaluation.perturbations.vocabulary import words_in
from reviews.provenance.core.context import Context, Message, Step, ToolDoc, leaves

_PARKING: Final = ToolDoc(
    "list_parking_spaces",
    "Lists the parking spaces of the building and who rents them.",
    {"type": "object", "properties": {"level": {"type": "string"}}},
    environment_changing=False,
)
_TENANTS: Final = ("Ottilie Prewett", "Leopold Quince", "Rosalind Thackeray", "Cornelius Vane")
# A building's levels, a rent, a day of the month.
_LEVELS: Final = ("basement", "ground", "roof")
_DRAWS: Final = 20
"""Until one is found of which no value stands in the case."""


def look_up_first(case: LabelledCase) -> LabelledCase:
    """The case with a look-up about something else before all others."""
    step = _parking_look_up(case)
    return _with_history(case, (step, *case.case.context.history)) if step else case


def look_up_last(case: LabelledCase) -> LabelledCase:
    """The case with a look-up about something else behind all others."""
    step = _parking_look_up(case)
    return _with_history(case, (*case.case.context.history, step)) if step else case


def look_up_others(case: LabelledCase) -> LabelledCase:
    """The case with the last look-up that returned JSON done once more, for somebody else: other records of its form.

    Those are reached by another key than any the call depends on.
    """
    context = case.case.context
    for place, item in reversed(list(enumerate(context.history))):
        repeated = _repeat_for_others(case, item) if isinstance(item, Step) and is_look_up(context, item) else None
        if repeated:
            history = (*context.history[: place + 1], repeated, *context.history[place + 1 :])
            return with_context(case, replace(context, history=history))
    return case


LOOK_UPS: Final[Mapping[str, Callable[[LabelledCase], LabelledCase]]] = MappingProxyType(
    {"foreign, first": look_up_first, "foreign, last": look_up_last, "other records": look_up_others}
)


def _with_history(case: LabelledCase, history: tuple[Step | Message, ...]) -> LabelledCase:
    context: Context = case.case.context
    return with_context(case, replace(context, history=history, tools=(*context.tools, _PARKING)))


def _parking_look_up(case: LabelledCase) -> Step | None:
    """A result with an identifier, a name, a day and an amount of which the case holds none."""
    chance, texts = seeded_random(case.id, "parking"), texts_of(case.case).casefold()
    for _ in range(_DRAWS):
        spaces = [
            {
                "space_id": f"PK{chance.randint(1000, 9999)}",
                "tenant": tenant,
                "rented_since": f"2019-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
                "monthly_rent": chance.randint(311, 989) + 0.5,
            }
            for tenant in chance.sample(_TENANTS, 2)
        ]
        values = [str(value).casefold() for space in spaces for value in space.values()]
        if not any(value in texts for value in values):
            return Step(_PARKING.name, {"level": chance.choice(_LEVELS)}, json.dumps(spaces))
    return None


def _repeat_for_others(case: LabelledCase, step: Step) -> Step | None:
    """The same look-up with every name and identifier another; None where it names nobody."""
    try:
        result: Any = json.loads(step.outcome or "")
    except (ValueError, RecursionError):
        return None
    texts = [value for part in (step.arguments, result) for _, value in leaves(part) if isinstance(value, str)]
    words = frozenset(word for value in texts for word in words_in(value))
    renaming = renaming_of(words, case.case, f"{case.id}/others")
    arguments = renaming.rename_value(dict(step.arguments), str)
    # The same question cannot have two answers.
    if arguments == dict(step.arguments):
        return None
    # Of the keys only those that are identifiers change.
    renamed = renaming.rename_value(
        result, lambda key: renaming.rename_text(key) if any(map(str.isdigit, key)) else key
    )
    return replace(step, arguments=arguments, outcome=json.dumps(renamed, ensure_ascii=False))
