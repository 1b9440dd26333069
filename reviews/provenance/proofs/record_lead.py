"""What a request names a record by, and whether the words lead to that record and to nothing else."""

from dataclasses import dataclass
from itertools import islice

from reviews.provenance.data.sources import Cell
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.parameter_field import gives_other_value, names_of_field
from reviews.provenance.proofs.phrase import (
    POSSESSIVE,
    end_of_noun,
    ends_phrase,
    is_covered,
    is_labelled,
    prepositions_before,
)
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.unused_places import unused_places
from reviews.provenance.proofs.whole_message import currencies_behind
from reviews.provenance.proofs.words import (
    ARTICLES,
    PREPOSITIONS,
    TOWARDS,
    documented_nouns,
    labels_in,
    labels_of,
    nouns_behind,
)
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import NamedRecord, is_name_like, may_be_cut, name_of_field
from reviews.provenance.text.boundaries import Place, find_occurrences, overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import root_of, roots_of, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.identifiers import is_identifier, is_opaque

# Places of the value in one result that are looked at: what stands in more rows is no record's own.
_MAX_PLACES = 16
# Words of a field that may be a name of its record: a letter that mentions somebody does not name that person.
_MAX_NAME_WORDS = 4
# Characters that are searched through for one step of the budget.
_CHARACTERS_A_STEP = 64
# What a field that identifies something is called at its end.
_ID = "id"
# Prepositions that say whom something comes from or goes to.
_PARTS = frozenset({"from", "by", "to", "for", "into"})


