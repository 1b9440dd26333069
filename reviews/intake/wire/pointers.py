"""Where in a JSON value something stands (RFC 6901)."""

from collections.abc import Iterable
from typing import TypeAlias, Union

Key: TypeAlias = str | int
Path: TypeAlias = tuple[Union["Path", None], Key]
"""A linked path: the parent's path and the last key. Extending one copies nothing."""


def pointer(keys: Iterable[Key]) -> str:
    """The JSON Pointer of these keys from the root; the empty string is the root itself."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def pointer_of(path: Path | None) -> str:
    """The JSON Pointer of a linked path."""
    keys: list[Key] = []
    while path is not None:
        path, key = path
        keys.append(key)
    return pointer(reversed(keys))
