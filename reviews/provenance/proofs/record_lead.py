"""What a request names a record by, and whether the words lead to that record and to nothing else."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from reviews.provenance.core.context import leaves
from reviews.provenance.core.pointers import keys_of, name_of
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import Cell, SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.other_meanings import unused_places
from reviews.provenance.proofs.parameter_field import gives_other_value
from reviews.provenance.proofs.phrase import (
    POSSESSIVE,
    ends_phrase,
    is_covered,
    prepositions_before,
)
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.whole_message import currencies_behind
from reviews.provenance.proofs.words import (
    ARTICLES,
    PREPOSITIONS,
    documented_nouns,
    end_of_noun,
)
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import (
    NAMING,
    NamedRecord,
    is_name_like,
    is_name_of_thing,
    may_be_cut,
    name_of_field,
)
from reviews.provenance.terms.search import cells_with
from reviews.provenance.text.boundaries import Place, find_occurrences, overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import READING, local_name, root_of, roots_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in

# Places of the value in one result that are looked at: what stands in more rows is no record's own.
_MAX_PLACES = 16
# Letters of a word of a name by which somebody may be spoken of.
_MIN_LETTERS = 3
# Words of a field that may be a name of its record: a letter that mentions somebody does not name that person.
_MAX_NAME_WORDS = 4
# Characters that are searched through for one step of the budget.
_CHARACTERS_A_STEP = 64
IDENTIFYING: Final = re.compile(r"[\d@]")
# What a field is called that holds what its record is called.
_NAME = "name"
# What a field that identifies something is called at its end.
_ID = "id"


@dataclass(frozen=True)
class Lead:
    """What may name the record of a field that gives a value."""

    record: NamedRecord
    described: tuple[Place, ...]
    """Where the request says which of several records below the named one is meant, and what else it names with it."""
    leaf: Leaf
    cell: Cell
    """The field."""
    call: ProposedCall
    request: Request

    @property
    def places(self) -> tuple[Place, ...]:
        """Where its words stand."""
        return self.record.place, *self.described

    @property
    def possession(self) -> re.Match[str] | None:
        """What says that something is the record's, right behind its name."""
        return POSSESSIVE.match(self.call.text.folded, self.record.place[1])

    @property
    def leading(self) -> str:
        """The nearest preposition that leads to the name; empty where none does."""
        return next(prepositions_before(self.record.place[0], self.call), "")

    def stretch_from_verb(self) -> Place | None:
        """From the tool's verb to the record's name, if known words alone lead there: the tool's and the fields'.

        "The manager of Ann" names Ann's record as well, and means somebody else, whatever fields that record has.
        """
        call, cell, name_cell = self.call, self.cell, self.record.cell
        begin, (start, last) = self.request.end, self.record.place
        if not begin <= start < self.request.sentence.end or overlaps(call.selection_places, start, last):
            return None
        keys = (*cell.kind, *cell.field, *(name_cell.field if name_cell else ()))
        known_roots = call.known_words.union(*map(roots_of, keys))
        end = max(stop for _, stop in self.places)
        # What names the records of other values has been read for them.
        places = (*self.places, *call.names, *currencies_behind(call))
        if possession := self.possession:
            # Whose it is says which record only where the record has one name, and its noun follows.
            noun_end = end_of_noun(max(end, possession.end()), call, known_roots)
            if noun_end is None or not self.record.is_named_by_name or POSSESSIVE.match(call.text.folded, noun_end):
                return None
            # What has a name of its own is that: "Ann's email M-1" is no address of hers.
            if call.is_used(noun_end + 1, noun_end + 2):
                return None
            places, end = (*places, possession.span()), noun_end
        is_read = ends_phrase(end, call) and is_covered((begin, end), call, places, known_roots)
        return (begin, end) if is_read else None

    def names_thing(self) -> bool:
        """Whether the words name the record itself, and no other one may have them: whoever reports a user is none.

        What a record has but one of it may be told by: "the account of Ann Lee", "the crate from Mo Abel".
        """
        record, cell, call = self.record, self.record.cell, self.call
        results = call.evidence.results_of(record.text) if record.is_named_in_part else ()
        if self._is_of_unsaid_thing() or any(may_be_cut(result, call.text) for result in results):
            return False
        nouns = call.nouns_of(record.text, cell.kind if cell else ())
        is_named = record.is_called_by(nouns, stems_of(self.leaf.name))
        if is_named and self._has_other_name(nouns):
            return False
        if is_named or cell is None:
            return is_named
        folded, start, leading = call.text.folded, record.place[0], self.leading
        field_words = {token for key in cell.field for token in tokens_of(key)}
        names = [part for part in cell.text.cells_of(cell.record) if is_name_like(part.value)]
        before, telling = [word for word in words_in(folded[:start]) if word not in ARTICLES], field_words - NAMING
        # Who made something, or is reported to, does not have it, nor has who guarantees a loan the account in it.
        is_thing = not kinds_of(cell).isdisjoint(map(root_of, words_in(folded[self.request.end : start])))
        is_had = before[-1:] == ["of"] and names == [cell] and field_words.isdisjoint(PREPOSITIONS) and is_thing
        # "The owner of the file Ann Lee" is no file.
        is_said = telling <= set(before[-len(telling) :])
        return is_said or leading in field_words or is_had or self.possession is not None

    def _has_other_name(self, nouns: frozenset[str]) -> bool:
        """Whether the record is called by another name than the words, which are its company's or its subject."""
        cell = self.record.cell
        if cell is None or len(words_in(self.record.words)) == 1 or _NAME in tokens_of(name_of_field(cell.field)):
            return False
        siblings = cell.text.cells_of(cell.record)
        names = (part for part in siblings if tokens_of(name_of_field(part.field))[-1:] == (_NAME,))
        return any(is_name_of_thing(part.field, nouns) and fold(part.value) != self.record.words for part in names)

    def _is_of_unsaid_thing(self) -> bool:
        """Whether the record is of another thing than the words name, and nobody speaks of it: the fee of an invoice.

        It has an identifier of its own, or was looked up by that of something else than the look-up is called by. A
        figure is a credit's, and not the invoice's, wherever that one is the only identifier.
        """
        text, cell, call = self.record.text, self.record.cell, self.call
        nouns = (kinds_of(cell) if cell else roots_of(text.step.tool if text.step else "")) - READING
        if cell and kind_of(self.leaf) is not Kind.NUMBER:
            is_another = is_of_another(cell)
        else:
            arguments = leaves(dict(text.step.arguments)) if text.step else ()
            names = [name_of(pointer) for pointer, value in arguments if fold(str(value)) == self.record.words]
            names = [name_of_field(cell.field)] if cell else names
            is_another = any(not nouns.issuperset(map(root_of, set(tokens_of(name)) - NAMING)) for name in names)
        # Whoever refunds an order speaks of no refund.
        behind = words_in(call.text.folded[self.request.end : self.request.sentence.end])
        words = (*behind, *tokens_of(local_name(call.tool))[1:])
        known_roots = roots_of(" ".join((*words, *call.document.properties, *call.object_words)))
        return is_another and known_roots.union(root_of(noun) for _, noun in documented_nouns(call)).isdisjoint(nouns)

    def has_rival_value(self) -> bool:
        """Whether the latest request holds another value of the kind, which names no record and no argument takes up.

        Who writes "to ann@example.org" means that address, whatever a record says; a record may have been planted.
        """
        leaf, record_places = self.leaf, (*self.call.names, *self.places)
        if kind_of(leaf) is Kind.TEXT:
            return False
        if ("@" in leaf.text and "@" in self.record.words) or self._is_told_of_elsewhere():
            return True
        return any(not overlaps(record_places, *place) for place in unused_places(leaf, self.call))

    def _is_told_of_elsewhere(self) -> bool:
        """Whether user or agent have said a code that no data has, in a sentence with a word of the name."""
        if kind_of(self.leaf) is not Kind.CODE:
            return False
        names = {word for word in words_in(self.record.words) if len(word) >= _MIN_LETTERS}
        messages = self.call.evidence.of_kind(SourceKind.USER_QUERY, SourceKind.AGENT_MESSAGE)
        return any(
            not _is_in_data(text.folded[start:end], self.call)
            for text in messages
            if text is not self.call.text
            for start, end in (*text.opaque, *text.identifiers)
            if (sentence := text.sentence_at(start)) and not names.isdisjoint(words_in(sentence.text))
        )

    def has_rival_record(self) -> bool:
        """Whether something else that the same words name gives the parameter another value, in any kind of record.

        One of the two may have been planted, or be out of date: the record's own identifier names it as its words do.
        Where a whole result was looked up by one of them, they name all of it.
        """
        identity = self.cell.text.source.id, self.cell.record
        return any(
            gives_other_value(result.cells_of(record), self.leaf, self.call)
            for result in self.call.evidence.data
            for record in set(self._named_again_in(result))
            if (result.source.id, record) != identity
        ) or any(map(self._is_renamed_in, self.call.evidence.data))

    def _is_renamed_in(self, result: SourceText) -> bool:
        """Whether a result of any look-up has the value as its own record's identifier, under another name."""
        name_cell, call = self.record.cell, self.call
        if name_cell is None or kind_of(self.leaf) is not Kind.CODE or not self.record.is_named_by_name:
            return False
        call.evidence.budget.spend(1 + len(result.folded) // _CHARACTERS_A_STEP)
        own = (cell for cell in cells_with(self.leaf, result) if is_name_of_thing(cell.field, kinds_of(cell)))
        siblings = (part for cell in own for part in result.cells_of(cell.record))
        names = {fold(part.value) for part in siblings if part.field[-1:] == name_cell.field[-1:]}
        return not names <= {fold(name_cell.value)}

    def _named_again_in(self, result: SourceText) -> Iterator[int]:
        """The records of a result that the words name, or an identifier of the named record."""
        document, identifiers, call = result.document, self._identifiers, self.call
        call.evidence.budget.spend(1 + (1 + len(identifiers)) * len(result.folded) // _CHARACTERS_A_STEP)
        for words in {self.record.words, *identifiers}:
            places = islice(find_occurrences(result.folded, words), _MAX_PLACES)
            for part in filter(None, (result.cell_at(result.span(at, at + len(words))) for at in places)):
                value = fold(part.value)
                is_identifier = value == words and is_name_of_thing(part.field, kinds_of(part))
                may_be_name = words not in identifiers and len(words_in(value)) <= _MAX_NAME_WORDS
                if may_be_name or (words in identifiers and is_identifier):
                    yield part.record
        arguments = leaves(dict(result.step.arguments)) if result.step else ()
        kinds = roots_of(result.step.tool if result.step else "")
        identifying = (pointer for pointer, value in arguments if fold(str(value)) in identifiers)
        is_own = any(is_name_of_thing(keys_of(pointer)[-1:], kinds) for pointer in identifying)
        if is_own or any(lookup.words == self.record.words for lookup in call.looked_up_names([result])):
            call.evidence.budget.spend(len(document.starts))
            yield from map(document.record_of, range(len(document.starts)))

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        """The record's own addresses and what else has figures, folded, but for what the words name it by."""
        cells = self.record.text.cells_of(self.record.record) if self.record.cell else ()
        identifying = (cell for cell in cells if is_name_of_thing(cell.field, kinds_of(cell)))
        values = (fold(cell.value) for cell in identifying if name_of_field(cell.field))
        return frozenset(value for value in values if IDENTIFYING.search(value)) - {self.record.words}


def _is_in_data(words: str, call: ProposedCall) -> bool:
    call.evidence.budget.spend(1 + sum(len(text.folded) for text in call.evidence.data) // _CHARACTERS_A_STEP)
    return any(words in text.folded for text in call.evidence.data)


def is_of_another(cell: Cell) -> bool:
    """Whether a field identifies another thing than its record, which has an identifier of its own: who wrote it."""
    *noun, last = tokens_of(name_of_field(cell.field)) or ("",)
    kinds = kinds_of(cell)
    names = (tokens_of(name_of_field(part.field)) for part in cell.text.cells_of(cell.record))
    is_identified = any(name[-1:] == (_ID,) and kinds.issuperset(map(root_of, name[:-1])) for name in names)
    return last == _ID and is_identified and not kinds.issuperset(map(root_of, noun))


def kinds_of(cell: Cell) -> frozenset[str]:
    """The roots of the words by which look-up and list tell what the field's record is."""
    return roots_of(" ".join((cell.text.step.tool if cell.text.step else "", *cell.kind)))
