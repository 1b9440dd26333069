"""Records of one kind over everything that was looked up, and which of the words at hand qualify each of them.

A collection is every value under one pattern of keys in all results of one tool: two orders that were fetched one after
the other are two of one collection. What qualifies a value are the fields of its record, those of the records it lies
in, the keys that lead to it, and what the call was asked with that the result answers.
"""

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, reduce
from itertools import chain, islice
from operator import or_

from ahocorasick_rs import AhoCorasick

from reviews.provenance.core.context import Span
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.lazy_mapping import Lookup
from reviews.provenance.records.tree import ANY, Pattern, Tree
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.roots import root
from reviews.provenance.text.stems import stem
from reviews.provenance.values.moment import MONTHS, WEEKDAYS
from reviews.provenance.values.number import may_say, number_of

MOST_WORDS = 1200
"""Words that are looked for: a conversation has some hundreds that name anything."""
# Places of one value that are looked at: what stands more often is a category and singles nothing out.
_MOST_PLACES = 64
# Values of one collection that are compared.
_MOST_RIVALS = 5000
# Half a surrogate pair, which an escape may spell and the automaton does not take.
_HALF = re.compile("[\ud800-\udfff]")
# A word of the request also finds its plural: "invoice" the field "invoices".
_PLURAL = re.compile(r"(?:e?s)?(?![^\W_])")
# A noun with its number, as the words of a request have it.
_NUMBERED = re.compile(r" (?:\d{1,2}|[a-z])$")
# A time of day, as words have it.
_TIME = re.compile(r"\d\d:\d\d")
# Words that tables shorten to their first letters.
_OF_THE_CALENDAR = frozenset(map(stem, (*MONTHS, *WEEKDAYS)))
# What says that a record has what a key names.
_YES = frozenset("true yes y x \u2713 \u2714 ja oui si sim da \u662f \u306f\u3044".split())
# A word of a language that puts no spaces between words.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
# Characters of a field whose words may name its record; longer ones are prose that mentions many things.
_LONGEST_NAME = 80


@dataclass(frozen=True)
class Document:
    """One looked-up text, read as a tree, with the call that it answers."""

    text: Indexed
    tool: str
    """What returned it."""
    arguments: tuple[str, ...] = ()
    """The folded values that the call was made with."""

    @cached_property
    def tree(self) -> Tree:
        """Its values."""
        return self.text.tree

    def value(self, scalar: int) -> str:
        """A scalar as it is compared."""
        return self.text.folded_between(self.tree.starts[scalar], self.tree.ends[scalar])

    def span(self, scalar: int) -> Span:
        """Where a scalar stands."""
        return self.text.raw_span(self.tree.starts[scalar], self.tree.ends[scalar])

    def pattern(self, scalar: int) -> Pattern:
        """The keys that lead to a scalar."""
        return self.tree.paths[self.tree.patterns[scalar]]

    @cached_property
    def by_pattern(self) -> Mapping[Pattern, "array[int]"]:
        """The scalars under each pattern, in the order of the first of each."""
        found = [array("I") for _ in self.tree.paths]
        for scalar, number in enumerate(self.tree.patterns):
            found[number].append(scalar)
        return {self.tree.paths[number]: found[number] for number in dict.fromkeys(self.tree.patterns)}

    @cached_property
    def numbers(self) -> Mapping[Decimal, Sequence[int]]:
        """The scalars that are each number."""
        return Lookup(lambda number: may_say(self.text.folded.text, number), self._read_numbers)

    def _read_numbers(self) -> dict[Decimal, list[int]]:
        found: dict[Decimal, list[int]] = {}
        for scalar in range(len(self.tree.starts)):
            if (number := number_of(self.value(scalar))) is not None:
                found.setdefault(number, []).append(scalar)
        return found

    def holding(self, folded: str, number: Decimal | None = None) -> list[int]:
        """The scalars that are this value; of a number those that write it in any way."""
        if number is not None:
            return list(self.numbers.get(number, ()))[:_MOST_PLACES]
        whole, found = self.text.folded.text, list[int]()
        at = whole.find(folded) if folded else -1
        while at >= 0 and len(found) < _MOST_PLACES:
            scalar = self.tree.at(*self.text.folded.raw(at, at + len(folded)))
            if scalar is not None and self.value(scalar) == folded:
                found.append(scalar)
            at = whole.find(folded, at + len(folded))
        return found


