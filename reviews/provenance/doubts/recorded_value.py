"""A record holds another value in the field that the parameter is called like: a change that somebody should confirm.

What a record says now is no evidence against a call that changes it, so this is a question and never a verdict.
"""

from itertools import islice

from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.mentions import same_value
from reviews.provenance.text.fold import words_of_name

RULE = "doubts.recorded_value"
# Characters of a result that is one record: a longer one lists many, and none of them is "the" record.
_MAX_RECORD = 8_000
# Fields of one name in one result: where there are more, it lists many records, and none of them is "the" record.
_MAX_FIELDS = 2


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that differs from what the latest record of that name says."""
    name = words_of_name(leaf.name)
    for text in call.evidence.data[:1] if leaf.text and name else ():
        if len(text.source.text) > _MAX_RECORD:
            continue
        document = text.document
        call.evidence.budget.spend(1 + len(document.starts))
        scalars = (n for n in range(len(document.starts)) if _is_called(document.field_of(n), name))
        fields = list(islice(scalars, _MAX_FIELDS))
        if len(fields) == 1 and not same_value(leaf, value := document.value_of(fields[0])):
            span = text.raw_span(document.starts[fields[0]], document.ends[fields[0]])
            note = (
                f"{describe_source(text.source.id).capitalize()} has {leaf.name} “{shorten_text(value, 40)}”; "
                f"the call sets “{shorten_text(leaf.text, 40)}”. Is that asked for?"
            )
            return Doubt(RULE, note, (span,), span)
    return None


def _is_called(field: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return bool(field) and words_of_name(field[-1]) == name
