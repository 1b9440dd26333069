"""The tool's own document says when it may be called, or that somebody must agree first: nobody reads whether it may.

A sentence that denies, makes a condition, speaks of all or of one alone, has a word for what somebody gives leave by,
or names another tool. Who agrees to an offer has been asked. What several tools have in their documents alike tells
nothing of one.
"""

from reviews.provenance.core.context import Span
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.text.fold import fold
from reviews.provenance.text.replies import sentences_in

# Characters of a tool's name that no plain word has within.
_JOINTS = "_.-:/"


def find_demand(call: ProposedCall) -> Span | None:
    """The sentence that limits the tool; None where its document only says what it does."""
    document = call.evidence.document_of(call.tool)
    folded = fold(call.descriptions.get(call.tool, ""))
    if document is None or not folded:
        return None
    names = (tool.name for tool in call.evidence.context.tools if tool.name != call.tool)
    joined_names = [name.lower() for name in names if any(joint in name for joint in _JOINTS)]
    call.evidence.budget.spend(1 + len(folded) // 16 + len(joined_names))
    for sentence in sentences_in(folded):
        demands_leave = sentence.speaks_of_leave and not call.latest_request.offers
        if sentence.reaches_further or demands_leave or any(name in sentence.text for name in joined_names):
            at = document.folded.find(sentence.text)
            return document.span(at, at + len(sentence.text)) if at >= 0 else document.raw_span(0, len(call.tool))
    return None
