"""JSON Pointers (RFC 6901) into arguments."""

from collections.abc import Mapping

from reviews.provenance.core.context import JsonValue


def keys_of(pointer: str) -> tuple[str, ...]:
    """The keys a pointer walks through, unescaped."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def name_of(pointer: str) -> str:
    """The last named key: what a person calls the argument."""
    return next((key for key in reversed(keys_of(pointer)) if not key.isdigit()), pointer)


def replaced(arguments: Mapping[str, JsonValue], values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A copy with these leaves changed; a pointer that leads nowhere changes nothing."""
    return {key: _replaced(value, f"/{_escaped(key)}", values) for key, value in arguments.items()}


def _replaced(value: JsonValue, pointer: str, values: Mapping[str, JsonValue]) -> JsonValue:
    if pointer in values:
        return values[pointer]
    match value:
        case dict():
            return {key: _replaced(item, f"{pointer}/{_escaped(key)}", values) for key, item in value.items()}
        case list():
            return [_replaced(item, f"{pointer}/{index}", values) for index, item in enumerate(value)]
    return value


def _escaped(key: str) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")
