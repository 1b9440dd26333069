"""The value stands somewhere, and nothing proves that it is meant; or it stands nowhere."""

from reviews.provenance.core.context import SourceKind
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

SAID = "doubts.said_unclearly"
EARLIER = "doubts.said_earlier"
RECORDED = "doubts.stands_in_data"
NOWHERE = "doubts.stands_nowhere"
UNASKED = "doubts.unasked_setting"


def raise_doubt(leaf: Leaf, call: ProposedCall, terms: tuple[Term, ...]) -> Doubt:
    """What is known of the value's source. Raises `OutOfBudgetError`."""
    value = shorten_text(leaf.text, 60)
    match terms[0] if terms else None:
        case Stated(span) | Confirmed(span):
            return _doubt_statement(leaf, call, value, call.evidence.texts[span.source])
        case Field(span):
            place = describe_source(span.source)
            return Doubt(RECORDED, f"“{value}” stands in {place}. Is it the one that the request means?")
        case Documented():
            return Doubt(RECORDED, f"The tool's document mentions “{value}”; nobody asked for it.")
    if not leaf.text:
        return Doubt(UNASKED, "Nothing shows that this setting is asked for.")
    nearest = most_similar(leaf, call)
    similar = f"; {describe_source(nearest.source)} says “{shorten_text(nearest.quote, 60)}”." if nearest else "."
    return Doubt(NOWHERE, f"“{value}” appears nowhere{similar}", nearest)


def _doubt_statement(leaf: Leaf, call: ProposedCall, value: str, source: SourceText) -> Doubt:
    if source.source.kind is SourceKind.SYSTEM_PROMPT:
        return Doubt(EARLIER, f"The system prompt says “{value}”. Is it meant here?")
    if source is not call.text:
        return Doubt(EARLIER, f"The user said “{value}” before the latest message. Does it still hold?")
    if all(stands_plainly(*mention.place, call) for mention in mentions_of(leaf, call.text)):
        return Doubt(SAID, f"The request says “{value}”. Is it meant for {leaf.name or 'this'}?")
    return Doubt(SAID, f"“{value}” is said where something is denied, asked or made a condition. Is it meant?")
