"""The value of the same field in another record of the same list, or of another result of the same tool."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from reviews.evaluation.benchmarks.compare_calls import value_form
from reviews.evaluation.mutants.records import field_values
from reviews.evaluation.mutants.short_values import is_short
from reviews.provenance.core.context import Case, JsonValue, leaves
from reviews.provenance.core.pointers import name_of, replace_values

# A shorter value stands in many fields by chance: it counts where the field's name is like the argument's.
_TELLING: Final = 4
_WORD: Final = re.compile(r"[a-z]+")


def take_siblings(case: Case) -> Iterator[Mapping[str, JsonValue]]:
    """The arguments with one leaf taken from another record, for each leaf that stands in one and each such record."""
    fields = field_values(case.context)
    arguments = case.action.arguments
    for pointer, value in leaves(dict(arguments)):
        if not is_short(value):
            continue
        form = value_form(value)
        forms_so_far = {form}
        for pattern, values in fields.items():
            forms = {value_form(sibling) for sibling in values}
            # A value that stands in no record of the context has no sibling.
            if form not in forms or not (len(str(value)) >= _TELLING or _is_named_alike(pointer, pattern)):
                continue
            for sibling in values:
                changed = _coerce_type(sibling, like=value)
                if changed is not None and value_form(changed) not in forms_so_far:
                    forms_so_far.add(value_form(changed))
                    yield replace_values(arguments, {pointer: changed})


def _is_named_alike(pointer: str, pattern: tuple[str, ...]) -> bool:
    """Whether the argument's name and the field's share a word, such as `order_id` and `id`."""
    # The pattern begins with the tool's name, which stands for what a bare list holds.
    field = [name for name in pattern if name != "*"][-1]
    argument_words = set(_WORD.findall(name_of(pointer).casefold()))
    return not argument_words.isdisjoint(_WORD.findall(field.casefold()))


def _coerce_type(sibling: JsonValue, *, like: JsonValue) -> JsonValue | None:
    """The sibling's value in the type the argument has; None where it cannot have it."""
    if not is_short(sibling):
        return None
    if isinstance(like, str):
        return str(sibling)
    return sibling if isinstance(sibling, int | float) else None
