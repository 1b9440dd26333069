"""JSON Pointers (RFC 6901) into a call's arguments, or into any JSON value."""

from collections.abc import Mapping
from typing import Any


def pointer_to(*keys: str | int) -> str:
    """The pointer that walks through these keys and positions; without any, the root."""
    # RFC 6901, section 3: ~ first, or the ~ of an escaped slash would be escaped again.
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def keys_of(pointer: str) -> tuple[str, ...]:
    """The keys a pointer walks through, unescaped; a position in a list is its digits. None for the root."""
    # RFC 6901, section 4: ~1 first, or the key "~1" (written ~01) would be read as a slash.
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:])


def name_of(pointer: str) -> str:
    """The last named key: what a person calls the argument. The pointer itself where it names none."""
    return next((key for key in reversed(keys_of(pointer)) if not key.isdigit()), pointer)


def replace_values(arguments: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the arguments with other values at these pointers; a pointer that leads nowhere changes nothing."""

    def copy_with_value(value: Any, pointer: str) -> Any:
        if pointer in values:
            return values[pointer]
        match value:
            case dict():
                return {key: copy_with_value(item, pointer + pointer_to(key)) for key, item in value.items()}
            case list():
                return [copy_with_value(item, pointer + pointer_to(index)) for index, item in enumerate(value)]
        return value

    return {key: copy_with_value(value, pointer_to(key)) for key, value in arguments.items()}
