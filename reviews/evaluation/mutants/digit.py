"""One digit of a number, an identifier, a code or a date changed."""

import hashlib
from collections.abc import Iterator, Mapping

from reviews.evaluation.mutants.short_values import is_moment, is_short
from reviews.provenance.core.context import Case, JsonValue, leaves
from reviews.provenance.core.pointers import replace_values


def change_digit(case: Case) -> Iterator[Mapping[str, JsonValue]]:
    """The arguments with one digit of one leaf changed, once for each leaf that has a digit."""
    arguments = case.action.arguments
    for pointer, value in leaves(dict(arguments)):
        changed = _change_value(value) if is_short(value) else None
        if changed is not None:
            yield replace_values(arguments, {pointer: changed})


def _change_value(value: JsonValue) -> JsonValue | None:
    """The value with another digit, drawn by its hash; None where no digit can be changed."""
    text = str(value)
    places = [place for place, char in enumerate(text) if char in "0123456789"]
    # Drawn by hash, so that neither the first nor the last digit is favoured.
    drawn = int(hashlib.sha256(text.encode()).hexdigest(), 16)
    # Each place has nine other digits; the first that leaves a value of the same form is taken.
    for attempt in range(len(places) * 9):
        turn = drawn + attempt
        place = places[turn % len(places)]
        # From 1 to 9 steps on, so that the digit is another one.
        digit = (int(text[place]) + 1 + turn // len(places) % 9) % 10
        mutant = f"{text[:place]}{digit}{text[place + 1 :]}"
        if _is_possible(value, mutant):
            return mutant if isinstance(value, str) else type(value)(mutant)
    return None


def _is_possible(value: JsonValue, mutant: str) -> bool:
    """A date stays one, and a number does not begin with 0: such a mutant would be refused for its form alone."""
    if isinstance(value, str):
        return is_moment(mutant) or not is_moment(value)
    integer = mutant.lstrip("-").partition(".")[0]
    return not (integer.startswith("0") and len(integer) > 1) and "e" not in mutant
