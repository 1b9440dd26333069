"""Which field of a record may give a parameter its value: by what both are called, or by how the value is written."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from typing import Final

from reviews.provenance.data.document import ANY
from reviews.provenance.data.sources import Cell
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.words import PREPOSITIONS
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import NAMING, is_name_of_thing, name_of_field
from reviews.provenance.terms.search import cells_with
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import roots_of, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.identifiers import is_identifier, is_opaque

# What a field that identifies its record is called, and the figures of what it holds.
_ID: Final = "id"
_FIGURES: Final = re.compile(r"\d")
# Fields that hold a value, and others around them that are looked at.
_MAX_PLACES: Final = 8
_MAX_FIELDS: Final = 64
# Of the budget, for a field: its name's stem takes as long as a dozen comparisons.
_STEPS_A_FIELD: Final = 16
# What a field is called that holds an address or an account, besides what names its record.
_WRITTEN: Final = frozenset("mail address iban account phone telephone tel mobile card uuid".split())


def is_field_of_leaf(leaf: Leaf, cell: Cell, call: ProposedCall, request: Request) -> bool:
    """Whether the field is called like the parameter, or is the only one of its record that is written like the value.

    A field that is called exactly so goes before one that is only written so. One in a group of fields is the group's:
    the number of an assistant is nobody else's.
    """
    nouns = call.nouns_of(cell.text, cell.kind) | call.spoken_roots
    if any(roots_of(key).isdisjoint(nouns) for key in cell.field[:-1] if key not in (ANY, "")):
        return False
    wanted, names = _name_wanted(leaf, cell.text.cells_of(cell.record)), names_of_field(cell)
    siblings = [sibling for sibling in cell.text.cells_of(cell.record) if sibling != cell]
    namesakes = [sibling for sibling in siblings if wanted in names_of_field(sibling)]
    if wanted in names:
        return all(sibling.value == cell.value for sibling in namesakes) or _is_path_said(cell, request)
    if namesakes or _is_qualified(leaf, cell):
        return False
    if not is_opaque(leaf.folded):
        # A bare result holds one value, which is what was looked up.
        return not any(names) and not siblings
    # Not an address beside an address, nor that of somebody who has a part, nor one where an account is asked for.
    name, identifier_words = tokens_of(name_of_field(cell.field)), set(tokens_of(leaf.name)) & (_WRITTEN | NAMING)
    is_had = is_name_of_thing(cell.field, nouns) or not _WRITTEN.isdisjoint(name)
    if name and not (is_had and (not identifier_words or identifier_words.intersection(name))):
        return False
    values = (sibling.value for sibling in siblings if ("@" in sibling.value) == ("@" in leaf.text))
    codes = (fold(value).strip("#") for value in values if value != leaf.text)
    return not any(is_opaque(code) or is_identifier(code) for code in codes)


def _is_qualified(leaf: Leaf, cell: Cell) -> bool:
    """Whether the field's name has words that the parameter's has not: an emergency contact's phone, an old IBAN."""
    return len(tokens_of(name_of_field(cell.field))) > 1 and not names_of_field(cell)[0] <= stems_of(leaf.name)


def _name_wanted(leaf: Leaf, cells: Sequence[Cell]) -> frozenset[str]:
    """What a field of the record has to be called: like the parameter, or without the part that a preposition gives it.

    `from_account_id` and `to_account_id` both take the `account_id` of an account.
    """
    name = stems_of(leaf.name)
    return name if any(name in names_of_field(cell) for cell in cells) else name - PREPOSITIONS or name


def _is_path_said(cell: Cell, request: Request) -> bool:
    """Whether the request says the field with the group that it stands in: "the shipping zip"."""
    path = [key for key in cell.field if key not in (ANY, "")][-2:]
    # A step for each character: a stem takes as long as a dozen comparisons.
    request.text.budget.spend(1 + request.sentence.end - request.end)
    words = [stem_of(word) for word in words_in(request.sentence.text[request.end - request.sentence.start :])]
    wanted = [stem_of(token) for key in path for token in tokens_of(key)]
    return len(path) > 1 and any(words[n : n + len(wanted)] == wanted for n in range(len(words)))


def names_of_field(cell: Cell) -> tuple[frozenset[str], ...]:
    """What the field may be called: its key, and its key with the kind of its record: the `id` of `accounts`."""
    field, kind = name_of_field(cell.field), name_of_field(cell.kind)
    name = stems_of(field)
    return name, name | stems_of(kind) if field and kind else frozenset()


def gives_other_value(cells: Sequence[Cell], leaf: Leaf, call: ProposedCall) -> bool:
    """Whether a field that is called like the parameter, or is an address beside an address, has another value."""
    call.evidence.budget.spend(1 + len(cells))
    wanted, is_address = _name_wanted(leaf, cells), "@" in leaf.text
    values = ((cell, fold(cell.value)) for cell in cells if cell.value)
    rivals = ((cell, value) for cell, value in values if value != leaf.folded)
    # An `id` that is written to the sign like a `user_id` is one of another user.
    shape = _FIGURES.sub("0", leaf.folded) if kind_of(leaf) is Kind.CODE and not leaf.folded.isdigit() else ""
    return any(
        wanted in names_of_field(cell)
        or (is_address and "@" in value and is_opaque(value))
        or (shape and tokens_of(name_of_field(cell.field)) == (_ID,) and _FIGURES.sub("0", value) == shape)
        for cell, value in rivals
    )


def is_other_field(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether data know the value by another field's name alone, beside one that is the parameter's and unlike it.

    What somebody is called is no `user_id`, wherever a record has both.
    """
    wanted = stems_of(leaf.name)
    if kind_of(leaf) not in (Kind.CODE, Kind.TEXT) or not isinstance(leaf.value, str) or not wanted:
        return False
    cells = list(islice(chain.from_iterable(cells_with(leaf, text) for text in call.evidence.data), _MAX_PLACES))
    if any(is_called_any(cell, {wanted}) for cell in cells):
        return False
    around = chain.from_iterable(fields_around(cell, with_record=True) for cell in cells)
    values = [field.value for field in around if is_called_any(field, {wanted})]
    return bool(values) and not any(is_written_alike(leaf.text, value) for value in values)


def is_called_any(cell: Cell, names: AbstractSet[frozenset[str]]) -> bool:
    """Whether a field has one of these names, each the stems of its words. Raises `OutOfBudgetError`."""
    cell.text.budget.spend(_STEPS_A_FIELD)
    return any(name in names for name in names_of_field(cell))


def fields_around(cell: Cell, *, with_record: bool) -> Iterator[Cell]:
    """The fields of the records that a value's record lies in, behind that record's if `with_record`."""
    records = (*([cell.record] if with_record else []), *cell.text.document.ancestors_of(cell.record))
    return islice(chain.from_iterable(map(cell.text.cells_of, records)), _MAX_FIELDS)


def is_written_alike(value: str, field_value: str) -> bool:
    """Whether both have letters or none and figures or none, and two codes the same signs; all addresses are alike."""
    if "@" in value or "@" in field_value:
        return "@" in value and "@" in field_value
    signs = _signs_of(value) ^ _signs_of(field_value)
    return signs.isdisjoint("a9") if Kind.TEXT in map(kind_of, (Leaf(value), Leaf(field_value))) else not signs


def _signs_of(value: str) -> frozenset[str]:
    signs = (("a" if sign.isalpha() else "9" if sign.isdigit() else sign) for sign in value)
    # A number sign is written or left out, and stops and spaces part the same code here and there.
    return frozenset(signs) - set("#. ")
