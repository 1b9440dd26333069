"""The keywords of JSON schema, each at its price; those that could cost more than that, in linear time."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, TypeAlias

import jsonschema
import re2  # type: ignore[import-untyped]  # it ships no types
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from reviews.provenance.core.context import JsonValue

MAX_PROBLEMS: Final = 20
"""Violations reported: a person reads them one by one, and the first few tell what is wrong."""
MAX_STEPS: Final = 100_000
"""Keywords applied to one call's arguments, about two seconds. A call of 1,000 rows of 20 numbers takes 43,000."""
CHARACTERS_A_STEP: Final = 200
"""Of a value that a keyword is applied to: many keywords walk through it, and a violation's message quotes it."""
SCHEMA_CHARACTERS_A_STEP: Final = 1000
"""Of the keyword's own value, which some messages quote too. It is walked through less often than the arguments are."""
LIBRARY: Any = jsonschema.Draft202012Validator
Keyword: TypeAlias = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


class SchemaBudgetError(Exception):
    """Validating would take too much work, so nothing is known about the arguments."""


class Steps:
    """Counts the keywords that one validation applies, each by the size of its value and of what it is applied to."""

    def __init__(self) -> None:
        self._remaining = MAX_STEPS
        # By identity: schema and arguments outlive the validation, and are not changed by it.
        self._sizes: dict[int, int] = {}
        """Characters of each object and list."""
        self._options: dict[int, frozenset[str]] = {}
        """The keys of what each `enum` and `const` allows."""

    def measure(self, value: JsonValue) -> int:
        """Characters of a value, once those of its objects and lists are kept."""
        match value:
            case str():
                return len(value)
            case dict():
                size = sum(len(name) + self.measure(item) for name, item in value.items())
            case list():
                size = sum(map(self.measure, value))
            case _:
                return 1
        self._sizes[id(value)] = size
        return size

    def charge_keyword(self, value: JsonValue, instance: JsonValue) -> None:
        """Spend what a keyword with this value costs. Raises `SchemaBudgetError` when too little is left."""
        instance_size, keyword_size = self._size_of(instance), self._size_of(value)
        self._remaining -= 1 + instance_size // CHARACTERS_A_STEP + keyword_size // SCHEMA_CHARACTERS_A_STEP
        if self._remaining < 0:
            raise SchemaBudgetError("Not validated: the tool's schema takes too much work to apply to these arguments.")

    def is_option(self, instance: JsonValue, keyword: JsonValue, options: list[JsonValue]) -> bool:
        """Whether the value is one of the options of this keyword, whose keys are made once."""
        if id(keyword) not in self._options:
            self._options[id(keyword)] = frozenset(map(_key_of_value, options))
        return _key_of_value(instance) in self._options[id(keyword)]

    def _size_of(self, value: JsonValue) -> int:
        return len(value) if isinstance(value, str) else self._sizes.get(id(value), 1)


steps_left: ContextVar[Steps] = ContextVar("schema_steps")


@lru_cache(maxsize=1024)  # Patterns: a workspace's tools have some hundred, and compiling one takes 20 µs.
def _compile_pattern(pattern: str) -> Any:
    """The pattern for an engine whose time is linear in the text.

    Raises `ValueError` for what is no pattern, and `SchemaBudgetError` for what that engine cannot express.
    """
    options = re2.Options()
    options.log_errors = False  # An agent's pattern is no news for our log.
    options.max_mem = 1 << 20  # Bytes: a repetition such as `(a{1,1000}){1,1000}` is refused, not compiled.
    try:
        return re2.compile(pattern, options)
    except re2.error:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(str(error)) from error
        message = "Not validated: the tool's schema has a pattern that cannot be tried in bounded time."
        raise SchemaBudgetError(message) from None