@dataclass(frozen=True, slots=True)
class Lead:
    """What names the record of a field."""

    record: NamedRecord
    described: tuple[Place, ...]
    """Where the request says which of several records below the named one is meant, and what else it names with it."""

    @property
    def places(self) -> tuple[Place, ...]:
        """Where its words stand."""
        return self.record.place, *self.described

    def stretch_from_verb(self, cell: Cell, call: ProposedCall, request: Request) -> Place | None:
        """From the tool's verb to the record's name, if known words alone lead there: the tool's and the fields'.

        "The manager of Ann" names Ann's record as well, and means somebody else, whatever fields that record has.
        """
        (start, last), folded = self.record.place, call.text.folded
        if not request.end <= start < request.sentence.end or overlaps(call.taken, start, last):
            return None
        keys = (*cell.kind, *cell.field, *(self.record.cell.field if self.record.cell else ()))
        known_roots = call.known_words.union(*map(roots_of, keys))
        end = max(stop for _, stop in self.places)
        # What names the records of other values has been read for them.
        places = (*self.places, *call.names, *currencies_behind(call))
        possession = POSSESSIVE.match(folded, last)
        if possession:
            # Whose it is says which record only where the record has one name, and its noun follows.
            noun_end = end_of_noun(max(end, possession.end()), call, known_roots)
            if noun_end is None or not self.record.is_named_by_name or POSSESSIVE.match(folded, noun_end):
                return None
            places, end = (*places, possession.span()), noun_end
        is_read = ends_phrase(end, call) and is_covered((request.end, end), call, places, known_roots)
        return (request.end, end) if is_read else None

    def has_role(self, leaf: Leaf, cell: Cell, call: ProposedCall) -> bool:
        """Whether the words say which part of the call the record has, where its field does not: "from Savings"."""
        if (self.record.record != cell.record or _is_of_another(cell)) and not self._leads_on(call):
            return False
        if self._leads_to_another(leaf, cell, call):
            return False
        whole, names = stems_of(leaf.name), [name for name in names_of_field(cell) if name]
        if whole in names or whole - PREPOSITIONS not in names:
            return True
        return is_labelled(leaf, *self.record.place, call, of_record=True) is True

    def _leads_on(self, call: ProposedCall) -> bool:
        """Whether the name leads to something that the record has: "the account of Ann", and not "the user Ann"."""
        start, end = self.record.place
        return any(prepositions_before(start, call)) or POSSESSIVE.match(call.text.folded, end) is not None

    def _leads_to_another(self, leaf: Leaf, cell: Cell, call: ProposedCall) -> bool:
        """Whether a noun of the record's own kind leads to its name: "the user of Ann Lee" is another one than she."""
        if not self.record.is_named_by_name or self.record.record != cell.record:
            return False
        words = [word for word in words_in(call.text.folded[: self.record.place[0]]) if word not in ARTICLES]
        leading = PREPOSITIONS.intersection(words[-1:]) - TOWARDS - labels_in(leaf.name, call)
        return bool(leading) and not _kinds_of(cell).isdisjoint(map(root_of, words[-2:-1]))

    def has_other_part(self, leaf: Leaf, call: ProposedCall) -> bool:
        """Whether a preposition gives the name a part that its field may not have: a parcel "from Ann" is none to her.

        What has a name of its own is itself, a code names it whatever stands before, and the tool's document may have
        the preposition before the same noun: "to the lead Orbis".
        """
        record, key = self.record, self.record.key.span
        leading, quote = next(prepositions_before(record.place[0], call), ""), fold(key.quote)
        if leading not in _PARTS or is_opaque(quote) or is_identifier(quote) or record.is_named_by_name:
            return False
        if any(
            (first, stem_of(noun)) in documented_nouns(call) and stem_of(noun) in labels_of(leaf.name)
            for first, noun, (_, end) in nouns_behind(call.text.folded)
            if end + 1 == record.place[0]
        ):
            return False
        # What a look-up was made with is no field.
        cell = record.text.cell_at(key) if key.source == record.text.source.id else None
        return cell is not None and not any(leading in tokens_of(name) for name in cell.field)

    def names_thing(self, leaf: Leaf, call: ProposedCall) -> bool:
        """Whether the words name the record itself, and no other one may have them: whoever reports a user is none.

        What a record has but one of it may be told by: "the account of Ann Lee", "the crate from Mo Abel".
        """
        record, cell = self.record, self.record.cell
        results = call.evidence.results_of(record.text) if record.is_named_in_part else ()
        if any(may_be_cut(result, call.text) for result in results):
            return False
        is_named = record.is_called_by(call.nouns_of(record.text, cell.kind if cell else ()), stems_of(leaf.name))
        if is_named or cell is None:
            return is_named
        leading = next(prepositions_before(record.place[0], call), "")
        own = {token for key in cell.field for token in tokens_of(key)}
        said = set(words_in(call.text.folded[: record.place[0]]))
        names = [other for other in cell.text.cells_of(cell.record) if is_name_like(other.value)]
        is_owner = POSSESSIVE.match(call.text.folded, record.place[1]) is not None
        # Who made something, or is reported to, does not have it.
        is_had = leading == "of" and names == [cell] and own.isdisjoint(PREPOSITIONS)
        return not own.isdisjoint(said) or leading in own or is_had or is_owner

    def has_rival_value(self, leaf: Leaf, call: ProposedCall) -> bool:
        """Whether the latest request holds another value of the kind, which names no record and no argument takes up.

        Who writes "to ann@example.org" means that address, whatever a record says; a record may have been planted.
        """
        if kind_of(leaf) is Kind.TEXT:
            return False
        if "@" in leaf.text and "@" in self.record.words:
            return True
        named = (*call.names, *self.places)
        return any(not overlaps(named, *place) for place in unused_places(leaf, call))

    def has_rival_record(self, leaf: Leaf, cell: Cell, call: ProposedCall) -> bool:
        """Whether something else that the same words name gives the parameter another value, in any kind of record.

        One of the two may have been planted. Where a whole result was looked up by the words, they name all of it.
        """
        for result in call.evidence.data:
            call.evidence.budget.spend(1 + len(result.folded) // _CHARACTERS_A_STEP)
            document, words = result.document, self.record.words
            places = islice(find_occurrences(result.folded, words), _MAX_PLACES)
            naming = filter(None, (result.cell_at(result.span(at, at + len(words))) for at in places))
            named = {part.record for part in naming if len(words_in(fold(part.value))) <= _MAX_NAME_WORDS}
            if any(lookup.words == words for lookup in call.looked_up_names([result])):
                call.evidence.budget.spend(len(document.starts))
                named.update(map(document.record_of, range(len(document.starts))))
            if result is cell.text:
                named.discard(cell.record)
            if any(gives_other_value(result.cells_of(record), leaf, call) for record in named):
                return True
        return False


def _is_of_another(cell: Cell) -> bool:
    """Whether a field identifies another thing than its record, which has an identifier of its own: who wrote it."""
    *noun, last = tokens_of(name_of_field(cell.field)) or ("",)
    kinds = _kinds_of(cell)
    names = (tokens_of(name_of_field(other.field)) for other in cell.text.cells_of(cell.record))
    own = any(name[-1:] == (_ID,) and kinds.issuperset(map(root_of, name[:-1])) for name in names)
    return last == _ID and own and not kinds.issuperset(map(root_of, noun))


def _kinds_of(cell: Cell) -> frozenset[str]:
    """The roots of the words by which look-up and list tell what the field's record is."""
    return roots_of(" ".join((cell.text.step.tool if cell.text.step else "", *cell.kind)))
