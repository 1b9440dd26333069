"""Whether the context singles out the record that a value stands in, among all records of its kind.

The words of the user, of what the user agreed to, and the other arguments of the same call qualify records. A value is
singled out when its record has a qualification that each rival lacks, and lacks none that a rival has. What was said
last counts before what was said earlier: a long conversation speaks of many things.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from reviews.provenance.core.budget import Budget
from reviews.provenance.records.collections import Collections, Document, Marks, Place, compared
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.parts import SOURCE, part_of_parameter
from reviews.provenance.values.identifier import is_identifier
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.number import number_of

_SHOWN = 8
"""Rivals that are named."""
_FEW = 40
"""Rivals up to which what other results say of them is looked up as well."""
_SHORTEST_LINK = 3
"""Characters of an argument from which it can tie another to its record."""
_LONG_NUMBER = 6
"""Digits from which a number identifies a thing rather than counting things."""
_MIXED = 2
"""How many arguments more must stand in another record before this value counts as taken from the wrong one."""
_DEEPEST_CHAIN = 3
"""Look-ups that may rest on one another before the chain back to the user counts as lost."""


class Standing(StrEnum):
    """How a value stands among those of its kind."""

    ABSENT = "no field of any record"
    ALONE = "the only one of its kind"
    NAMED = "told apart from every rival"
    BEATEN = "a rival meets everything that this one meets, and more"
    TIED = "nothing tells it apart from a rival"


@dataclass(frozen=True)
class Singled:
    """The answer for one value."""

    standing: Standing
    place: Place | None = None
    rivals: tuple[Place, ...] = ()
    """Those that beat it, or that nothing tells it apart from."""
    words: tuple[str, ...] = ()
    """What speaks for the value, or for the rival where one beats it."""


@dataclass(frozen=True)
class Words:
    """The words at hand that can qualify a record."""

    all: tuple[str, ...]
    latest: frozenset[str]
    """Those of the last exchange."""


@dataclass(frozen=True)
class Pointing:
    """The records of one context, held against the words and arguments of one call."""

    collections: Collections
    words: Words
    links: Mapping[str, str] = field(default_factory=dict)
    """By JSON Pointer, the arguments of the call that may stand in a record."""
    listed: frozenset[str] = frozenset()
    """Pointers of the arguments that are items of a list: several may be named at once."""
    targets: frozenset[str] = frozenset()
    """Words of the last message that a preposition makes the target: "to Bo"."""
    traced: frozenset[str] = frozenset()
    """Values, folded, that the user gave or agreed to: a look-up made with one belongs to the request."""
    budget: Budget = field(default_factory=Budget)
    _chain: dict[int, bool] = field(default_factory=dict, compare=False)

    def judge(self, leaf: Leaf, proven: Iterable[str]) -> Singled:
        """How the value stands. `proven` are pointers of arguments whose own provenance is established."""
        places = self.collections.places(leaf.folded, number_of(leaf.value))
        if not places:
            return Singled(Standing.ABSENT)
        held = [self.links[pointer] for pointer in proven if pointer != leaf.pointer and pointer in self.links]
        tied = self._bits(value for value in held if value != leaf.folded)
        taken = {value for pointer, value in self.links.items() if pointer != leaf.pointer}
        # What another argument uses is spoken for.
        rivals = self._by_value(rival for rival in self.collections.rivals(places) if rival.value not in taken)
        if not rivals:
            fetched = any(not place.echoed and self._belongs(place.document) for place in places)
            return Singled(Standing.ALONE if fetched else Standing.TIED, places[0])
        wide = self._compare(places, rivals, self._bits(self.words.all) | tied, leaf)
        near = self._compare(places, rivals, self._bits(self.words.latest) | tied, leaf)
        aimed = self._aimed(places, rivals, leaf)
        return aimed if aimed and None in (near[0], wide[0]) else _joined(near, wide)

    def _aimed(self, places: Sequence[Place], rivals: Mapping[str, list[Place]], leaf: Leaf) -> Singled | None:
        """Of several that are named: whether this one, or another, is the one the action is to reach."""
        if part_of_parameter(leaf.name, leaf.description) == SOURCE or not self.targets:
            return None
        bits = self._bits(self.targets)
        mine = max((mask & bits for _, mask in self._masks(places)), key=_count, default=0)
        aimed = [place for stands in rivals.values() for place, mask in self._masks(stands) if mask & bits & ~mine]
        if mine and (not aimed or all(mine & ~self._marks.of(place) for place in aimed)):
            return self._singled(Standing.NAMED, places[0], [], mine)
        return self._singled(Standing.BEATEN, places[0], aimed, bits) if aimed and not mine else None

    def mixed(self, leaf: Leaf) -> Singled | None:
        """The rival in whose record most of the other arguments stand, while none stands in this value's."""
        places = self.collections.places(leaf.folded, number_of(leaf.value))
        rivals = self._by_value(self.collections.rivals(places)) if places else {}
        others = [value for p, value in self.links.items() if p != leaf.pointer and value != leaf.folded]
        # What a call writes into a record need not stand there yet; an identifier is tied by identifiers alone.
        every = self._bits(value for value in others if is_identifier(value) or not is_identifier(leaf.text))
        mine = max((mask & every for _, mask in self._masks(places)), key=_count, default=0)
        for stands in rivals.values():
            self.budget.spend()
            for place, mask in self._masks(stands):
                if _count(mask & every & ~mine) >= _MIXED + _count(mine & ~mask):
                    return self._singled(Standing.BEATEN, place, [place], mask & every & ~mine)
        return None

    @cached_property
    def _marks(self) -> Marks:
        return Marks(tuple(dict.fromkeys((*self.words.all, *self.links.values()))))

    def _bits(self, words: Iterable[str]) -> int:
        found = 0
        for word in words:
            found |= self._marks.bits.get(word, 0)
        return found

    def _compare(
        self, places: Sequence[Place], rivals: Mapping[str, list[Place]], bits: int, leaf: Leaf
    ) -> tuple[Standing | None, Singled]:
        """The standing by these words; None where both have words that the other lacks."""
        best, mine = max(
            ((place, mask & bits) for place, mask in self._masks(places)), key=lambda pair: _count(pair[1])
        )
        better, equal = list[tuple[Place, int]](), list[tuple[Place, int]]()
        mixed, own = False, 0
        few = len(rivals) <= _FEW
        for value, stands in rivals.items():
            self.budget.spend()
            known = [*stands, *self.collections.places(value)] if few else stands
            for place, mask in self._masks(known):
                plus, minus = mine & ~mask, mask & bits & ~mine
                own |= plus
                if not plus:
                    (better if minus else equal).append((place, minus))
                mixed = mixed or bool(plus and minus)
        if better:
            return Standing.BEATEN, self._singled(Standing.BEATEN, best, [place for place, _ in better], better[0][1])
        if equal:
            return Standing.TIED, self._singled(Standing.TIED, best, [place for place, _ in equal], 0)
        named = self._singled(Standing.NAMED, best, [], own)
        return (None if mixed and leaf.pointer not in self.listed else Standing.NAMED), named

    def _masks(self, places: Sequence[Place]) -> list[tuple[Place, int]]:
        """The words that qualify a value: of all its places together, unless records of one kind share it."""
        if not places or len({(place.document.tool, place.pattern) for place in places}) < len(places):
            return [(place, self._marks.of(place)) for place in places]
        together = 0
        for place in places:
            together |= self._marks.of(place)
        return [(places[0], together)]

    def _singled(self, standing: Standing, place: Place, rivals: Sequence[Place], bits: int) -> Singled:
        words = tuple(word for word, bit in self._marks.bits.items() if bit & bits)
        unique = {rival.value: rival for rival in rivals}
        return Singled(standing, place, tuple(unique.values())[:_SHOWN], words[:_SHOWN])

    @staticmethod
    def _by_value(rivals: Iterable[Place]) -> dict[str, list[Place]]:
        found: dict[str, list[Place]] = {}
        for rival in rivals:
            found.setdefault(rival.value, []).append(rival)
        return found

    def _belongs(self, document: Document, depth: int = 0) -> bool:
        """Whether a result answers a call that the request leads to: each key it was made with has a source.

        Other values, such as a code or an option that the words stand for, need not all be traced, but not all be
        without a source either.
        """
        if id(document) not in self._chain:
            led = {value: self._led(value, document, depth) for value in document.arguments}
            keys = all(led[value] for value in led if is_identifier(value))
            self._chain[id(document)] = keys and (not led or any(led.values()))
        return self._chain[id(document)]

    def _led(self, value: str, document: Document, depth: int) -> bool:
        if value in self.traced or len(value) < _SHORTEST_LINK or _narrows(value):
            return True
        if depth >= _DEEPEST_CHAIN:
            return False
        at = self.collections.documents.index(document)
        # Documents come the latest first: a key must have been there before it was used.
        earlier = Collections(self.collections.documents[at + 1 :])
        places = [place for place in earlier.places(value) if not place.echoed]
        alone = places and next(iter(earlier.rivals(places)), None) is None
        if alone:
            return any(self._belongs(place.document, depth + 1) for place in places)
        if not places:
            return False
        standing, _ = self._compare(
            places, self._by_value(earlier.rivals(places)), self._bits(self.words.all), Leaf(value)
        )
        return standing is Standing.NAMED


def _narrows(value: str) -> bool:
    """Whether a value only bounds a look-up, as a day, a time or a count does, and identifies nothing."""
    return moment_of(value) is not None or (value.isdigit() and len(value) < _LONG_NUMBER)


def link_values(leaves: Iterable[Leaf]) -> dict[str, str]:
    """The arguments that can tie others to a record."""
    return {leaf.pointer: compared(leaf.text) for leaf in leaves if len(leaf.text) >= _SHORTEST_LINK}


def _count(mask: int) -> int:
    return mask.bit_count()


def _joined(near: tuple[Standing | None, Singled], wide: tuple[Standing | None, Singled]) -> Singled:
    """The last exchange decides where it tells; what was said before may only contradict it."""
    (latest, one), (ever, other) = near, wide
    if latest is Standing.TIED or latest is None:
        return other if ever in (Standing.NAMED, Standing.BEATEN, Standing.TIED) else _open(other)
    contradicting = {Standing.NAMED: Standing.BEATEN, Standing.BEATEN: Standing.NAMED}[latest]
    if ever is contradicting or (latest is Standing.BEATEN and ever is None):
        return _open(other)
    return one


def _open(singled: Singled) -> Singled:
    return Singled(Standing.TIED, singled.place, singled.rivals)
