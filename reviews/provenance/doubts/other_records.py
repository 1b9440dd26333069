"""The user's words name other records of the kind that the value stands in: which one is meant is a question.

Values are rivals when the same key of records of one kind leads to them, never because they look alike. A list takes
several records: beside an entry whose record is named another one that is named may be missing, and is no rival of it;
a record that another entry has, or that a call before this one took, is neither.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Step, leaves
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.document import ANY, NO_VALUE, Pattern
from reviews.provenance.data.sources import Cell
from reviews.provenance.doubts.doubt import Doubt, Rival
from reviews.provenance.doubts.wording import key_of, quote_cell, quote_words
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import NamedRecord
from reviews.provenance.terms.same_value import same_value
from reviews.provenance.terms.search import fields_with
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.names import READING, local_name, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import is_agreement, words_in
from reviews.provenance.values.numbers import number_of

RULE = "doubts.other_records"
# Rivals that a person is shown: with more, the request has to be made clearer instead.
MAX_RIVALS = 10
# Records that the value stands in and whose neighbours are looked at.
_MAX_PLACES = 4
# Records of the list and fields of each that are compared: of longer lists nobody asks by one word.
_MAX_RECORDS: Final = 200
_MAX_FIELDS: Final = 16
# The latest calls that may have taken a record.
_MAX_STEPS: Final = 32
# Numbers and switches of records stand in a request by chance, but for a number that is called as its field is.
_TELLING: Final = (Kind.TEXT, Kind.CODE)
# Characters of a request whose words are looked through in one step of the budget.
_CHARACTERS_A_STEP: Final = 64
# To look for a field in the request.
_STEPS_A_FIELD: Final = 8
# Characters in which the word before a number stands.
_MAX_WORD: Final = 40
# The last figures of a number that is masked, by which people call a card or an account.
_MASKED: Final = re.compile(r"[*•·.#\s-]{2,}(?P<last>\d{3,6})")


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value whose record is not the only one that is named."""
    beside = _entries_beside(leaf, call)
    for text in call.evidence.data:
        for field in islice(fields_with(leaf, text), _MAX_PLACES):
            if cell := text.cell_at(field.span):
                if entry := _ask_for_entry(leaf, cell, call, beside):
                    return entry
                names = call.named_records(text, cell.kind)
                rival_names = [name for name in names if name.identity != (text.source.id, cell.record)]
                is_named = len(rival_names) < len(names)
                taken = beside | _values_taken(call) if rival_names else beside
                open_names = (name for name in rival_names if not _is_taken(name, cell, taken))
                rivals = tuple(islice(_find_rivals(leaf, cell, open_names), MAX_RIVALS))
                if is_named and path_of(leaf.pointer) != leaf.pointer:
                    # A list has room for all of them: whoever is named besides takes nobody's place.
                    missing = f"The request also names {_name_labels(rivals)}, and the call does not."
                    return Doubt(RULE, f"{missing} Is something left out?") if rivals else None
                if rivals:
                    owner = None if is_named else key_of(cell)
                    return Doubt(RULE, _ask_which(leaf, rivals, owner, is_named=is_named), rivals=rivals)
                if not is_named and (better := _ask_for_better(leaf, cell, call, beside)):
                    return better
    return None


def _entries_beside(leaf: Leaf, call: ProposedCall) -> frozenset[str]:
    """The values of the other entries of the list that the value stands in, folded."""
    path = path_of(leaf.pointer)
    if path == leaf.pointer:
        return frozenset()
    entries = call.leaves_by_path[path]
    call.evidence.budget.spend(len(entries))
    return frozenset(entry.folded for entry in entries if entry.pointer != leaf.pointer)


def _values_taken(call: ProposedCall) -> frozenset[str]:
    """The folded texts that earlier calls were made with which did more than look something up."""
    steps = [step for step in call.evidence.context.history if isinstance(step, Step)][-_MAX_STEPS:]
    deeds = (step for step in steps if READING.isdisjoint(tokens_of(local_name(step.tool))[:1]))
    values = [value for step in deeds for _, value in islice(leaves(dict(step.arguments)), _MAX_FIELDS)]
    call.evidence.budget.spend(1 + len(steps) + len(values))
    return frozenset(fold(value) for value in values if isinstance(value, str) and any(map(str.isalpha, value)))