def _check_pattern(_: Any, pattern: JsonValue, instance: JsonValue, __: Any) -> Iterator[ValidationError]:
    """`pattern` in linear time."""
    if isinstance(instance, str) and not _compile_pattern(str(pattern)).search(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    """`patternProperties` in linear time for each name."""
    for pattern, subschema in patterns.items() if isinstance(instance, dict) else ():
        for name, value in instance.items():
            if _compile_pattern(pattern).search(name):
                yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`additionalProperties`, with the patterns on names tried in linear time."""
    if not isinstance(instance, dict):
        return
    documented, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extras = [
        name
        for name in instance
        if name not in documented and not any(_compile_pattern(pattern).search(name) for pattern in patterns)
    ]
    if isinstance(allowed, dict):
        for name in extras:
            yield from validator.descend(instance[name], allowed, path=name)
    elif allowed is False and extras:
        yield ValidationError(f"Additional properties are not allowed ({', '.join(map(repr, extras[:MAX_PROBLEMS]))})")


def _key_of_value(value: JsonValue) -> str:
    """A text that is the same for values that JSON Schema calls equal: `1` is `1.0`, `true` is not `1`."""
    return json.dumps(_normal_value(value), sort_keys=True)


def _normal_value(value: JsonValue) -> JsonValue:
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {name: _normal_value(item) for name, item in value.items()}
        case list():
            return [_normal_value(item) for item in value]
    return value


def _check_enum(_: Any, enum: JsonValue, instance: JsonValue, __: Any) -> Iterator[ValidationError]:
    """`enum` by one look-up, where the library compares with every option."""
    options = enum if isinstance(enum, list) else []
    if not steps_left.get().is_option(instance, enum, options):
        # As many as a person reads. Quoting all of a long list at each of many values would take minutes.
        yield ValidationError(f"{instance!r} is not one of {options[:MAX_PROBLEMS]!r}")


def _check_const(_: Any, const: JsonValue, instance: JsonValue, __: Any) -> Iterator[ValidationError]:
    """`const` compared as `enum` is."""
    if not steps_left.get().is_option(instance, const, [const]):
        yield ValidationError(f"{const!r} was expected")


def check_unique_items(_: Any, unique: JsonValue, instance: JsonValue, __: Any) -> Iterator[ValidationError]:
    """`uniqueItems` by hashing, where the library compares mixed items pair by pair."""
    if unique is True and isinstance(instance, list) and len(set(map(_key_of_value, instance))) < len(instance):
        yield ValidationError(f"{instance!r} has non-unique elements")


def _multiple_of(_: Any, step: JsonValue, instance: JsonValue, __: Any) -> Iterator[ValidationError]:
    """`multipleOf` by the decimals that are written: to floats 0.3 is no multiple of 0.1."""
    if isinstance(instance, bool) or not isinstance(instance, int | float):
        return
    try:
        is_multiple = Decimal(str(instance)) % Decimal(str(step)) == 0
    except ArithmeticError:
        # Not a number, or too many figures to divide: that is no violation which could be shown.
        return
    if not is_multiple:
        yield ValidationError(f"{instance!r} is not a multiple of {step!r}")


def _with_cost(keyword: Keyword) -> Keyword:
    """The keyword, at its price each time it is applied, and at a step for each violation."""

    def apply_with_cost(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        steps = steps_left.get()
        steps.charge_keyword(value, instance)
        for error in keyword(validator, value, instance, schema) or ():
            # `anyOf` collects all violations of a branch: `required` alone could find thousands in each of many items.
            steps.charge_keyword(None, None)
            yield error

    return apply_with_cost


# What replaces the library's own.
_LINEAR: Final[Mapping[str, Keyword]] = {
    "additionalProperties": _additional_properties,
    "const": _check_const,
    "enum": _check_enum,
    "multipleOf": _multiple_of,
    "pattern": _check_pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": check_unique_items,
}
Validator: Any = extend(
    LIBRARY, {name: _with_cost(_LINEAR.get(name, keyword)) for name, keyword in LIBRARY.VALIDATORS.items()}
)
