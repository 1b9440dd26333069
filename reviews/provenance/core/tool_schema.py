"""Whether arguments fit a tool's JSON schema. Both come from an agent: neither may fetch, hang or crash anything."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import jsonschema
from jsonschema.exceptions import SchemaError, UnknownType
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it ships no types
from referencing.exceptions import Unresolvable

from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.core.pointers import pointer_to

MOST_PROBLEMS = 20
"""Violations that are reported: more than a person mends at once, and a long list has as many as it has items."""
# A message quotes the value that is wrong, which may be a whole document.
_LONGEST_MESSAGE = 300
# Characters of a pattern, and of a text it is tried on. Two repetitions, tried from every start, take the cube of this
# length at worst.
_LONGEST = 200
_MOST_REPEATS = 2
_REPEAT = re.compile(r"[*+]|\{\d*,\d*\}")
# What can make a pattern exponential: a repeated group, a look-around, a reference back.
_NESTING = re.compile(r"\)[*+?{]|\(\?|\\\d")
# The other two judge the names that the first leaves over: without it they would refuse what its patterns allow.
_KEYWORDS_ON_NAMES = ("patternProperties", "additionalProperties", "unevaluatedProperties")


class BrokenSchemaError(Exception):
    """The tool's schema is no JSON schema, or refers to something outside itself."""


def schema_problems(document: ToolDoc, arguments: Mapping[str, JsonValue]) -> tuple[tuple[str, str], ...]:
    """Each violation as JSON Pointer and message; a broken schema is one violation, at the root."""
    try:
        return problems(document, arguments)
    except BrokenSchemaError as error:
        return (("", str(error)),)


def problems(document: ToolDoc, arguments: Mapping[str, JsonValue]) -> tuple[tuple[str, str], ...]:
    """Each violation as JSON Pointer and message, in the order of the pointers. Raises `BrokenSchemaError`."""
    try:
        schema = _without_patterns_on_names(dict(document.parameters))
        _Validator.check_schema(schema)
        # A registry of our own: the default one would fetch whatever address a schema names.
        errors = _Validator(schema, registry=REGISTRY).iter_errors(dict(arguments))
        found = ((pointer_to(*error.absolute_path), error.message[:_LONGEST_MESSAGE]) for error in errors)
        return tuple(sorted(islice(found, MOST_PROBLEMS)))
    # The library lets pass what goes wrong inside it on a schema that only looks valid.
    except (SchemaError, UnknownType, Unresolvable, RecursionError, re.error, TypeError, ValueError) as error:
        raise BrokenSchemaError(f"The tool's schema cannot be read ({type(error).__name__}).") from error


def _pattern(_: Any, pattern: str, instance: JsonValue, __: Any) -> Iterator[jsonschema.ValidationError]:
    """The keyword `pattern`. One that could take for ever is not tried: the value then passes this one keyword."""
    if not isinstance(instance, str) or max(len(pattern), len(instance)) > _LONGEST:
        return
    quick = not _NESTING.search(pattern) and len(_REPEAT.findall(pattern)) <= _MOST_REPEATS
    if quick and not re.search(pattern, instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


def _without_patterns_on_names(schema: JsonValue) -> JsonValue:
    """The schema without patterns that would run on every argument name an agent sends, where they repeat anything."""
    if isinstance(schema, list):
        return [_without_patterns_on_names(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    patterns = schema.get("patternProperties")
    slow = isinstance(patterns, dict) and any(_REPEAT.search(key) or _NESTING.search(key) for key in patterns)
    left_out = _KEYWORDS_ON_NAMES if slow else ()
    return {key: _without_patterns_on_names(value) for key, value in schema.items() if key not in left_out}


_Validator: Any = extend(  # type: ignore[no-untyped-call]  # nor does its stub
    jsonschema.Draft202012Validator, {"pattern": _pattern}
)
