"""The options of a detector that an arm of an experiment may set, whatever the profile in force says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Final, get_args, get_type_hints

from reviews.errors import FieldProblem
from reviews.models import GuardProfile
from reviews.profiles.options import detector_options
from reviews.profiles.validation import MAX_WINDOW
from reviews.provenance.detectors import DETECTORS, Argus, IntentGuard, MultiStep, ProvenanceGuard
from reviews.provenance.detectors.base import Options

_EVERY: Final = tuple(DETECTORS)
_HINTS: Final = get_type_hints(Options)


@dataclass(frozen=True)
class ArmOption:
    """One option, and the detectors that read it."""

    label: str
    detectors: Sequence[str]
    choices: tuple[str, ...] = ()
    """The words that it may be; empty for a number or a truth value."""

    def find_problem(self, name: str, value: object) -> str:
        """Why the option of this name cannot be that; empty where it can."""
        if self.choices:
            return "" if value in self.choices else f"“{value}” is none of {', '.join(self.choices)}."
        if _HINTS[name] is bool:
            return "" if isinstance(value, bool) else "This is true or false."
        # To Python a truth value is a number, too.
        if isinstance(value, bool) or not isinstance(value, int | float):
            value = -1
        if _HINTS[name] is int:
            is_window = isinstance(value, int) and 1 <= value <= MAX_WINDOW
            return "" if is_window else f"A window has 1 to {MAX_WINDOW} calls."
        return "" if 0 <= value <= 1 else "A threshold is a number from 0 to 1."


ARM_OPTIONS: Final[Mapping[str, ArmOption]] = MappingProxyType(
    {
        "threshold": ArmOption("Threshold", _EVERY),
        "order": ArmOption("Order", (ProvenanceGuard.name, IntentGuard.name, Argus.name), get_args(_HINTS["order"])),
        "unknown": ArmOption("What nobody can tell", _EVERY, get_args(_HINTS["unknown"])),
        "without_plan": ArmOption("Without a plan", (IntentGuard.name,), get_args(_HINTS["without_plan"])),
        "window": ArmOption("Window h", (IntentGuard.name,)),
        "aggregate": ArmOption("Probabilities of steps", (MultiStep.name,), get_args(_HINTS["aggregate"])),
        "reconstruct_subtasks": ArmOption("Reconstruct subtasks", (ProvenanceGuard.name,)),
        "contribute_to": ArmOption("Test ContributeTo", (ProvenanceGuard.name,)),
    }
)
"""By the names that the engine has for them."""


def find_problems(detector: str, options: Mapping[str, Any], pointer: str) -> Iterator[FieldProblem]:
    """What is wrong with the options of an arm, below this JSON Pointer."""
    for name, value in options.items():
        option = ARM_OPTIONS.get(name)
        if option is None:
            problem = f"There is no option “{name}”; there is {', '.join(ARM_OPTIONS)}."
        elif detector not in option.detectors:
            problem = f"{detector} has no option “{name}”; {', '.join(option.detectors)} has."
        else:
            problem = option.find_problem(name, value)
        if problem:
            yield FieldProblem(f"{pointer}/{name}", problem)


def options_under(draft: GuardProfile, detector: str, chosen: Mapping[str, Any]) -> Options:
    """What the profile chooses for the detector, with the arm's own choices in its place."""
    return replace(detector_options(draft, detector), **chosen)


def read_option(name: str, text: str) -> object:
    """The option's value as a shell or a form writes it; the text itself where it is none, to be refused."""
    if name not in {field.name for field in fields(Options)}:
        return text
    if _HINTS[name] is bool:
        return {"true": True, "false": False}.get(text, text)
    try:
        return {int: int, float: float}.get(_HINTS[name], str)(text)
    except ValueError:
        return text
