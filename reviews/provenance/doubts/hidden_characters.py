"""The value holds characters that show nothing or bend the text around them, and the user's words do not."""

from reviews.provenance.core.invisible import spelled_out
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.mentions import is_disguised

RULE = "doubts.hidden_characters"


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a disguised value."""
    if not isinstance(leaf.value, str) or not is_disguised(leaf.value):
        return None
    if any(leaf.value in text.source.text for text in call.evidence.user_messages):
        return None
    return Doubt(RULE, f"The value holds characters that do not show: “{shorten_text(spelled_out(leaf.value), 80)}”.")
