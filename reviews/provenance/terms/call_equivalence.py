"""Whether two calls of a tool ask for the same: spellings, omitted defaults and a set's order make no difference."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from reviews.provenance.core.context import JsonValue, ToolDoc, leaves
from reviews.provenance.core.pointers import keys_of, pointer_to
from reviews.provenance.core.work_budget import Budget
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.derivability import DerivableParameters
from reviews.provenance.terms.same_value import same_value
from reviews.provenance.text.fold import fold
from reviews.provenance.values.identifiers import is_opaque
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.numbers import number_of

# How documents word a default where the schema has no keyword for it.
_STATED_DEFAULT: Final = re.compile(r"\bdefaults?(?:\s+(?:to|is|value))*\s*[:=]?\s*[\"'“‘`]?([\w./+-]*\w)", re.I)
# What is put into numbers of accounts, cards and telephones to make them readable.
_SEPARATORS: Final = re.compile(r"[\s().\-]")
# What holding one value against another costs, in steps of the budget, and finding out what a value decides.
_STEPS_A_PAIR: Final = 64
_STEPS_A_LEAF: Final = 16
# Characters from which a code is long enough that leaving out separators makes no two of them alike.
_MIN_CODE: Final = 8
# What a call may hold in place of leaving a parameter out.
_EMPTY: Final = frozenset({"", "null", "[]", "{}"})
# Characters of a description that are searched for a default.
_MAX_DESCRIBED: Final = 2_000


def decisive_arguments(
    classes: DerivableParameters, arguments: Mapping[str, JsonValue]
) -> dict[str, tuple[JsonValue, ...]]:
    """The arguments that are not generated and say more than their default: by path, the values of all list entries.

    `classes` are those of the tool's parameters.
    """
    by_path: defaultdict[str, list[JsonValue]] = defaultdict(list)
    for _, path, value in _decisive_leaves(classes, arguments):
        by_path[path].append(value)
    return {path: tuple(values) for path, values in by_path.items()}


def _decisive_leaves(
    classes: DerivableParameters, arguments: Mapping[str, JsonValue]
) -> Iterator[tuple[str, str, JsonValue]]:
    """Pointer, path and value of each argument that is not generated and says more than its default."""
    for pointer, value in leaves(dict(arguments)):
        path = _drop_list_positions(pointer, arguments)
        if classes.is_derivable(pointer) is not False and not _is_default(value, _schema_at(classes.tool, path)):
            yield pointer, path, value


def _drop_list_positions(pointer: str, arguments: Mapping[str, JsonValue]) -> str:
    """The path that all entries of a list share. A name of digits is a name: only a list has positions."""
    node: Any = arguments
    names = []
    for key in keys_of(pointer):
        if isinstance(node, list):
            node = node[int(key)]
        else:
            names.append(key)
            node = node[key]
    return pointer_to(*names)


def key_of_call(classes: DerivableParameters, arguments: Mapping[str, JsonValue]) -> str:
    """The same text for calls of a tool that differ in nothing but simple spellings, defaults and the order of sets."""
    by_path = decisive_arguments(classes, arguments)
    return f"{classes.tool.name}{sorted((path, _key_of_values(values)) for path, values in by_path.items())}"


def differing_paths(
    document: ToolDoc, arguments: Mapping[str, JsonValue], rival: Mapping[str, JsonValue]
) -> frozenset[str]:
    """The paths at which the other call decides something else. What it merely leaves open is no difference."""
    classes = DerivableParameters.by_rule(document)
    decisive, rivals = decisive_arguments(classes, arguments), decisive_arguments(classes, rival)
    differing = frozenset(
        path for path in rivals if not _are_same(decisive.get(path, ()), rivals[path], _schema_at(document, path))
    )
    return differing or _paths_paired_otherwise(classes, arguments, rival)


def _paths_paired_otherwise(
    classes: DerivableParameters, arguments: Mapping[str, JsonValue], rival: Mapping[str, JsonValue]
) -> frozenset[str]:
    """The paths of a list whose entries hold the same values in another pairing: 1 kg and 2 g for 1 g and 2 kg."""
    entries, rival_entries = _entries_of(classes, arguments), _entries_of(classes, rival)
    shared = frozenset(chain.from_iterable(entries)) & frozenset(chain.from_iterable(rival_entries))
    rows, rival_rows = (
        sorted(sorted(field for field in entry.items() if field[0] in shared) for entry in entries_of_call)
        for entries_of_call in (entries, rival_entries)
    )
    # Values that are spelled otherwise can be paired in no way that tells anything.
    is_same_spelling = sorted(chain.from_iterable(rows)) == sorted(chain.from_iterable(rival_rows))
    return shared if is_same_spelling and rows != rival_rows else frozenset()


def _entries_of(classes: DerivableParameters, arguments: Mapping[str, JsonValue]) -> list[dict[str, str]]:
    """The entries of lists with several fields each: by path the spelling of each field."""
    entries: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for pointer, path, value in _decisive_leaves(classes, arguments):
        entry = pointer.rpartition("/")[0]
        if entry != path.rpartition("/")[0]:
            entries[entry][path] = _spelling_key(value)
    return [entry for entry in entries.values() if len(entry) > 1]


def shares_values(
    document: ToolDoc, path: str, arguments: Mapping[str, JsonValue], rival: Mapping[str, JsonValue]
) -> bool:
    """Whether two calls have a value in common at the path: one takes more of the same, or pairs it otherwise."""
    classes = DerivableParameters.by_rule(document)
    keys = (
        {_spelling_key(value) for value in decisive_arguments(classes, call).get(path, ())}
        for call in (arguments, rival)
    )
    return not set.isdisjoint(*keys)


def may_be_same_call(
    classes: DerivableParameters, arguments: Mapping[str, JsonValue], rival: Mapping[str, JsonValue], budget: Budget
) -> bool:
    """Whether nothing shows that two calls are different ones: what one leaves open may be what the other says.

    A name may be that of an address, and "thirty" a number: only what is written alike can be told apart.
    """
    decisive, rivals = decisive_arguments(classes, arguments), decisive_arguments(classes, rival)
    shared = decisive.keys() & rivals.keys()
    budget.spend(1 + _STEPS_A_LEAF * (len(arguments) + len(rival)))
    budget.spend(_STEPS_A_PAIR * sum(len(decisive[path]) * len(rivals[path]) for path in shared))
    return not any(
        all(_are_told_apart(value, rival_value) for rival_value in rivals[path])
        for path in shared
        for value in decisive[path]
    )


def _are_told_apart(value: JsonValue, rival: JsonValue) -> bool:
    """Whether both are numbers, days, or identifiers of one form, and not the same."""
    if same_value(Leaf(value), str(rival)) or same_value(Leaf(rival), str(value)):
        return False
    form = _form_of(value)
    return any(form) and form == _form_of(rival)


def _form_of(value: JsonValue) -> tuple[bool, bool, bool, bool]:
    """Whether a value is a number, a day, a code, an address."""
    return number_of(value) is not None, moment_of(value) is not None, is_opaque(str(value)), "@" in str(value)


def _is_default(value: JsonValue, schema: Mapping[str, JsonValue]) -> bool:
    stated = _STATED_DEFAULT.search(str(schema.get("description", ""))[:_MAX_DESCRIBED])
    default = schema.get("default", stated[1] if stated else "")
    return _spelling_key(value) in _EMPTY | {_spelling_key(default)}


def _are_same(values: tuple[JsonValue, ...], rivals: tuple[JsonValue, ...], schema: Mapping[str, JsonValue]) -> bool:
    if _key_of_values(values) == _key_of_values(rivals):
        return True
    if len(values) != len(rivals):
        return False
    if _are_numbers(values):
        return all(_reads_as(value, rival, schema) for value, rival in zip(values, rivals, strict=True))
    # Few are left here, so each may be compared with each: an entry that has no counterpart tells the calls apart.
    return all(any(_reads_as(value, rival, schema) for value in values) for rival in rivals)


def _reads_as(value: JsonValue, spelling: JsonValue, schema: Mapping[str, JsonValue]) -> bool:
    """Whether one value is another spelling of the other."""
    if _spelling_key(value) == _spelling_key(spelling):
        return True
    orders = ((value, spelling), (spelling, value))
    return any(same_value(Leaf(first, "/value", schema), str(second)) is not None for first, second in orders)


def _are_numbers(values: tuple[JsonValue, ...]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _key_of_values(values: tuple[JsonValue, ...]) -> tuple[str, ...]:
    """Numbers in their order, which may mean something, such as a place; of everything else a set."""
    if _are_numbers(values):
        return tuple(_spelling_key(value) for value in values)
    # Several addresses in one text are a set as well.
    parts = (re.split(r"\s*[,;]\s*", value) if isinstance(value, str) else [value] for value in values)
    return tuple(sorted(_spelling_key(part) for part in chain.from_iterable(parts)))


def _spelling_key(value: JsonValue) -> str:
    """The value as text that is the same for spellings which differ in case, white space, or decimals alone."""
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, int | float):
        # In hexadecimal: Python refuses to write whole numbers of more than 4,300 decimal digits.
        return f"{int(value):x}" if isinstance(value, int) or value.is_integer() else repr(value)
    if not isinstance(value, str):
        return str(value)
    folded = " ".join(fold(value).split())
    compact = _SEPARATORS.sub("", folded)
    return compact if len(compact) >= _MIN_CODE and sum(map(str.isdigit, compact)) * 2 > len(compact) else folded


def _schema_at(document: ToolDoc, path: str) -> Mapping[str, JsonValue]:
    """The schema of a top-level parameter; empty for what is nested, whose defaults nobody states by path."""
    schema = document.properties.get(path[1:])
    return schema if isinstance(schema, dict) else {}