def _is_taken(name: NamedRecord, cell: Cell, taken: Collection[str]) -> bool:
    """Whether a field of the record has one of these values, and the record of the cell has it in none."""
    if not taken:
        return False
    fields, own_fields = (
        {fold(field.value) for field in islice(text.cells_of(record), _MAX_FIELDS)}
        for text, record in ((name.text, name.record), (cell.text, cell.record))
    )
    name.text.budget.spend(1 + len(fields) + len(own_fields))
    return not (fields - own_fields).isdisjoint(taken)


def _find_rivals(leaf: Leaf, cell: Cell, names: Iterable[NamedRecord]) -> Iterator[Rival]:
    for name in names:
        candidates = (part for part in name.text.cells_of(name.record) if part.field == cell.field)
        if rival := next((part for part in candidates if _may_replace(leaf, part)), None):
            yield Rival(rival.value, (rival.span, name.key.span), name.key.span.quote)


def _may_replace(leaf: Leaf, cell: Cell) -> bool:
    """Whether a field has another value that fits the parameter: what is no number takes no number's place."""
    is_fitting = kind_of(leaf) is not Kind.NUMBER or number_of(cell.value) is not None
    return is_fitting and not same_value(leaf, cell.value)


def _ask_which(leaf: Leaf, rivals: tuple[Rival, ...], owner: Cell | None, *, is_named: bool) -> str:
    labels = _name_labels(rivals)
    if is_named:
        return f"The request's words also fit {labels}. Is “{shorten_text(leaf.text, 40)}” the one that is meant?"
    whose = f"{quote_cell(owner)}'s" if owner else "another record's"
    return f"The request names {labels}; “{shorten_text(leaf.text, 40)}” is {whose}. Is it meant?"


def _name_labels(rivals: tuple[Rival, ...]) -> str:
    return " and ".join(f"“{shorten_text(rival.label, 40)}”" for rival in rivals[:2])


def _ask_for_better(leaf: Leaf, cell: Cell, call: ProposedCall, beside: Collection[str]) -> Doubt | None:
    """Another record of the list has a word of the request where the value's own has another: is that one meant?

    Only one record may have it, only one field may differ so, and the value's own has the word in no field; whatever
    else of the value's record the request says that one has too. Then nothing that is said speaks for the value's
    record rather than for the other.
    """
    if mentions_of(leaf, call.text) or len(cell.text.document.records_of_kind(cell.kind)) > _MAX_RECORDS:
        return None
    fields = _fields_of(cell, cell.record)
    differing = list(_find_differing(fields, cell, call))
    if len(differing) != 1:
        return None
    mentioned = [path for path, field in fields.items() if path != cell.field and _is_said(field, call)]
    [stated] = differing
    rival_fields, counterpart = _fields_of(stated, stated.record), fields[stated.field]
    rival = rival_fields.get(cell.field)
    if rival is None or not _may_replace(leaf, rival) or fold(rival.value) in beside or stated.field in mentioned:
        return None
    if not all(
        path in rival_fields and fold(rival_fields[path].value) == fold(fields[path].value) for path in mentioned
    ):
        return None
    place = mentions_of(_said_leaf(stated), call.text)[0].place
    words = call.text.span(*place)
    # The request may as well mean another field of it: of a flight to Paris no place has to be given.
    if any(set(words_of(words.quote)).issubset(words_of(field.value)) for field in fields.values()):
        return None
    whose = f"whose {_name_field(cell)} is {quote_cell(rival)}"
    name = _name_field(stated)
    contrast = f"Its {name} is {quote_cell(counterpart)}" if counterpart.value not in NO_VALUE else f"It has no {name}"
    note = f"{contrast}; the request says {quote_words(words)}, {whose}. Is that one meant?"
    # Named by what the request says: all values of that record are put right together.
    return Doubt(RULE, note, rivals=(Rival(rival.value, (rival.span, words), stated.value),))


