"""What rules prove of a call as a whole, so that nobody needs to be asked about it."""

from reviews.provenance.core.context import Case, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.detectors.parameter_classes import DerivableParameters
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.questions.provenance_guard import Relevance, request_of
from reviews.provenance.judges.rules import relevance
from reviews.provenance.request.dialogue import proposals_of

_WITHOUT_SOURCE = (Grounding.UNGROUNDED, Grounding.COMPETING)


def is_proven(case: Case, document: ToolDoc, grounded: tuple[Grounded, ...]) -> bool:
    """Whether this call, and no other, is what the user asks for.

    It is when the user asks for the tool's kind of action on its kind of thing, and the context singles out each value
    that needs a source. Then the call can do what is asked (CanAddress), and a candidate that differs in a decisive
    argument would contradict the context (paper, 4.2.4 and 4.2.5).
    """
    context = case.context
    accepted = tuple(context.sources[proposal.message].text for proposal in proposals_of(context))
    # Held against the user's words alone: the step is the agent's own, and proves nothing about the request.
    asked_for = relevance(Relevance(document, None, request_of(context), context.tools, context.fingerprint, accepted))
    if asked_for is None or not asked_for.holds:
        return False
    classes = DerivableParameters.by_rule(document)
    decisive = (leaf for leaf in grounded if classes.derivable(leaf.pointer) is not False)
    return all(leaf.how not in _WITHOUT_SOURCE and not leaf.open and not leaf.against for leaf in decisive)
