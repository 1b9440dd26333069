"""Words of the user may say the value to whoever reads them: “Friday” a day, “900 yen” a currency."""

from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.wording import quote_as_value, quote_words
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.search import propose_readings
from reviews.provenance.terms.terms import Computed, Confirmed, Term, spans_of

RULE = "doubts.readable_value"


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that no term gives, and words may."""
    readings = propose_readings(leaf, call.evidence)
    # Where the parts of a path stand is no word of the user's.
    term = next((reading for reading in readings if not _is_path(reading)), None)
    if term is None:
        return None
    spans, value = tuple(spans_of(term)), shorten_text(leaf.text, 40)
    where = describe_source(spans[0].source)
    if isinstance(term, Computed):
        parts = " and ".join(quote_words(span, 40) for span in spans)
        counted = "together give" if spans[1:] else "from now on gives"
        note = f"{where.capitalize()} says {parts}, which {counted} “{value}”. Is it meant?"
        return Doubt(RULE, note, spans=spans)
    if isinstance(term, Confirmed):
        said = quote_as_value(spans[0], leaf, call.text.now)
        return Doubt(RULE, f"The agent said {said} in {where}. Did the user agree to that?", spans=spans)
    if spans[0].quote == leaf.text:
        return Doubt(RULE, f"{where.capitalize()} says “{value}”. Is it meant for {leaf.name or 'this'}?", spans=spans)
    told = (f"{describe_source(span.source)} says “{shorten_text(span.quote, 40)}”" for span in spans)
    words = " and ".join(dict.fromkeys(told))
    return Doubt(RULE, f"{words[:1].upper()}{words[1:]}, which may mean “{value}”. Does it?", spans=spans)


def _is_path(term: Term) -> bool:
    return isinstance(term, Computed) and term.operation == "concatenate"
