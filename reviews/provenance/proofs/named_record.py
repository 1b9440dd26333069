"""The value is a field of the one record that a key in the user's words names.

Sound because: the key's values are all different among the records of its kind, in every result of the tool, and the
user's words hold one of them whole (or a word of a name that no other has); no other record of the kind is named, or
the parameter's own name or preposition stands before the key; of several records below the named one a word says which,
in a phrase of known words from the tool's verb to the noun; what takes several takes all that are named; and the field
is called like the parameter, or like it but for the preposition that stands before the name, or is the only one of its
record that is written like the value.
Assumes: what the user calls a record by is what its key says. "The blue one" is no key, and two Daniels are a question.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.sources import Cell, SourceText
from reviews.provenance.proofs.call import Establishment, ProposedCall
from reviews.provenance.proofs.outdated_record import is_outdated
from reviews.provenance.proofs.parameter_field import gives_other_value, is_field_of_leaf, names_of_field
from reviews.provenance.proofs.phrase import (
    POSSESSIVE,
    end_of_noun,
    ends_phrase,
    is_covered,
    is_labelled,
    prepositions_before,
)
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.sole_reading import unused_places
from reviews.provenance.proofs.units import has_unsaid_unit
from reviews.provenance.proofs.whole_message import currencies_behind
from reviews.provenance.proofs.words import PREPOSITIONS, documented_nouns, labels_of, nouns_behind
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import NamedRecord, is_name_like, may_be_cut, name_of_field
from reviews.provenance.terms.search import cells_with
from reviews.provenance.terms.terms import Field
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.terms.verify import Verified, verify_term
from reviews.provenance.text.boundaries import Place, find_occurrences, overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import is_plural, roots_of, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.identifiers import is_identifier, is_opaque

RULE = "proofs.named_record"
# Places of the value in one result that are looked at: what stands in more rows is no record's own.
_MAX_PLACES = 16
# Records of one parent among which a word may tell one apart: nobody describes one of a hundred by a word.
_MAX_SIBLINGS = 100
# Words of a field that may be a name of its record: a letter that mentions somebody does not name that person.
_MAX_NAME_WORDS = 4
# Characters that are searched through for one step of the budget.
_CHARACTERS_A_STEP = 64
# Prepositions that say whom something comes from or goes to.
_PARTS = frozenset({"from", "by", "to", "for", "into"})


@dataclass(frozen=True, slots=True)
class _Lead:
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
        whole, names = stems_of(leaf.name), [name for name in names_of_field(cell) if name]
        if whole in names or whole - PREPOSITIONS not in names:
            return True
        return is_labelled(leaf, *self.record.place, call, of_record=True) is True

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
        return not own.isdisjoint(said) or leading in own or (leading == "of" and names == [cell])

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


def establish_leaf(leaf: Leaf, call: ProposedCall, request: Request | None) -> Establishment | None:
    """The proof of a value in a record that is named alone."""
    if kind_of(leaf) in (Kind.NOTHING, Kind.OPTION) or isinstance(leaf.value, bool) or request is None:
        return None
    # What the request says itself is for what part it says, whatever a record holds: "from room 12".
    if any(request.end <= said.place[0] < request.sentence.end for said in mentions_of(leaf, call.text)):
        return None
    for cell in chain.from_iterable(cells_with(leaf, text) for text in call.evidence.data):
        call.evidence.budget.spend()
        if has_unsaid_unit(leaf, call, name_of_field(cell.field)) or not is_field_of_leaf(leaf, cell, request):
            continue
        for lead in _leads_of(cell, leaf, call, request):
            if proof := _prove_field(leaf, cell, lead, call, request):
                return proof
    return None


def _prove_field(leaf: Leaf, cell: Cell, lead: _Lead, call: ProposedCall, request: Request) -> Establishment | None:
    """The proof of a field whose record this names, if the request means that record and says no other value."""
    stretch = lead.stretch_from_verb(cell, call, request)
    if stretch is None or not lead.has_role(leaf, cell, call) or not lead.names_thing(leaf, call):
        return None
    if lead.has_other_part(leaf, call):
        # It names the record all the same.
        call.note_name(lead.record.place, [lead.record.place])
        return None
    if (
        lead.has_rival_value(leaf, call)
        or lead.has_rival_record(leaf, cell, call)
        or is_outdated(leaf, lead.record, call)
    ):
        return None
    key = lead.record.key
    term = Field(cell.span, (key,))
    outcome = verify_term(term, leaf, call.evidence)
    if not isinstance(outcome, Verified):
        return None
    call.note_name(stretch, lead.places)
    note = f"A field of the one record that the request names: “{key.span.quote[:60]}”."
    words = (call.text.span(*place) for place in lead.described)
    spans = tuple(dict.fromkeys((*outcome.spans, key.by_span, *words)))
    return Establishment(RULE, note, Grounding.RESOLVE, spans, term)


def _leads_of(cell: Cell, leaf: Leaf, call: ProposedCall, request: Request) -> Iterator[_Lead]:
    """What names the record of the field, or one around it; with where the request says which of several it is."""
    text, document, record = cell.text, cell.text.document, cell.record
    own = (cell.span.start, cell.span.end)
    described: tuple[Place, ...] = ()
    while True:
        named = call.named_records(text, document.kind_of(record))
        names = [name for name in named if (name.key.span.start, name.key.span.end) != own]
        for name, beside in _keep_sole((text.source.id, record), names, leaf, call):
            yield _Lead(name, (*described, *beside))
        parent = document.parents[record]
        if parent < 0:
            break
        records = document.records_of_kind(document.kind_of(record))
        siblings = [sibling for sibling in records if document.parents[sibling] == parent]
        call.evidence.budget.spend(1 + len(siblings))
        if len(siblings) > 1:
            description = _find_description(text, record, siblings, request)
            if description is None:
                return
            described = (*described, description)
        record = parent
    looked_up = call.looked_up_names(call.evidence.results_of(text))
    for name, beside in _keep_sole((text.source.id, record), looked_up, leaf, call):
        yield _Lead(name, (*described, *beside))


def _find_description(text: SourceText, record: int, siblings: Sequence[int], request: Request) -> Place | None:
    """Where the request says a field of the record whose values are all different among its siblings.

    By itself such a word is no key. Between a name and its noun it is: "Daniel's savings account".
    """
    if len(siblings) > _MAX_SIBLINGS:
        return None
    counterparts = [cell for sibling in siblings for cell in text.cells_of(sibling)]
    for cell in text.cells_of(record):
        value, values = fold(cell.value), [fold(other.value) for other in counterparts if other.field == cell.field]
        if not value.isalpha() or len(set(values)) < len(values):
            continue
        places = find_occurrences(request.text.folded, value)
        start = next((at for at in places if request.end <= at < request.sentence.end), None)
        if start is not None:
            return start, start + len(value)
    return None


def _keep_sole(
    wanted: tuple[str, int], names: Sequence[NamedRecord], leaf: Leaf, call: ProposedCall
) -> Iterator[tuple[NamedRecord, tuple[Place, ...]]]:
    """The record's name, if no other record is named, or if the parameter's own name stands before this one.

    With it the names that stand in one list with it.
    """
    rivals = [rival for rival in names if rival.identity != wanted]
    for name in (name for name in names if name.identity == wanted):
        is_listed = _is_enumerated(name, rivals, leaf, call)
        # The same words name them both, whatever stands before.
        is_shared = any(overlaps([rival.place], *name.place) for rival in rivals)
        if is_shared and not is_listed:
            continue
        label = is_labelled(leaf, *name.place, call, of_record=True)
        # Another parameter of a like name may take the same kind of value from data.
        rivalling = (other for other in call.rivals_of(leaf) if other.text != leaf.text)
        namesakes = (other for other in rivalling if stems_of(other.name) & stems_of(leaf.name))
        if label or (label is None and (is_listed or not rivals) and not any(namesakes)):
            yield name, tuple(rival.place for rival in rivals) if is_listed else ()


def _is_enumerated(name: NamedRecord, rivals: Sequence[NamedRecord], leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the names stand in one list with "and", each for a call of its own, or all in a list of this one.

    A quantity might be shared out, and what takes several takes all of them.
    """
    if any(kind_of(other) is Kind.NUMBER for other in call.decisive):
        return False
    if path_of(leaf.pointer) != leaf.pointer or any(map(is_plural, tokens_of(leaf.name)[-1:])):
        listed = {other.text for other in call.leaves_by_path[path_of(leaf.pointer)]}
        if any(listed.isdisjoint(cell.value for cell in rival.text.cells_of(rival.record)) for rival in rivals):
            return False
    places = sorted({name.place, *(rival.place for rival in rivals)})
    joints = [words_in(call.text.folded[end:start]) for (_, end), (start, _) in pairwise(places)]
    return bool(joints) and joints[-1] == ("and",) and all(words in ((), ("and",)) for words in joints)
