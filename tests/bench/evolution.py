"""A search for bodies that cost much: recipes of bodies are changed and mixed, and the dearest are changed further.

A recipe puts a few pieces into places of an ordinary submission, each blown up in some dimension; what it becomes is
always the same body, so that a finding can be looked at again. The best recipe of each kind is kept (MAP-Elites), so
that one dear dimension does not crowd out all others.
"""

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from tests.bodies import BASES

LARGEST: Final = 1024 * 1024
"""Bytes of a body, as MAX_BODY_BYTES allows by default."""
# Lists of lists are a little smaller than their count.
_FAR_TOO_LARGE: Final = 2 * LARGEST
_MAX_PIECES: Final = 4
_ELITE: Final = 40
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
# Stands for an object whose last name is written twice, which no Python value can be.
_TWICE: Final = '"\\u0001twice":0'

_CALL: Final = {"id": "c1", "type": "function", "function": {"name": "send", "arguments": '{"to": "Ann"}'}}
_SEEDS: Final[tuple[Any, ...]] = (
    0, -1.5, 7e300, True, None, "", "a", " ", "é", "\\", '"', "\n", "[", '{"a":', "2026-01-05", "12,5 €", "$1,250.00",
    "Ann", "a@b.test", "and ", "if ", "the other ", "1 2 ", {}, [], [[]], {"a": 0}, {"type": "text", "text": "Send."},
    {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
    {"enum": ["a", "b"], "pattern": "(a+)+$"}, {"$ref": "#"}, {"anyOf": [{"type": "string"}, {"type": "null"}]},
    {"items": {}, "uniqueItems": True}, {"name": "send", "parameters": {"type": "object"}}, {"tools": []},
    {"role": "user", "content": "Send it to Ann."}, {"role": "tool", "tool_call_id": "c1", "content": "[1, 2]"},
    {"role": "assistant", "content": "Yes.", "tool_calls": [_CALL]}, _CALL,
    {"tool": "send", "arguments": {"to": "Ann"}, "outcome": '[{"id": 1, "name": "Ann"}]'},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}},
    {"type": "tool_use", "id": "t1", "name": "send", "input": {}}, {"kind": "memory", "name": "m", "text": "Ann"},
)  # fmt: skip


def _names(piece: Any, count: int) -> Any:
    return {f"n{number}": piece for number in range(count)}


def _numbered(piece: Any, count: int) -> Any:
    """Copies that differ in their first text, as names and ids must."""
    if not isinstance(piece, dict):
        return [f"{piece}{number}" for number in range(count)]
    first = next((name for name in ("id", "name", "tool_call_id") if name in piece), "name")
    return [{**piece, first: f"{piece.get(first)}{number}"} for number in range(count)]


def _nested(piece: Any, count: int) -> Any:
    for level in range(min(count, 500)):
        piece = [piece] if level % 2 else {"a": piece}
    return piece


BLOWN_UP: Final[Mapping[str, Callable[[Any, int], Any]]] = MappingProxyType(
    {
        "once": lambda piece, count: piece,
        "items": lambda piece, count: [piece] * count,
        "numbered": _numbered,
        "names": _names,
        "names twice": lambda piece, count: {**_names(piece, count), "\1twice": 0},
        "depth": _nested,
        "text": lambda piece, count: (piece if isinstance(piece, str) else json.dumps(piece)) * count,
        "json in a text": lambda piece, count: json.dumps([piece] * count),
        "lists of lists": lambda piece, count: [[piece] * int(count**0.5)] * int(count**0.5),
    }
)
"""The dimensions in which a piece grows."""
_SINGLE: Final = frozenset({"once", "depth"})
"""Those in which it is not repeated."""


@dataclass(frozen=True)
class Piece:
    """Something that is put somewhere, so many times."""

    place: tuple[str | int, ...]
    seed: int
    dimension: str
    count: int
    inner: str = "once"
    inner_count: int = 1

    @property
    def least_bytes(self) -> int:
        """No fewer than these in a body. What would be far too large is not made: it would take all memory."""
        counts = ((self.inner, self.inner_count), (self.dimension, self.count))
        copies = math.prod(count for dimension, count in counts if dimension not in _SINGLE)
        # Without the quotes of a text, which is repeated without them.
        return copies * max(1, len(json.dumps(_SEEDS[self.seed], ensure_ascii=False)) - 2)

    @property
    def value(self) -> Any:
        """What it puts there, and what another piece may be put into."""
        return BLOWN_UP[self.dimension](BLOWN_UP[self.inner](deepcopy(_SEEDS[self.seed]), self.inner_count), self.count)


