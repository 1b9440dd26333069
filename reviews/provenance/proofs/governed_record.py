"""Whether the tool's verb leads to a record that the message names: then the record tells what the deed is done to."""

from collections.abc import Sequence
from itertools import islice, product
from typing import Final

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.data.sources import Cell
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import POSSESSIVE
from reviews.provenance.proofs.words import ARTICLES, end_of_noun
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.search import fields_with
from reviews.provenance.text.names import stems_of

# Values of a call, and places of one in a result, whose records are looked at.
_MAX_LEAVES: Final = 16
_MAX_PLACES: Final = 4


def governs_record(verb_end: int, naming: Sequence[Leaf], rivals: Sequence[ToolDoc], call: ProposedCall) -> bool:
    """Whether the verb leads to a record that one of these values names, and that no rival tool takes a field of.

    "Delete Ann Lee from the list" says no object: the record says which tool deletes it. "Ann Lee's email" is one.
    """
    for leaf, text in product(naming[:_MAX_LEAVES], call.evidence.data):
        for field in islice(fields_with(leaf, text), _MAX_PLACES):
            call.evidence.budget.spend()
            if (cell := text.cell_at(field.span)) and _leads_to_record(cell, verb_end, rivals, call):
                return True
    return False


def _leads_to_record(cell: Cell, verb_end: int, rivals: Sequence[ToolDoc], call: ProposedCall) -> bool:
    fields = [stems_of(sibling.field[-1]) for sibling in cell.text.cells_of(cell.record) if sibling.field]
    # What was listed is told by the look-up as well: the title of `list_projects` is a `project_title`.
    listed = stems_of(cell.text.step.tool) if cell.text.step else frozenset()
    if any(name in fields or name - listed in fields for tool in rivals for name in map(stems_of, tool.properties)):
        return False
    folded = call.text.folded
    return any(
        name.identity == (cell.text.source.id, cell.record)
        and verb_end <= name.place[0]
        and ARTICLES.issuperset(folded[verb_end : name.place[0]].split())
        and not (POSSESSIVE.match(folded, name.place[1]) or end_of_noun(name.place[1], call, call.known_words))
        for name in call.named_records(cell.text, cell.kind)
    )
