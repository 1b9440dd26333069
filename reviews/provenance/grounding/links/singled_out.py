"""Whether the context singles out the record that a value stands in, among all records of its kind.

The words of the user, of what the user agreed to, and the other arguments of the same call qualify records. A value is
singled out when its record has a qualification that each rival lacks, and lacks none that a rival has. What was said
last counts before what was said earlier: a long conversation speaks of many things.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from reviews.provenance.core.budget import Budget
from reviews.provenance.records.collections import Collections, Document, Marks, Place, compared
from reviews.provenance.records.keys import linked_words
from reviews.provenance.records.tree import Pattern
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.parts import SOURCE, part_of_parameter
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.stems import stem
from reviews.provenance.values.identifier import is_identifier
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.number import number_of

# Rivals that are named.
_SHOWN = 8
# Values of a collection up to which what other results say of them is looked up as well.
_FEW = 40
# Values of a column from which it is worth not to read them all.
_LONG = 120
# Values of one qualification that are kept: more than a call has arguments that may be among them.
_KEPT = 80
# Arguments that may tie others to a record: of a list of thousands none does.
_MOST_LINKS = 64
# Characters of an argument from which it can tie another to its record.
_SHORTEST_LINK = 3
# Digits from which a number identifies a thing rather than counting things.
_LONG_NUMBER = 6
# How many arguments more must stand in another record before this value counts as taken from the wrong one.
_MIXED = 2
# Look-ups that may rest on one another before the chain back to the user counts as lost.
_DEEPEST_CHAIN = 3


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
    is_mixed: bool = False
    """Whether words are said of this one that are said of no rival, and the other way round."""

    @property
    def has_parts(self) -> bool:
        """Whether a rival stands in the same record: another part of one thing, not another thing."""
        place = self.place
        return place is not None and any(
            rival.document is place.document
            and place.document.tree.records[rival.scalar] == place.document.tree.records[place.scalar]
            for rival in self.rivals
        )


@dataclass(frozen=True)
class Words:
    """The words at hand that can qualify a record."""

    all: tuple[str, ...]
    latest: frozenset[str]
    """Those of the last exchange."""
    owners: frozenset[str] = frozenset()
    """Those that the last message says in the possessive: "Nadia's"."""


# Values of one kind by the words that qualify them, as bits.
_Rivals: TypeAlias = Mapping[int, list[Place]]


@dataclass(frozen=True)
class Pointing:
    """The records of one context, held against the words and arguments of one call."""

    collections: Collections
    words: Words
    links: Mapping[str, str] = field(default_factory=dict)
    """By JSON Pointer, the arguments of the call that may stand in a record."""
    values: frozenset[str] = frozenset()
    """Every argument's value, folded: words that stand in one are said of it."""
    listed: frozenset[str] = frozenset()
    """Pointers of the arguments that are items of a list: several may be named at once."""
    targets: frozenset[str] = frozenset()
    """Words of the last message that a preposition makes the target: "to Bo"."""
    traced: frozenset[str] = frozenset()
    """Values, folded, that the user gave or agreed to: a look-up made with one belongs to the request."""
    spelled: Mapping[str, str] = field(default_factory=dict, compare=False)
    """By word or value, as it is compared, how the user or the call writes it."""
    budget: Budget = field(default_factory=Budget)
    linked: Mapping[tuple[int, int], int] | None = None
    """By document and record, the words of the records that it is linked to by a key; None where they do not count."""
    _chain: dict[int, bool] = field(default_factory=dict, compare=False)
    _earlier: dict[int, Collections] = field(default_factory=dict, compare=False)
    _meant: dict[tuple[str, frozenset[tuple[str, Pattern]]], int] = field(default_factory=dict, compare=False)
    _tables: dict[tuple[object, ...], dict[int, list[Place]]] = field(default_factory=dict, compare=False)

    def judge(self, leaf: Leaf, proven: Iterable[str]) -> Singled:
        """How the value stands. `proven` are pointers of arguments whose own provenance is established.

        Where nothing tells it from its rivals, the records that it and they are linked to may.
        """
        found = self._by_own_words(leaf, proven)
        if found.standing is not Standing.TIED or self.linked is not None or self._with_keys is None:
            return found
        linked = self._with_keys.judge(leaf, proven)
        return linked if linked.standing in (Standing.NAMED, Standing.BEATEN) else found

    @cached_property
    def _with_keys(self) -> "Pointing | None":
        """The same with the words of linked records; None where no record is linked to another."""
        linked = linked_words(self.collections, self._marks, named=self._is_dialogue)
        return replace(self, linked=linked, _meant={}, _tables={}) if linked else None

    def _by_own_words(self, leaf: Leaf, proven: Iterable[str]) -> Singled:
        places = self.collections.places(leaf.folded, number_of(leaf.value))
        if not places:
            return Singled(Standing.ABSENT)
        others = {value for pointer, value in self.links.items() if pointer != leaf.pointer}
        held = {self.links[pointer] for pointer in proven if pointer in self.links} & others - {leaf.folded}
        tied = self._bits(value for value in held if _ties(value, leaf))
        # What another argument uses is spoken for, however short it is.
        rivals = self._led_rivals(places, self._rivals(self.collections, places, others | self.values - {leaf.folded}))
        if not rivals:
            fetched = any(not place.echoed and self._belongs(place.document) for place in places)
            return Singled(Standing.ALONE if fetched else Standing.TIED, places[0])
        explained = self._explained(places, (others | self.values) - {leaf.folded})
        # "Add it to the file" says of what kind the thing of a "file_id" is, and not which.
        kind = self._bits(map(stem, tokens_of(leaf.name)[:1])) if leaf.name.lower().endswith("id") else 0
        every, latest = (self._bits(words) & ~kind | tied for words in (self.words.all, self.words.latest))
        wide, near = (self._compare(places, rivals, bits, leaf, explained) for bits in (every, latest))
        # "Share Nadia's calendar with Leo": whose it is goes before with whom.
        given = self._bits(others) & ~self._bits(self.words.owners)
        if None in (near[0], wide[0]) and self._bits(self.words.owners) & latest and given:
            wide, near = (self._compare(places, rivals, bits & ~given, leaf, explained) for bits in (every, latest))
        aimed = self._aimed(places, rivals, leaf, explained | kind)
        return aimed if aimed and None in (near[0], wide[0]) else _joined(near, wide)

    def mixed(self, leaf: Leaf) -> Singled | None:
        """The rival in whose record more of the other arguments stand, by two at least, than in this value's."""
        places = self.collections.places(leaf.folded, number_of(leaf.value))
        others = {value for p, value in self.links.items() if p != leaf.pointer and value != leaf.folded}
        every = self._bits(value for value in others if _ties(value, leaf))
        if not places or _count(every) < _MIXED:
            return None
        mine = max((mask & every for _, mask in self._masks(places)), key=_count)
        for mask, stands in self._rivals(self.collections, places, others).items():
            if _count(mask & every & ~mine) >= _MIXED + _count(mine & ~mask):
                return self._singled(Standing.BEATEN, stands[0], stands[:1], mask & every & ~mine)
        return None

    def _explained(self, places: Sequence[Place], others: Collection[str]) -> int:
        """The words of other arguments, and those that qualify them in the same collection: they may be meant there."""
        kinds = frozenset((place.document.tool, place.pattern) for place in places)
        found = 0
        for value in others:
            if (value, kinds) not in self._meant:
                self.budget.spend()
                alike = [each for each in self.collections.places(value) if (each.document.tool, each.pattern) in kinds]
                mask = self._bits(map(stem, words_of(value)))
                for _, qualifying in self._masks(alike):
                    mask |= qualifying
                self._meant[value, kinds] = mask
            found |= self._meant[value, kinds]
        return found

    def _aimed(self, places: Sequence[Place], rivals: _Rivals, leaf: Leaf, explained: int) -> Singled | None:
        """Of several that are named: whether this one, or another, is the one the action is to reach."""
        if part_of_parameter(leaf.name, leaf.description) == SOURCE or not self.targets:
            return None
        bits = self._bits(self.targets) & ~explained
        mine = max((mask & bits for _, mask in self._masks(places)), key=_count)
        aimed = {mask: stands for mask, stands in rivals.items() if mask & bits & ~mine}
        if mine and all(mine & ~mask for mask in aimed):
            return self._singled(Standing.NAMED, places[0], [], mine)
        reached = [place for stands in aimed.values() for place in stands]
        return self._singled(Standing.BEATEN, places[0], reached, bits) if aimed and not mine else None

    def _rivals(self, collections: Collections, places: Sequence[Place], taken: set[str]) -> _Rivals:
        """The other values of the collections that these places are in, by the words that qualify them."""
        out = taken | {place.value for place in places}
        found: dict[int, list[Place]] = {}
        for mask, stands in self._table(collections, places).items():
            if left := [place for place in stands if place.value not in out]:
                found[mask] = left
        return found

    def _led_rivals(self, places: Sequence[Place], rivals: _Rivals) -> _Rivals:
        """Without those of results that the request does not lead to, where it leads to this value's."""
        if self._is_dialogue:
            # A long conversation leads to many results, by words that were said of other things.
            return rivals
        keyed = [place.document for place in places if any(map(is_identifier, place.document.arguments))]
        if not any(self._belongs(document) for document in keyed):
            return rivals
        left = {mask: [place for place in stands if self._belongs(place.document)] for mask, stands in rivals.items()}
        return {mask: stands for mask, stands in left.items() if stands}

    def _table(self, collections: Collections, places: Sequence[Place]) -> _Rivals:
        """Every value of the collections. A long list has few different qualifications: some of each are kept."""
        key = (id(collections), *dict.fromkeys((place.document.tool, place.pattern) for place in places))
        if key not in self._tables and (long := self._of_long_column(collections, places)):
            self._tables[key] = long
        if key not in self._tables:
            by_value: dict[str, list[Place]] = {}
            for place in collections.alike(places):
                by_value.setdefault(place.value, []).append(place)
            table: dict[int, list[Place]] = {}
            for value, stands in by_value.items():
                self.budget.spend()
                # What other results say of a value is looked up where its collection is small.
                known = [*stands, *collections.places(value)] if len(by_value) <= _FEW else stands
                alike = list(dict.fromkeys(known)) if len(known) > 1 else known
                for place, mask in self._masks(alike) if len(alike) > 1 else ((alike[0], self._marks.of(alike[0])),):
                    kept = table.setdefault(mask, [])
                    kept += [place] if len(kept) < _KEPT else []
            self._tables[key] = table
        return self._tables[key]

    def _of_long_column(self, collections: Collections, places: Sequence[Place]) -> dict[int, list[Place]]:
        """The same for the many values of one column, of which only those that are kept are read; nothing for few."""
        column = collections.column(places)
        if sum(len(scalars) for _, scalars in column) <= _LONG or not self._has_many(column):
            return {}
        table: dict[int, list[Place]] = {}
        for document, scalars in column:
            self.budget.spend(len(scalars))
            for mask, alike in self._marks.by_words(document, scalars, _KEPT).items():
                kept = table.setdefault(mask, [])
                kept += [Place(document, scalar) for scalar in alike[: _KEPT - len(kept)]]
        return table

    @staticmethod
    def _has_many(column: Sequence[tuple[Document, Sequence[int]]]) -> bool:
        """Whether it has more values than those of which other results are asked."""
        different: set[str] = set()
        for document, scalars in column:
            for scalar in scalars:
                different.add(document.value(scalar))
                if len(different) > _FEW:
                    return True
        return False

    @cached_property
    def _marks(self) -> Marks:
        words = tuple(dict.fromkeys((*self.words.all, *self.links.values())))
        return Marks(words, self.targets, self.linked or {})

    @cached_property
    def _of_keys(self) -> int:
        """Words of keys, such as "order": a long conversation says them of everything that it speaks of."""
        keys = {key for document in self.collections.documents for path in document.tree.paths for key in path}
        return self._bits({stem(word) for key in keys for word in words_of(key)})

    def _bits(self, words: Iterable[str]) -> int:
        found = 0
        for word in words:
            found |= self._marks.bits.get(word, 0)
        return found

    @property
    def _is_dialogue(self) -> bool:
        return self.words.latest != frozenset(self.words.all)

    def _compare(
        self, places: Sequence[Place], rivals: _Rivals, bits: int, leaf: Leaf, explained: int = 0
    ) -> tuple[Standing | None, Singled]:
        """The standing by these words; None where both have words that the other lacks.

        Words that are `explained` by another argument speak for no rival.
        """
        best, mine = max(
            ((place, mask & bits) for place, mask in self._masks(places)), key=lambda pair: _count(pair[1])
        )
        better, equal = list[Place](), list[Place]()
        mixed, own, theirs = False, 0, 0
        for mask, stands in rivals.items():
            self.budget.spend()
            plus, minus = mine & ~mask, mask & bits & ~mine & ~explained
            minus = minus & ~self._of_keys if self._is_dialogue else minus
            own |= plus
            mixed = mixed or bool(plus and minus)
            if not plus:
                (better if minus else equal).extend(stands)
                theirs = theirs or minus
        if better:
            return Standing.BEATEN, self._singled(Standing.BEATEN, best, better, theirs)
        if equal:
            return Standing.TIED, self._singled(Standing.TIED, best, equal, 0)
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
        words = tuple(self.spelled.get(word, word) for word, bit in self._marks.bits.items() if bit & bits)
        unique = {rival.value: rival for rival in rivals}
        return Singled(standing, place, tuple(unique.values())[:_SHOWN], words[:_SHOWN])

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
        earlier = self._earlier.setdefault(at, Collections(self.collections.documents[at + 1 :]))
        places = [place for place in earlier.places(value) if not place.echoed]
        if not places:
            return False
        rivals = self._rivals(earlier, places, set())
        if not rivals:
            return any(self._belongs(place.document, depth + 1) for place in places)
        return self._compare(places, rivals, self._bits(self.words.all), Leaf(value))[0] is Standing.NAMED


