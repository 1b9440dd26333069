"""By which of its fields a person knows a record: those that the user has said, and the one that names it."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from reviews.provenance.data.sources import Cell, SourceText
from reviews.provenance.doubts.wording import is_shared, label_of
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.names import stem_of
from reviews.provenance.text.replies import is_agreement

# Fields of a record that are told, and among which they are looked for.
_MAX_TOLD: Final = 3
_MAX_FIELDS: Final = 16
# The user's latest messages that may say them.
_MAX_MESSAGES: Final = 6
# To look for a field in a message, and characters whose words are read in one step of the budget.
_STEPS_A_FIELD: Final = 8
_CHARACTERS_A_STEP: Final = 64


def telling_fields(cell: Cell, call: ProposedCall) -> list[Cell]:
    """The other fields of the record of a value that tell it best: what the user has said of it, else its label."""
    fields = _said_fields(cell, call)
    label = label_of(cell)
    if label is None or label.value in [field.value for field in fields]:
        return fields
    return [label, *fields][:_MAX_TOLD] if not fields or not is_shared(label) else fields


def _said_fields(cell: Cell, call: ProposedCall) -> list[Cell]:
    """The fields of words that the user's messages have, in the order of the record."""
    siblings = (field for field in cell.text.cells_of(cell.record) if field.field != cell.field)
    fields = [*islice(siblings, _MAX_FIELDS), *islice(_fields_of_parts(cell), _MAX_FIELDS)]
    messages = call.evidence.user_messages[:_MAX_MESSAGES]
    length = sum(len(message.folded) for message in messages)
    call.evidence.budget.spend(1 + len(fields) + length // _CHARACTERS_A_STEP)
    words = {word for message in messages for word in words_of(message.folded)}
    # Nearly no field of a record is said, and whether one is takes long to tell.
    likely = (field for field in fields if words.issuperset(words_of(field.value)) and _is_telling(field, call))
    return list(islice((field for field in likely if _is_said(field, messages)), _MAX_TOLD))


def _fields_of_parts(cell: Cell) -> Iterator[Cell]:
    """The first fields of the records within the record: an order is known by its items."""
    parents = cell.text.document.parents
    cell.text.budget.spend(1 + len(parents) // _CHARACTERS_A_STEP)
    for part in (part for part, parent in enumerate(parents) if parent == cell.record):
        yield from cell.text.cells_of(part)[:_MAX_TOLD]


def _is_telling(cell: Cell, call: ProposedCall) -> bool:
    """Whether the field has words, and other ones than "yes" or those of the tool."""
    is_worded = kind_of(Leaf(cell.value)) is Kind.TEXT and not is_agreement(cell.value)
    return is_worded and not call.known_words.issuperset(map(stem_of, words_of(cell.value)))


def _is_said(cell: Cell, messages: Sequence[SourceText]) -> bool:
    cell.text.budget.spend(_STEPS_A_FIELD * len(messages))
    return any(mentions_of(Leaf(cell.value), message) for message in messages)