@dataclass(frozen=True)
class Recipe:
    """A submission and what is put into it."""

    base: str
    pieces: tuple[Piece, ...] = ()

    @property
    def kind(self) -> tuple[object, ...]:
        """Recipes of one kind compete for one place among those that are kept."""
        return self.base, frozenset((piece.place, piece.dimension, piece.inner) for piece in self.pieces)

    def body(self) -> bytes:
        """The body it makes; empty where that would be too large, or too deep."""
        if sum(piece.least_bytes for piece in self.pieces) > _FAR_TOO_LARGE:
            return b""
        value = json.loads(BASES[self.base]())
        for piece in self.pieces:
            _put(value, piece.place, piece.value)
        body = _write(value).replace(_TWICE, '"n0":0').encode()
        return body if len(body) <= LARGEST else b""


def _write(value: Any) -> str:
    """The JSON text; empty where it would be too large, or deeper than can be written."""
    # Part by part: what stands in something that is repeated is written as often, which may be gigabytes.
    parts, length = [], 0
    try:
        for part in _ENCODER.iterencode(value):
            parts.append(part)
            length += len(part)
            if length > LARGEST:
                return ""
    except RecursionError:
        return ""
    return "".join(parts)


def search(dice: random.Random, cost: Callable[[bytes], float], *, running: Callable[[], bool]) -> Iterator[bytes]:
    """The bodies tried, each dearer than all of its kind before it. Ends when it no longer is `running`."""
    kept: dict[tuple[object, ...], tuple[float, Recipe]] = {}
    while running():
        elite = sorted(kept.values(), key=lambda entry: -entry[0])[:_ELITE]
        # Anew now and then, lest everything descend from the first few.
        parent = dice.choice(elite)[1] if elite and dice.random() < 0.8 else Recipe(dice.choice(list(BASES)))
        child = changed(parent, dice.choice(elite)[1] if elite else parent, dice)
        if not (body := child.body()):
            continue
        score = cost(body)
        if score > kept.get(child.kind, (0.0, child))[0]:
            kept[child.kind] = score, child
            yield body


def changed(recipe: Recipe, other: Recipe, dice: random.Random) -> Recipe:
    """A recipe made of this one, perhaps with a piece of another."""
    pieces = list(recipe.pieces)
    match dice.choice(("more", "more", "grown", "grown", "changed", "mixed", "fewer")):
        case "grown" if pieces:
            at = dice.randrange(len(pieces))
            pieces[at] = replace(pieces[at], count=max(1, int(pieces[at].count * dice.choice((0.5, 2, 4)))))
        case "changed" if pieces:
            at = dice.randrange(len(pieces))
            pieces[at] = replace(_piece(recipe.base, dice), place=pieces[at].place)
        case "mixed" if other.base == recipe.base:
            pieces += other.pieces
        case "fewer" if pieces:
            pieces.pop(dice.randrange(len(pieces)))
        case _:
            pieces.append(_piece(recipe.base, dice))
    return replace(recipe, pieces=tuple(pieces[-_MAX_PIECES:]))


def _piece(base: str, dice: random.Random) -> Piece:
    places = list(_places(json.loads(BASES[base]())))
    inner = dice.choice(list(BLOWN_UP)) if dice.random() < 0.4 else "once"
    count, inner_count = (int(10 ** dice.uniform(0, most)) for most in (5.5, 3))
    return Piece(
        dice.choice(places), dice.randrange(len(_SEEDS)), dice.choice(list(BLOWN_UP)), count, inner, inner_count
    )


def _places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where something can stand: in each member, and beside the members of each object and list."""
    if isinstance(value, dict):
        yield (*at, "other")
        for name, member in value.items():
            yield (*at, name)
            yield from _places(member, (*at, name))
    if isinstance(value, list):
        # Behind the last one stands what is spliced in.
        yield (*at, len(value))
        for number, member in enumerate(value):
            yield from _places(member, (*at, number))


def _put(value: Any, place: tuple[str | int, ...], new: Any) -> None:
    *way, last = place
    for key in way:
        # Another piece may stand where this one's place was.
        inside = isinstance(value, dict) and key in value
        if not inside and not (isinstance(value, list) and isinstance(key, int) and key < len(value)):
            return
        value = value[key]
    if isinstance(value, list) and isinstance(last, int):
        value[last:] = new if isinstance(new, list) else [new]
    elif isinstance(value, dict):
        value[last] = new
