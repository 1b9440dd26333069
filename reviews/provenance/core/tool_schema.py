"""Whether arguments fit a tool's JSON schema. Both come from an agent: neither may fetch, hang or crash anything.

The work is counted, not guessed. A schema of three kilobytes can unfold into 2**n subschemas through `$ref` and
`allOf`, so no bound on its size alone is enough: every keyword that is applied costs a step, and a validation that runs
out of steps ends as "not validated". Keywords that could cost more than what is counted for them (`enum`, `const`,
`uniqueItems`, `pattern`) are replaced by ones that take time linear in what they look at.
"""

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Final

from jsonschema.exceptions import SchemaError, UnknownType, ValidationError
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it ships no types
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.core.schema_keywords import (
    LIBRARY,
    MAX_PROBLEMS,
    SchemaBudgetError,
    Steps,
    Validator,
    check_unique_items,
    steps_left,
)
from reviews.provenance.core.shortening import shorten_text

MAX_NODES: Final = 10_000
"""Objects, lists and scalars of one schema. The largest published tool documents have about 3,000; checking a schema of
10,000 nodes against its own meta-schema takes about a second, the most one check should spend on it."""
DEEPEST: Final = 64
"""Levels of a schema. The validator recurses, and Python's stack holds about ten times as many of its frames."""
MAX_MESSAGE_LENGTH: Final = 300
"""Characters of a violation: the validator quotes the value, which may be a megabyte."""
# Characters of a value that a violation quotes.
_MAX_QUOTED: Final = 60
# How the validator words that a parameter is missing.
_MISSING: Final = re.compile(r"'(.{1,100})' is a required property", re.S)
MAX_KEPT: Final = 16_384
"""Characters of a schema that is remembered as sound: nearly all. An agent proposes calls of the same tools over and
over, and checking a small schema against its meta-schema takes longer than all else that rules do for a call."""
# Where the meta-schema and its parts are.
_DRAFT: Final = "https://json-schema.org/draft/2020-12/"
# And where ours are, which is nowhere (RFC 2606).
_OURS: Final = "https://schema.invalid/2020-12/"
# Keywords for which the library walks every branch of a schema once more, without counting.
_UNBOUNDED: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})


class BrokenSchemaError(Exception):
    """The tool's schema is no JSON schema, or refers to something outside itself."""


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
    steps = Steps()
    token = steps_left.set(steps)
    try:
        steps.measure(schema)
        steps.measure(instance)
        schema_text = json.dumps(schema)
        (_require_sound if len(schema_text) <= MAX_KEPT else _require_sound.__wrapped__)(schema_text)
        # A registry of our own: the default one would fetch whatever address a schema names.
        errors = islice(Validator(schema, registry=REGISTRY).iter_errors(instance), MAX_PROBLEMS)
        return tuple(sorted((pointer_to(*error.absolute_path), _word_violation(error)) for error in errors))
    except (SchemaError, UnknownType, Unresolvable, RecursionError, TypeError, ValueError) as error:
        raise BrokenSchemaError(f"The tool's schema cannot be read ({type(error).__name__}).") from error
    finally:
        steps_left.reset(token)


def _word_violation(error: ValidationError) -> str:
    """A violation in words for a person, as far as the commonest kinds go: values as JSON has them, not as Python."""
    if missing := _MISSING.fullmatch(error.message):
        return f"“{missing[1]}” is missing."
    wanted: Any = error.validator_value
    if error.validator == "type":
        types = [wanted] if isinstance(wanted, str) else wanted
        return f"{_quote(error.instance)} is not of type {' or '.join(types)}"
    if error.validator == "enum":
        return f"{_quote(error.instance)} is not one of {', '.join(map(_quote, wanted[:MAX_PROBLEMS]))}"
    return error.message[:MAX_MESSAGE_LENGTH]


def _quote(value: JsonValue) -> str:
    """A value as a sentence quotes it."""
    if isinstance(value, str):
        return f"“{shorten_text(value, _MAX_QUOTED)}”"
    return shorten_text(json.dumps(value, ensure_ascii=False), _MAX_QUOTED)


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
    # A schema that names its draft is applied by the library's validator of that draft, whoever applies what is around,
    # and one at the draft's own address is found there by the library first.
    parts = {
        uri.replace(_DRAFT, _OURS): json.loads(json.dumps(REGISTRY.contents(uri)).replace(_DRAFT, _OURS))
        for uri in REGISTRY
        if uri.startswith(_DRAFT)
    }
    for part in parts.values():
        del part["$schema"]
    registry = Registry().with_resources((uri, DRAFT202012.create_resource(part)) for uri, part in parts.items())
    # The anchors are found now; else the library looks for them again for each part of a schema.
    registry = registry.crawl()
    validator = extend(LIBRARY, {"uniqueItems": check_unique_items})
    return validator(parts[f"{_OURS}schema"], registry=registry, format_checker=LIBRARY.FORMAT_CHECKER)
