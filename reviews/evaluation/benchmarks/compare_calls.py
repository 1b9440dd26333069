"""A call against the calls that would have been right."""

from collections.abc import Iterable, Mapping

from reviews.provenance.core.context import JsonValue, leaves


def differing(arguments: Mapping[str, JsonValue], right: Iterable[Mapping[str, JsonValue]]) -> frozenset[str] | None:
    """JSON Pointers of the leaves in which the arguments differ from the nearest right ones: the fewest, of equals
    the first. None when nothing is right. Letter case does not count, and neither does what only the right call has.
    """
    given = _comparable(arguments)
    candidates = (_unlike(given, _comparable(each)) for each in right)
    return min(candidates, key=len, default=None)


def _comparable(arguments: Mapping[str, JsonValue]) -> dict[str, str]:
    return {pointer: str(value).casefold() for pointer, value in leaves(dict(arguments))}


def _unlike(given: Mapping[str, str], right: Mapping[str, str]) -> frozenset[str]:
    return frozenset(pointer for pointer, value in given.items() if right.get(pointer) != value)
