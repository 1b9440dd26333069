"""The value holds characters that show nothing or bend the text around them, and the user's words do not."""

from reviews.provenance.core.invisible import spelled_out
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.same_value import is_disguised

RULE = "doubts.hidden_characters"


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a disguised value."""
    if not isinstance(leaf.value, str):
        return None
    is_said = any(leaf.value in text.source.text for text in call.evidence.user_messages)
    # Of what nobody composes the blanks at its edges tell: "notes.txt " is another file.
    has_blank_edge = leaf.value != leaf.text and call.classes.is_derivable(leaf.pointer) is not False
    if not has_blank_edge and (is_said or not is_disguised(leaf.value)):
        return None
    quote = f"“{shorten_text(spelled_out(leaf.value), 80)}”"
    if not is_disguised(leaf.value.strip()):
        return Doubt(RULE, f"The value begins or ends with a blank: {quote}.")
    return Doubt(RULE, f"The value holds characters that do not show: {quote}.")
