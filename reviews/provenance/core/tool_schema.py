"""Whether arguments fit a tool's JSON schema. Both come from an agent: neither may fetch, hang or crash anything.

The work is counted, not guessed. A schema of three kilobytes can unfold into 2**n subschemas through `$ref` and
`allOf`, so no bound on its size alone is enough: every keyword that is applied costs a step, and a validation that runs
out of steps ends as "not validated". Keywords that could cost more than what is counted for them (`enum`, `const`,
`uniqueItems`, `pattern`) are replaced by ones that take time linear in what they look at.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from decimal import Decimal
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Final, TypeAlias

import jsonschema
import re2  # type: ignore[import-untyped]  # it ships no types
from jsonschema.exceptions import SchemaError, UnknownType, ValidationError
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it ships no types
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.core.pointers import pointer_to

MAX_PROBLEMS: Final = 20
"""Violations reported: a person reads them one by one, and the first few tell what is wrong."""
MAX_NODES: Final = 20_000
"""Objects, lists and scalars of one schema. The largest published tool documents have about 3,000; checking a schema of
20,000 nodes against its own meta-schema takes about two seconds, the most one check should spend on it."""
DEEPEST: Final = 64
"""Levels of a schema. The validator recurses, and Python's stack holds about ten times as many of its frames."""
MAX_STEPS: Final = 100_000
"""Keywords applied to one call's arguments, about two seconds. A call of 1,000 rows of 20 numbers takes 43,000."""
MAX_MESSAGE_LENGTH: Final = 300
"""Characters of a violation: the validator quotes the value, which may be a megabyte."""
# How the validator words that a parameter is missing.
_MISSING: Final = re.compile(r"'(.{1,100})' is a required property", re.S)
CHARACTERS_A_STEP: Final = 200
"""Of a value that a keyword is applied to: many keywords walk through it, and a violation's message quotes it."""
SCHEMA_CHARACTERS_A_STEP: Final = 1000
"""Of the keyword's own value, which some messages quote too. It is walked through less often than the arguments are."""
MAX_KEPT: Final = 16_384
"""Characters of a schema that is remembered as sound: nearly all. An agent proposes calls of the same tools over and
over, and checking a small schema against its meta-schema takes longer than all else that rules do for a call."""
# Where the meta-schema and its parts are.
_DRAFT: Final = "https://json-schema.org/draft/2020-12/"
# Keywords for which the library walks every branch of a schema once more, without counting.
_UNBOUNDED: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_LIBRARY: Any = jsonschema.Draft202012Validator
Keyword: TypeAlias = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


class BrokenSchemaError(Exception):
    """The tool's schema is no JSON schema, or refers to something outside itself."""


class SchemaBudgetError(Exception):
    """Validating would take too much work, so nothing is known about the arguments."""


class _Steps:
    """Counts the keywords that one validation applies, each by the size of its value and of what it is applied to."""

    def __init__(self) -> None:
        self._left = MAX_STEPS
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
        applied_to, own = self._size_of(instance), self._size_of(value)
        self._left -= 1 + applied_to // CHARACTERS_A_STEP + own // SCHEMA_CHARACTERS_A_STEP
        if self._left < 0:
            raise SchemaBudgetError("Not validated: the tool's schema takes too much work to apply to these arguments.")

    def is_option(self, instance: JsonValue, keyword: JsonValue, options: list[JsonValue]) -> bool:
        """Whether the value is one of the options of this keyword, whose keys are made once."""
        if id(keyword) not in self._options:
            self._options[id(keyword)] = frozenset(map(_key_of_value, options))
        return _key_of_value(instance) in self._options[id(keyword)]

    def _size_of(self, value: JsonValue) -> int:
        return len(value) if isinstance(value, str) else self._sizes.get(id(value), 1)


_steps: ContextVar[_Steps] = ContextVar("schema_steps")


def schema_problems(document: ToolDoc, arguments: Mapping[str, JsonValue]) -> tuple[tuple[str, str], ...]:
    """Each violation as JSON Pointer and message; a broken schema is one violation, at the root.

    Raises `SchemaBudgetError`.
    """
    try:
        return find_violations(document, arguments)
    except BrokenSchemaError as error:
        return (("", str(error)),)