@dataclass(eq=False)
class Place:
    """A scalar of a document. There is one for each value of a collection, and a collection may have thousands."""

    document: Document
    scalar: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.scalar == other.scalar and self.document is other.document

    def __hash__(self) -> int:
        # A document's own hash would read all of its text.
        return hash((id(self.document), self.scalar))

    @property
    def pattern(self) -> Pattern:
        """The keys that lead to it."""
        return self.document.pattern(self.scalar)

    @cached_property
    def value(self) -> str:
        """As it is compared."""
        return self.document.value(self.scalar)

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.document.span(self.scalar)

    @property
    def echoed(self) -> bool:
        """Whether the call that returned it was made with it: then it says no more than the agent did."""
        return self.value in self.document.arguments


@dataclass
class Marks:
    """Which of a list of words each document's scalars and records hold, as bits."""

    words: tuple[str, ...]
    becoming: frozenset[str] = frozenset()
    """Those of the words that say what something is to become: "mark it as paid" is not said of what is paid."""
    linked: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """By document and record, words that it has from the records it is linked to."""
    _read: dict[int, tuple[dict[int, int], dict[int, dict[int, int]]]] = field(default_factory=dict)
    _led: dict[tuple[int, int], int] = field(default_factory=dict)
    """By document and pattern, the words of its keys and of what the document was asked for with."""

    _around: dict[tuple[int, int | None], dict[int, int]] = field(default_factory=dict)
    """By document and the pattern left out, for each record the words of it, of those it lies in and those in it."""
    _keys: dict[tuple[int, int], int] = field(default_factory=dict)
    """By document and pattern, the words of a field's own key."""
    _inside: dict[int, dict[int, int]] = field(default_factory=dict)
    """By document and record, the words of the records that lie in it: an order is known by its items."""

    @cached_property
    def _spellings(self) -> tuple[tuple[str, int], ...]:
        """How each word may be written, with its number: of days and months also the first three letters."""
        short = ((word[:3], n) for n, word in enumerate(self.words) if word in _OF_THE_CALENDAR)
        # Who says "line 40" means the key "line_40".
        codes = ((word.replace(" ", sign), n) for n, word in enumerate(self.words) if " " in word for sign in "_-")
        # Data write a time behind its day: 2031-02-11T18:00.
        times = ((f"t{word}", n) for n, word in enumerate(self.words) if _TIME.fullmatch(word))
        return (*((word, n) for n, word in enumerate(self.words)), *short, *codes, *times)

    @cached_property
    def _automaton(self) -> AhoCorasick:
        return AhoCorasick([spelling for spelling, _ in self._spellings])

    @cached_property
    def bits(self) -> Mapping[str, int]:
        """The bit of each word."""
        return {word: 1 << n for n, word in enumerate(self.words)}

    def of(self, place: Place) -> int:
        """The words that qualify a value."""
        document, tree = place.document, place.document.tree
        marked, records = self._marked(document)
        own = tree.patterns[place.scalar]
        found = marked.get(place.scalar, 0) | self._leading(document, own)
        if not records and not self.linked:
            return found
        # In a plain list of a record's values each stands for itself.
        alone = own if tree.paths[own][-1:] == (ANY,) else None
        return found | self._around_record(document, tree.records[place.scalar], alone)

    def by_words(self, document: Document, scalars: Sequence[int], most: int) -> dict[int, list[int]]:
        """The first of many values of one pattern for each set of words that qualifies them, as `of` has it."""
        tree, found = document.tree, dict[int, list[int]]()
        marked, _ = self._marked(document)
        pattern = tree.patterns[scalars[0]]
        leading = self._leading(document, pattern)
        alone = pattern if tree.paths[pattern][-1:] == (ANY,) else None
        around = self._around.setdefault((id(document), alone), {})
        for scalar in scalars:
            record = tree.records[scalar]
            if record not in around:
                self._around_record(document, record, alone)
            words = marked.get(scalar, 0) | leading | around[record]
            if words not in found:
                found[words] = [scalar]
            elif len(found[words]) < most:
                found[words].append(scalar)
        return found

    def _around_record(self, document: Document, record: int, alone: int | None) -> int:
        """The words of a record, of those it lies in, those in it, and those it is linked to."""
        around = self._around.setdefault((id(document), alone), {})
        if record not in around:
            _, records = self._marked(document)
            words = self._inside[id(document)].get(record, 0) | self.linked.get((id(document), record), 0)
            for n, each in enumerate(document.tree.line(record)):
                for pattern, mask in records[each].items() if each in records else ():
                    words |= mask if n or pattern != alone else 0
            around[record] = words
        return around[record]

    def by_record(self, document: Document) -> Mapping[int, Mapping[int, int]]:
        """By record and pattern the words of its fields, for the records that have any."""
        return self._marked(document)[1]

    def own(self, place: Place) -> int:
        """The words of the value itself."""
        return self._marked(place.document)[0].get(place.scalar, 0)

    def _leading(self, document: Document, pattern: int) -> int:
        """The words of the keys that lead to a value, and of what its document was asked for with."""
        key = id(document), pattern
        if key not in self._led:
            named = (form for key in document.tree.paths[pattern] if key != ANY for form in self._forms(key))
            asked = (word for value in document.arguments for word in (value, *words_of(value)))
            # What the result says itself of some of its records is not said of all by having been asked for.
            told = reduce(or_, self._marked(document)[0].values(), 0)
            led = reduce(or_, (self.bits.get(word, 0) for word in asked), 0) & ~told
            self._led[key] = reduce(or_, (self.bits.get(word, 0) for word in named), led)
        return self._led[key]

    def _of_key(self, document: Document, pattern: int) -> int:
        """The words of a field's own key, as far as they are said."""
        if (id(document), pattern) not in self._keys:
            key = next((key for key in reversed(document.tree.paths[pattern]) if key != ANY), "")
            self._keys[id(document), pattern] = reduce(or_, (self.bits.get(form, 0) for form in self._forms(key)), 0)
        return self._keys[id(document), pattern]

    def _forms(self, key: str) -> Iterator[str]:
        """The words of a key, and those of the request that share their root: who has "borrowed" is the borrower."""
        for word in words_of(key):
            yield word
            yield from self._by_root.get(root(word), ())

    @cached_property
    def _by_root(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for word in self.words:
            found[root(word)] = (*found.get(root(word), ()), word)
        return found

    def _marked(self, document: Document) -> tuple[dict[int, int], dict[int, dict[int, int]]]:
        if id(document) not in self._read:
            self._read[id(document)] = self._mark(document)
            self._inside[id(document)] = _inside(document.tree, self._read[id(document)][1])
        return self._read[id(document)]

    def _mark(self, document: Document) -> tuple[dict[int, int], dict[int, dict[int, int]]]:
        scalars: dict[int, int] = {}
        records: dict[int, dict[int, int]] = {}
        if not self.words or not document.tree.starts:
            return scalars, records
        view, tree = document.text.folded, document.tree
        text = view.text if view.text.isascii() else _HALF.sub("\N{REPLACEMENT CHARACTER}", view.text)
        for spelling, start, end in self._automaton.find_matches_as_indexes(text, overlapping=True):
            number = self._spellings[spelling][1]
            # Where words have no spaces between them, a name may be followed by another or by a title.
            timed = text[start] == "t" and start > 0 and text[start - 1].isdigit() and ":" in text[start:end]
            inside = (start and text[start - 1].isalnum() and not timed) or not _PLURAL.match(text, end)
            # "Plan-b.txt" is not the "old-plan-b.txt".
            inside = inside or ("-" in self.words[number] and text[max(0, start - 1) : start] in ("-", "_"))
            if inside and not _UNSPACED.fullmatch(self.words[number]):
                continue
            scalar = tree.at(*view.raw(start, end))
            if scalar is None or tree.ends[scalar] - tree.starts[scalar] > _LONGEST_NAME:
                continue
            scalars[scalar] = scalars.get(scalar, 0) | 1 << number
            pattern = tree.patterns[scalar]
            held = records.setdefault(tree.records[scalar], {})
            # "The batch that Tomas owns" says a field and its key: it is not the one that Tomas reviews.
            held[pattern] = held.get(pattern, 0) | 1 << number | self._of_key(document, pattern)
        for number, scalar in chain(self._numbered(document), self._switched_on(document)):
            scalars[scalar] = scalars.get(scalar, 0) | 1 << number
            held = records.setdefault(tree.records[scalar], {})
            held[tree.patterns[scalar]] = held.get(tree.patterns[scalar], 0) | 1 << number
        return scalars, records

    def _switched_on(self, document: Document) -> Iterator[tuple[int, int]]:
        """The fields that say yes under a key that is among the words: "child_seat": true has a child seat."""
        for pattern, scalars in document.by_pattern.items():
            numbers = [n for word in words_of(pattern[-1] if pattern else "") if (n := self._number(word)) is not None]
            for number in numbers:
                yield from ((number, each) for each in scalars if document.value(each) in _YES)

    def _number(self, word: str) -> int | None:
        bit = self.bits.get(stem(word), 0) if stem(word) not in self.becoming else 0
        return bit.bit_length() - 1 if bit else None

    def _numbered(self, document: Document) -> Iterator[tuple[int, int]]:
        """The fields that say a number under the noun that it is said with: "sector 7" and `"sector": 7`."""
        wanted = [(n, word.rpartition(" ")) for n, word in enumerate(self.words) if _NUMBERED.search(word)]
        for pattern, scalars in document.by_pattern.items() if wanted else ():
            named = [key for key in pattern if key != ANY][-2:]
            nouns = {stem(word) for key in named for word in words_of(key)}
            for number, (noun, _, figures) in wanted:
                if noun in nouns:
                    yield from ((number, each) for each in scalars if document.value(each) == figures)


def _inside(tree: Tree, records: Mapping[int, Mapping[int, int]]) -> dict[int, int]:
    """For each record the words of those that lie in it, at whatever depth."""
    found: dict[int, int] = {}
    for record, by_pattern in records.items():
        words = 0
        for mask in by_pattern.values():
            words |= mask
        parent = tree.parents[record]
        while parent >= 0:
            found[parent] = found.get(parent, 0) | words
            parent = tree.parents[parent]
    return found


@dataclass(frozen=True)
class Collections:
    """Every looked-up document."""

    documents: tuple[Document, ...]
    _found: dict[tuple[str, Decimal | None], list[Place]] = field(default_factory=dict, compare=False)

    def places(self, folded: str, number: Decimal | None = None) -> list[Place]:
        """Where a value stands as a field."""
        if (folded, number) not in self._found:
            found = (Place(each, scalar) for each in self.documents for scalar in each.holding(folded, number))
            self._found[folded, number] = list(islice(found, _MOST_PLACES))
        return self._found[folded, number]

    def alike(self, places: Sequence[Place]) -> Iterator[Place]:
        """The values of the collections that these places are in; those of the latest result first."""
        found = (
            Place(document, scalar)
            for tool, pattern in dict.fromkeys((place.document.tool, place.pattern) for place in places)
            for document in self.documents
            if document.tool == tool
            for scalar in self._alike(document, pattern)
        )
        return islice(found, _MOST_RIVALS)

    def column(self, places: Sequence[Place]) -> list[tuple[Document, Sequence[int]]]:
        """By document, the scalars of the one pattern that these places share; none where there are other patterns."""
        kinds = {(place.document.tool, place.pattern) for place in places}
        tool, pattern = next(iter(kinds))
        documents = [document for document in self.documents if document.tool == tool]
        if len(kinds) > 1 or any(_beside(other, pattern) for each in documents for other in each.by_pattern):
            return []
        return [(each, each.by_pattern[pattern][:_MOST_RIVALS]) for each in documents if pattern in each.by_pattern]

    def rivals(self, places: Sequence[Place]) -> Iterator[Place]:
        """The others of those values."""
        own = {place.value for place in places}
        return (place for place in self.alike(places) if place.value not in own)

    @staticmethod
    def _alike(document: Document, pattern: Pattern) -> Iterator[int]:
        """The values under this pattern, and under those that differ from it in the name of one part."""
        for other, scalars in document.by_pattern.items():
            if other == pattern or _beside(other, pattern):
                yield from scalars


def _beside(one: Pattern, other: Pattern) -> bool:
    """Whether two patterns lead to the same field of two parts: `shipping.zip`, `billing.zip`."""
    if len(one) != len(other) or len(one) < 2 or one[-1] != other[-1]:  # noqa: PLR2004
        return False
    differing = [(left, right) for left, right in zip(one, other, strict=True) if left != right]
    return len(differing) == 1 and ANY not in differing[0]


def compared(value: str) -> str:
    """A value as the fields of documents are compared with it."""
    return fold(value).strip()
