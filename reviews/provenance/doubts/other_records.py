"""The user's words name other records of the kind that the value stands in: which one is meant is a question.

Values are rivals when the same key of records of one kind leads to them, never because they look alike. A list takes
several records: an entry whose record is named is in question for no other one, nor is a record that another entry has.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import Cell
from reviews.provenance.doubts.better_record import ask_for_better
from reviews.provenance.doubts.doubt import Doubt, Rival
from reviews.provenance.doubts.record_labels import key_of
from reviews.provenance.doubts.wording import quote_words
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.record_keys import NamedRecord
from reviews.provenance.terms.same_value import same_value
from reviews.provenance.terms.search import fields_with
from reviews.provenance.text.fold import fold

RULE = "doubts.other_records"
# Rivals that a person is shown: with more, the request has to be made clearer instead.
MAX_RIVALS = 10
# Records that the value stands in and whose neighbours are looked at.
_MAX_PLACES = 4


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value whose record is not the only one that is named. Raises `OutOfBudgetError`."""
    beside = _entries_beside(leaf, call)
    for text in call.evidence.data:
        for field in islice(fields_with(leaf, text), _MAX_PLACES):
            if cell := text.cell_at(field.span):
                names = call.named_records(text, cell.kind)
                others = [name for name in names if name.identity != (text.source.id, cell.record)]
                is_named = len(others) < len(names)
                if is_named and beside:
                    return None
                rivals = (rival for rival in _find_rivals(leaf, cell, others) if fold(rival.value) not in beside)
                if shown := tuple(islice(rivals, MAX_RIVALS)):
                    owner = None if is_named else key_of(cell)
                    return Doubt(RULE, _ask_which(leaf, shown, owner, is_named=is_named), rivals=shown)
                if not is_named and (better := ask_for_better(RULE, leaf, cell, call, beside)):
                    return better
    return None


def _entries_beside(leaf: Leaf, call: ProposedCall) -> frozenset[str]:
    """The values of the other entries of the list that the value stands in, folded. Raises `OutOfBudgetError`."""
    path = path_of(leaf.pointer)
    if path == leaf.pointer:
        return frozenset()
    entries = call.leaves_by_path[path]
    call.evidence.budget.spend(len(entries))
    return frozenset(other.folded for other in entries if other.pointer != leaf.pointer)


def _find_rivals(leaf: Leaf, cell: Cell, others: Iterable[NamedRecord]) -> Iterator[Rival]:
    for name in others:
        candidates = (part for part in name.text.cells_of(name.record) if part.field == cell.field)
        if rival := next((part for part in candidates if not same_value(leaf, part.value)), None):
            yield Rival(rival.value, (rival.span, name.key.span), name.key.span.quote)


def _ask_which(leaf: Leaf, rivals: tuple[Rival, ...], owner: Cell | None, *, is_named: bool) -> str:
    labels = " and ".join(f"“{shorten_text(rival.label, 40)}”" for rival in rivals[:2])
    if is_named:
        return f"The request's words also fit {labels}. Is “{shorten_text(leaf.text, 40)}” the one that is meant?"
    whose = f"{quote_words(owner.span, 40)}'s" if owner else "another record's"
    return f"The request names {labels}; “{shorten_text(leaf.text, 40)}” is {whose}. Is it meant?"
