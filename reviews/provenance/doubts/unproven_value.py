"""The value stands somewhere, and nothing proves that it is meant; or it stands nowhere."""

import json
from itertools import islice

from reviews.provenance.core.context import SourceKind, Span
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import SourceText
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.other_value import most_similar
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import stands_plainly
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.terms import Confirmed, Documented, Field, Stated, Term
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.names import stem_of, stems_of
from reviews.provenance.text.replies import WORD
from reviews.provenance.values.identifiers import is_identifier
from reviews.provenance.values.moments import moment_of

SAID = "doubts.said_unclearly"
EARLIER = "doubts.said_earlier"
RECORDED = "doubts.stands_in_data"
NOWHERE = "doubts.stands_nowhere"
UNASKED = "doubts.unasked_setting"
# Fields of a record among which one is looked for that names it.
_MAX_FIELDS = 16
# Letters of a word that may speak of a setting: shorter ones join others.
_MIN_WORD = 4


def raise_doubt(leaf: Leaf, call: ProposedCall, terms: tuple[Term, ...]) -> Doubt:
    """What is known of the value's source. Raises `OutOfBudgetError`."""
    value = shorten_text(leaf.text, 60)
    match terms[0] if terms else None:
        case Stated(span) | Confirmed(span):
            return _doubt_statement(leaf, call, value, call.evidence.texts[span.source])
        case Field(span):
            place = describe_source(span.source)
            label = _label_of(span, call.evidence.texts[span.source])
            beside = f", beside “{shorten_text(label, 40)}”" if label else ""
            return Doubt(RECORDED, f"“{value}” stands in {place}{beside}. Is it the one that the request means?")
        case Documented():
            return Doubt(RECORDED, f"The tool's document mentions “{value}”; nobody asked for it.")
    if not leaf.text:
        return _doubt_setting(leaf, call)
    nearest = most_similar(leaf, call)
    similar = f"; {describe_source(nearest.source)} says “{shorten_text(nearest.quote, 60)}”." if nearest else "."
    return Doubt(NOWHERE, f"“{value}” appears nowhere{similar}", nearest)


def _doubt_setting(leaf: Leaf, call: ProposedCall) -> Doubt:
    """Of a switch: the words of its name, where the request has any."""
    stems = stems_of(leaf.name)
    call.evidence.budget.spend(1 + len(call.text.folded) // 64)
    for hit in WORD.finditer(call.text.folded):
        if len(hit[0]) >= _MIN_WORD and stem_of(hit[0]) in stems:
            span = call.text.span(*hit.span())
            note = f"The request speaks of “{span.quote}”; the call sets it to {json.dumps(leaf.value)}. Is that meant?"
            return Doubt(UNASKED, note, spans=(span,))
    return Doubt(UNASKED, "Nothing shows that this setting is asked for.")


def _label_of(span: Span, text: SourceText) -> str:
    """What a person would know the record by that holds the value, among its other fields; empty where nothing is."""
    cell = text.cell_at(span)
    others = islice(text.cells_of(cell.record), _MAX_FIELDS) if cell else ()
    values = [other.value.strip() for other in others if cell and other.scalar != cell.scalar]
    labels = [value for value in values if _is_label(value)]
    return next((value for value in labels if " " in value), labels[0] if labels else "")


def _is_label(value: str) -> bool:
    """Whether a person would call a thing so: a name, and no code, no state and no day."""
    is_name = value[:1].isalpha() and (not value.isascii() or (value[0].isupper() and not value.isupper()))
    return (is_name or " " in value) and not is_identifier(value) and moment_of(value) is None


def _doubt_statement(leaf: Leaf, call: ProposedCall, value: str, source: SourceText) -> Doubt:
    if source.source.kind is SourceKind.SYSTEM_PROMPT:
        return Doubt(EARLIER, f"The system prompt says “{value}”. Is it meant here?")
    if source is not call.text:
        return Doubt(EARLIER, f"The user said “{value}” before the latest message. Does it still hold?")
    if all(stands_plainly(*mention.place, call) for mention in mentions_of(leaf, call.text)):
        return Doubt(SAID, f"The request says “{value}”. Is it meant for {leaf.name or 'this'}?")
    return Doubt(SAID, f"“{value}” is said where something is denied, asked or made a condition. Is it meant?")
