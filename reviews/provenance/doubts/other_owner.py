"""Another value of the call stands only within records that are named otherwise than this one.

An item of one order beside another order's number. What the value's own record says may be what the call changes: whose
ticket it is, which folder a file lies in. A value that also stands elsewhere, such as a payment's that a customer has,
belongs to no record alone; and nothing is told where any value of the call goes with this one, or where the user names
the record that it stands for: a file is moved to another folder.
"""

from collections.abc import Mapping
from itertools import chain, islice

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import Cell
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.wording import quote_words
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.parameter_field import fields_around, is_called_any
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.same_value import same_value
from reviews.provenance.terms.search import cells_with
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import stems_of
from reviews.provenance.values.identifiers import is_identifier

RULE = "doubts.other_owner"
# Other values of the call that may be a part of a record, and the places of each in the data.
_MAX_PARTS, _MAX_PLACES = 16, 8


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about an identifier beside which another one of the call belongs to another record."""
    wanted = stems_of(leaf.name)
    if not wanted or not isinstance(leaf.value, str) or not is_identifier(leaf.text):
        return None
    owners: dict[str, tuple[Leaf, Cell]] = {}
    for part in islice(call.leaves, _MAX_PARTS):
        if path_of(part.pointer) == path_of(leaf.pointer) or not is_identifier(part.text):
            continue
        part_owners = _owners_of(part, wanted, call)
        if any(same_value(leaf, cell.value) for cell in part_owners.values()):
            return None
        owners |= {value: (part, cell) for value, cell in part_owners.items()}
    if len(owners) != 1 or _is_named(leaf, call):
        return None
    [(part, owner)] = owners.values()
    stands = f"“{shorten_text(part.text, 40)}” stands where {leaf.name[:40]} is {quote_words(owner.span, 40)}"
    return Doubt(RULE, f"{stands}. Is that one meant?", nearest=owner.span)


def _owners_of(part: Leaf, wanted: frozenset[str], call: ProposedCall) -> Mapping[str, Cell]:
    """How the records are named that a value stands within; empty where it also stands within none that is named so."""
    cells = list(islice(chain.from_iterable(cells_with(part, text) for text in call.evidence.data), _MAX_PLACES + 1))
    owners: dict[str, Cell] = {}
    for cell in cells if len(cells) <= _MAX_PLACES else ():
        owner = next(
            (field for field in fields_around(cell, with_record=False) if is_called_any(field, {wanted})), None
        )
        if owner is None:
            return {}
        owners.setdefault(fold(owner.value), owner)
    return owners


def _is_named(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the request names a record that has the value."""
    for text in call.evidence.data:
        for cell in cells_with(leaf, text):
            names = call.named_records(text, cell.kind)
            if any(name.identity == (text.source.id, cell.record) for name in names):
                return True
    return False
