"""The order in which an agent wrote the keys of its JSON, which PostgreSQL's `jsonb` does not keep."""

from collections.abc import Iterator, Mapping
from typing import cast

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.pointers import pointer_to


def key_order(value: JsonValue) -> dict[str, list[str]]:
    """The keys of each object, by its JSON Pointer: only of objects that `jsonb` would give back in another order."""
    return {pointer: keys for pointer, keys in _objects(value) if keys != sorted(keys, key=_jsonb_rank)}


def ordered_as(value: Mapping[str, JsonValue], example: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The object with the keys that it shares with the example in the example's order; the others come last."""
    return cast(dict[str, JsonValue], in_key_order(dict(value), dict(_objects(dict(example)))))


def in_key_order(value: JsonValue, order: Mapping[str, list[str]], pointer: str = "") -> JsonValue:
    """The value with its keys in this order; keys that the order does not know come last."""
    match value:
        case dict():
            ranks = {key: rank for rank, key in enumerate(order.get(pointer, ()))}
            keys = sorted(value, key=lambda key: ranks.get(key, len(ranks)))
            return {key: in_key_order(value[key], order, pointer + pointer_to(key)) for key in keys}
        case list():
            return [in_key_order(item, order, f"{pointer}/{index}") for index, item in enumerate(value)]
    return value


def _objects(value: JsonValue) -> Iterator[tuple[str, list[str]]]:
    """Every object of the value with its pointer and its keys."""
    # A stack instead of recursion: called before anything has bounded how deep the value is nested.
    pending = [("", value)]
    while pending:
        pointer, node = pending.pop()
        if isinstance(node, dict):
            yield pointer, list(node)
            pending += [(pointer + pointer_to(key), member) for key, member in node.items()]
        elif isinstance(node, list):
            pending += [(f"{pointer}/{index}", member) for index, member in enumerate(node)]


def _jsonb_rank(key: str) -> tuple[int, bytes]:
    """Sorts as `jsonb` does: shorter keys first, in bytes."""
    encoded = key.encode()
    return len(encoded), encoded