def _ask_for_entry(leaf: Leaf, cell: Cell, call: ProposedCall, beside: Collection[str]) -> Doubt | None:
    """The one other entry of the list in the value's record that the request says, and no value of the call takes."""
    if ANY not in cell.field or mentions_of(leaf, call.text):
        return None
    fields = list(islice(cell.text.cells_of(cell.record), _MAX_RECORDS))
    cell.text.budget.spend(1 + len(fields) * (1 + len(call.text.folded) // _CHARACTERS_A_STEP))
    entries = (field for field in fields if field.field == cell.field and fold(field.value) not in beside)
    # Nearly none is said, and whether one is takes long to tell.
    likely = (entry for entry in entries if fold(entry.value) in call.text.folded and not same_value(leaf, entry.value))
    stated = [entry for entry in likely if _is_said(entry, call, unused=True)]
    if len(stated) != 1 or fold(stated[0].value) in _values_taken(call):
        return None
    own_words = set(leaf.words) - set(words_of(stated[0].value))
    if own_words and own_words <= set(words_of(call.text.folded)):
        # Each of the two is said: "one with 2% and one with oat milk".
        return None
    words = call.text.span(*mentions_of(_said_leaf(stated[0]), call.text)[0].place)
    note = (
        f"The request says {quote_words(words)}, which stands in one list with {quote_cell(cell)}. Is that one meant?"
    )
    return Doubt(RULE, note, rivals=(Rival(stated[0].value, (stated[0].span, words), words.quote),))


def _name_field(cell: Cell) -> str:
    """The keys that lead to a field; an entry of a list is called as the list is."""
    return ".".join(key for key in cell.field if key != ANY) or "value"


def _fields_of(cell: Cell, record: int) -> dict[Pattern, Cell]:
    fields = list(islice(cell.text.cells_of(record), _MAX_FIELDS))
    cell.text.budget.spend(1 + len(fields))
    return {field.field: field for field in fields}


def _find_differing(fields: dict[Pattern, Cell], cell: Cell, call: ProposedCall) -> Iterator[Cell]:
    """The fields of other records that the request says, and in which they differ from the value's own."""
    call.evidence.budget.spend(1 + len(call.text.folded) // _CHARACTERS_A_STEP)
    request_words = set(words_of(call.text.folded))
    for record in cell.text.document.records_of_kind(cell.kind):
        for path, field in _fields_of(cell, record).items() if record != cell.record else ():
            call.evidence.budget.spend()
            # Nearly no field of a list is said, and whether one is takes long to tell.
            if path == cell.field or path not in fields or not request_words.issuperset(words_of(field.value)):
                continue
            if fold(fields[path].value) != fold(field.value) and _is_said(field, call, unused=True):
                yield field


def _is_said(cell: Cell, call: ProposedCall, *, unused: bool = False) -> bool:
    """Whether the request says a field's value, in words that are not the tool's own, and no plain "yes"."""
    leaf = _said_leaf(cell)
    call.evidence.budget.spend(_STEPS_A_FIELD)
    is_telling = leaf.value != cell.value or kind_of(leaf) in _TELLING
    if is_agreement(cell.value) or call.known_words.issuperset(map(stem_of, words_of(cell.value))):
        return False
    places = (
        mention.place for mention in mentions_of(leaf, call.text) if not unused or not call.is_used(*mention.place)
    )
    return any(is_telling or _is_called(cell, start, call) for start, _ in places)


def _is_called(cell: Cell, start: int, call: ProposedCall) -> bool:
    """Whether the word before a number is what the field is called: "size 9"."""
    words = words_in(call.text.folded[max(0, start - _MAX_WORD) : start])
    return (
        kind_of(Leaf(cell.value)) is Kind.NUMBER and bool(words) and stem_of(words[-1]) in stems_of(_name_field(cell))
    )


def _said_leaf(cell: Cell) -> Leaf:
    """What a person says of a field: its value, or of a masked one the figures that are left."""
    masked = _MASKED.fullmatch(cell.value.strip())
    return Leaf(masked["last"] if masked else cell.value)