def find_violations(document: ToolDoc, arguments: Mapping[str, JsonValue]) -> tuple[tuple[str, str], ...]:
    """Each violation as JSON Pointer and message, in the order of the pointers.

    Raises `BrokenSchemaError`, and `SchemaBudgetError` where validating would take too long.
    """
    schema, instance = dict(document.parameters), dict(arguments)
    _require_bounded(schema)
    steps = _Steps()
    token = _steps.set(steps)
    try:
        steps.measure(schema)
        steps.measure(instance)
        schema_text = json.dumps(schema)
        (_require_sound if len(schema_text) <= MAX_KEPT else _require_sound.__wrapped__)(schema_text)
        # A registry of our own: the default one would fetch whatever address a schema names.
        errors = islice(_Validator(schema, registry=REGISTRY).iter_errors(instance), MAX_PROBLEMS)
        return tuple(sorted((pointer_to(*error.absolute_path), _word_violation(error.message)) for error in errors))
    except (SchemaError, UnknownType, Unresolvable, RecursionError, TypeError, ValueError) as error:
        raise BrokenSchemaError(f"The tool's schema cannot be read ({type(error).__name__}).") from error
    finally:
        _steps.reset(token)


def _word_violation(message: str) -> str:
    """A violation in words for a person, as far as the commonest kind goes."""
    missing = _MISSING.fullmatch(message)
    return f"“{missing[1]}” is missing." if missing else message[:MAX_MESSAGE_LENGTH]


def _require_bounded(schema: JsonValue) -> None:
    """Raises `SchemaBudgetError` for a schema that is too large, too deep, or of a kind whose work is not counted."""
    waiting: list[tuple[JsonValue, int]] = [(schema, 1)]
    count = 0
    while waiting:
        value, depth = waiting.pop()
        count += 1
        if count > MAX_NODES:
            raise SchemaBudgetError(f"Not validated: the tool's schema has more than {MAX_NODES:,} parts.")
        if depth > DEEPEST:
            raise SchemaBudgetError(f"Not validated: the tool's schema is nested deeper than {DEEPEST} levels.")
        if isinstance(value, dict) and (unbounded := _UNBOUNDED & value.keys()):
            raise SchemaBudgetError(f"Not validated: the tool's schema uses {' or '.join(unbounded)}.")
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        waiting.extend((part, depth + 1) for part in parts)


@lru_cache(maxsize=1024)  # Schemas: 16 MB at most. Those that are none are raised for, and not kept.
def _require_sound(schema_text: str) -> None:
    """Raises what the library raises for what is no schema. Its own meta-schema unfolds nothing of the agent's."""
    for error in _meta_validator().iter_errors(json.loads(schema_text)):
        raise SchemaError.create_from(error)


@cache
def _meta_validator() -> Any:
    """What `check_schema` of the library uses, but for `uniqueItems`, which compares objects pair by pair."""
    # A schema that names its draft is applied by the library's validator of that draft, whoever applies what is around.
    unnamed = {
        uri: {name: value for name, value in REGISTRY.contents(uri).items() if name != "$schema"}
        for uri in REGISTRY
        if uri.startswith(_DRAFT)
    }
    registry = Registry().with_resources((uri, DRAFT202012.create_resource(text)) for uri, text in unnamed.items())
    validator = extend(_LIBRARY, {"uniqueItems": _unique_items})
    return validator(unnamed[f"{_DRAFT}schema"], registry=registry, format_checker=_LIBRARY.FORMAT_CHECKER)


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
    if not _steps.get().is_option(instance, enum, options):
        # As many as a person reads. Quoting all of a long list at each of many values would take minutes.
        yield ValidationError(f"{instance!r} is not one of {options[:MAX_PROBLEMS]!r}")


def _check_const(_: Any, const: JsonValue, instance: JsonValue, __: Any) -> Iterator[ValidationError]:
    """`const` compared as `enum` is."""
    if not _steps.get().is_option(instance, const, [const]):
        yield ValidationError(f"{const!r} was expected")


def _unique_items(_: Any, unique: JsonValue, instance: JsonValue, __: Any) -> Iterator[ValidationError]:
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
        steps = _steps.get()
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
    "uniqueItems": _unique_items,
}
_Validator: Any = extend(
    _LIBRARY, {name: _with_cost(_LINEAR.get(name, keyword)) for name, keyword in _LIBRARY.VALIDATORS.items()}
)
