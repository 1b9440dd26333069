"""A record holds another value in the field that the parameter is called like: a change that somebody should confirm.

What a record says now is no evidence against a call that changes it, so this is a question and never a verdict.
"""

from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import Cell
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.same_value import same_value
from reviews.provenance.text.fold import words_of_name

RULE = "doubts.recorded_value"
# Characters of a result that is one record: a longer one lists many, and none of them is "the" record.
_MAX_RECORD = 8_000


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that differs from what the latest record of that name says."""
    name = words_of_name(leaf.name)
    for text in call.evidence.data[:1] if leaf.text and name else ():
        if len(text.source.text) > _MAX_RECORD:
            continue
        cells = [Cell(text, scalar) for scalar in range(len(text.document.starts))]
        call.evidence.budget.spend(1 + len(cells))
        # Where there are more of one name, the result lists many records, and none of them is "the" record.
        fields = [cell for cell in cells if words_of_name("".join(cell.field[-1:])) == name]
        if len(fields) == 1 and not same_value(leaf, fields[0].value):
            place, meant = describe_source(text.source.id).capitalize(), shorten_text(leaf.text, 40)
            held = f"{place} has {leaf.name} “{shorten_text(fields[0].value, 40)}”"
            note = f"{held}; the call sets “{meant}”. Is that asked for?"
            return Doubt(RULE, note, fields[0].span)
    return None
