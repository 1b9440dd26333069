"""The value is a field of the one record that a key in the user's words names.

Sound because: the key's values are all different among the records of its kind, in every result of the tool, and the
user's words hold one of them whole (or a word of a name that no other has); no other record of the kind is named, or
the parameter's own name or preposition stands before the key; of several records below the named one a word says which,
in a phrase of known words from the tool's verb to the noun; what takes several takes all that are named; and the field
is called like the parameter, or like it but for the preposition that stands before the name, or is the only one of its
record that is written like the value. Beside the record's identifier its other fields are meant where it is what the
tool works on, and the message says nothing else. A name is one record's where nothing narrowed the look-up but what the
user says.
Assumes: what the user calls a record by is what its key says. "The blue one" is no key, and two Daniels are a question.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from reviews.provenance.data.sources import Cell, SourceText
from reviews.provenance.proofs.call import Establishment, ProposedCall, establish_term
from reviews.provenance.proofs.outdated_record import is_outdated
from reviews.provenance.proofs.parameter_field import is_field_of_leaf
from reviews.provenance.proofs.phrase import is_labelled
from reviews.provenance.proofs.record_lead import IDENTIFYING, Lead, kinds_of
from reviews.provenance.proofs.record_role import has_other_part, has_role
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.units import has_unsaid_unit
from reviews.provenance.proofs.whole_message import find_unread
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import NamedRecord, is_name_of_thing, name_of_field, unsaid_arguments
from reviews.provenance.terms.search import cells_with, is_echoed
from reviews.provenance.terms.terms import Field
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place, find_occurrences, overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import is_plural, root_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in

RULE = "proofs.named_record"
# Records of one parent among which a word may tell one apart: nobody describes one of a hundred by a word.
_MAX_SIBLINGS = 100


def establish_leaf(leaf: Leaf, call: ProposedCall, request: Request | None) -> Establishment | None:
    """The proof of a value in a record that is named alone."""
    if kind_of(leaf) in (Kind.NOTHING, Kind.OPTION) or isinstance(leaf.value, bool) or request is None:
        return None
    # What the request says itself is for what part it says, whatever a record holds: "from room 12".
    if any(request.end <= mention.place[0] < request.sentence.end for mention in mentions_of(leaf, call.text)):
        return None
    # What repeats a look-up's own words is known from the agent alone.
    results = (text for text in call.evidence.data if not is_echoed(leaf, text) and not _quotes_records(text))
    for cell in chain.from_iterable(cells_with(leaf, text) for text in results):
        call.evidence.budget.spend()
        if has_unsaid_unit(leaf, call, name_of_field(cell.field)) or not is_field_of_leaf(leaf, cell, call, request):
            continue
        if proof := next(filter(None, map(_prove_field, _leads_of(cell, leaf, call, request))), None):
            return proof
    return None


def _quotes_records(text: SourceText) -> bool:
    """Whether a record stands in the midst of a text for people, who may have got it from anybody."""
    return "{" in text.folded and not text.folded.lstrip().startswith(("{", "["))


def _prove_field(lead: Lead) -> Establishment | None:
    """The proof of a field whose record this names, if the request means that record and says no other value."""
    stretch = lead.stretch_from_verb()
    if stretch is None or not has_role(lead) or not lead.names_thing():
        return None
    leaf, cell, call, record, key = lead.leaf, lead.cell, lead.call, lead.record, lead.record.key
    if has_other_part(lead):
        # It names the record all the same.
        call.note_name(record.place, [record.place])
        return None
    if lead.has_rival_value() or lead.has_rival_record() or is_outdated(leaf, record, cell, call):
        return None
    note = f"A field of the one record that the request names: “{key.span.quote[:60]}”."
    words = (key.by_span, *(call.text.span(*place) for place in lead.described))
    proof = establish_term(RULE, note, Field(cell.span, (key,)), words, leaf=leaf, call=call)
    if proof:
        call.note_name(stretch, lead.places)
    return proof if not (_may_mean_else(lead) or _may_have_namesakes(lead)) else None


def _may_have_namesakes(lead: Lead) -> bool:
    """Whether the record is called by a name of which the look-up may have left out another.

    "Cancel Standup" may mean tomorrow's, where only today's events are known.
    """
    record = lead.record
    if record.cell is None or IDENTIFYING.search(record.words):
        return False
    return any(unsaid_arguments(record.text, lead.call.evidence))


def _may_mean_else(lead: Lead) -> bool:
    """Whether the call has the record's identifier beside this field, and the message says more, or acts on another.

    Whoever ships an order "to me", or pays an invoice "with the discount", means no address or amount of its own; nor
    does who transfers money to an account.
    """
    cell, call, kinds = lead.cell, lead.call, kinds_of(lead.cell)
    if not kinds.isdisjoint(map(root_of, tokens_of(name_of_field(cell.field)))):
        return False
    identifying = (part for part in cell.text.cells_of(cell.record) if is_name_of_thing(part.field, kinds))
    values = {fold(part.value) for part in identifying if part != cell}
    others = (leaf for leaf in call.decisive if leaf.pointer != lead.leaf.pointer)
    names = [leaf.name for leaf in others if leaf.folded in values]
    is_thing = any(is_name_of_thing((name,), call.things) for name in names)
    return bool(names) and (not is_thing or find_unread(lead.request, call) is not None)


def _leads_of(cell: Cell, leaf: Leaf, call: ProposedCall, request: Request) -> Iterator[Lead]:
    """What names the record of the field, or one around it; with where the request says which of several it is."""
    text, document, record = cell.text, cell.text.document, cell.record
    described: tuple[Place, ...] = ()
    while True:
        names = [name for name in call.named_records(text, document.kind_of(record)) if name.key.span != cell.span]
        for name, beside in _keep_sole((text.source.id, record), names, leaf, call):
            yield Lead(name, (*described, *beside), leaf, cell, call, request)
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
        yield Lead(name, (*described, *beside), leaf, cell, call, request)


def _find_description(text: SourceText, record: int, siblings: Sequence[int], request: Request) -> Place | None:
    """Where the request says a field of the record whose values are all different among its siblings.

    By itself such a word is no key. Between a name and its noun it is: "Daniel's savings account".
    """
    if len(siblings) > _MAX_SIBLINGS:
        return None
    counterparts = [cell for sibling in siblings for cell in text.cells_of(sibling)]
    for cell in text.cells_of(record):
        value = fold(cell.value)
        values = [fold(counterpart.value) for counterpart in counterparts if counterpart.field == cell.field]
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
        rivalling = (argument for argument in call.rivals_of(leaf) if argument.text != leaf.text)
        namesakes = (argument for argument in rivalling if stems_of(argument.name) & stems_of(leaf.name))
        if label or (label is None and (is_listed or not rivals) and not any(namesakes)):
            yield name, tuple(rival.place for rival in rivals) if is_listed else ()


def _is_enumerated(name: NamedRecord, rivals: Sequence[NamedRecord], leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the names stand in one list with "and", each for a call of its own, or all in a list of this one.

    A quantity might be shared out, and what takes several takes all of them.
    """
    if any(kind_of(argument) is Kind.NUMBER for argument in call.decisive):
        return False
    values = [{cell.value for cell in rival.text.cells_of(rival.record)} for rival in rivals]
    listed = {element.text for element in call.leaves_by_path[path_of(leaf.pointer)]}
    takes_several = path_of(leaf.pointer) != leaf.pointer or any(map(is_plural, tokens_of(leaf.name)[-1:]))
    if takes_several and any(map(listed.isdisjoint, values)):
        return False
    # One of them is not meant for another part of the same call.
    if any(argument.text in record_values for record_values in values for argument in call.rivals_of(leaf)):
        return False
    places = sorted({name.place, *(rival.place for rival in rivals)})
    joints = [words_in(call.text.folded[end:start]) for (_, end), (start, _) in pairwise(places)]
    return bool(joints) and joints[-1] == ("and",) and all(words in ((), ("and",)) for words in joints)