def _ties(value: str, leaf: Leaf) -> bool:
    """Whether another argument can tie this one to a record.

    What a call writes into a record need not stand there yet: an identifier is tied by identifiers alone.
    """
    return is_identifier(value) or not is_identifier(leaf.text)


def _narrows(value: str) -> bool:
    """Whether a value only bounds a look-up, as a day, a time or a count does, and identifies nothing."""
    return moment_of(value) is not None or (value.isdigit() and len(value) < _LONG_NUMBER)


def link_values(leaves: Iterable[Leaf]) -> dict[str, str]:
    """The arguments that can tie others to a record."""
    telling = (leaf for leaf in leaves if len(leaf.text) >= _SHORTEST_LINK)
    return {leaf.pointer: compared(leaf.text) for leaf in islice(telling, _MOST_LINKS)}


def _count(mask: int) -> int:
    return mask.bit_count()


def _joined(near: tuple[Standing | None, Singled], wide: tuple[Standing | None, Singled]) -> Singled:
    """The last exchange decides where it tells; what was said before may only contradict it."""
    (latest, one), (ever, other) = near, wide
    if latest is Standing.TIED or latest is None:
        # That another was named earlier by itself does not mean that it is meant now; a description of it may be.
        named = {word for rival in other.rivals for word in (rival.value, *words_of(rival.value))}
        described = ever is Standing.BEATEN and not named.issuperset(map(fold, other.words))
        return other if ever in (Standing.NAMED, Standing.TIED) or described else _open(other)
    contradicting = {Standing.NAMED: Standing.BEATEN, Standing.BEATEN: Standing.NAMED}[latest]
    if ever is contradicting or (latest is Standing.BEATEN and ever is None):
        return _open(other)
    return one


def _open(singled: Singled) -> Singled:
    mixed = singled.standing is Standing.NAMED
    return Singled(Standing.TIED, singled.place, singled.rivals, is_mixed=mixed)
