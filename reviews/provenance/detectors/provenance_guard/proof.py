"""What rules prove of a call as a whole, so that nobody needs to be asked about it."""

from reviews.provenance.core.context import Case, SourceKind, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.detectors.parameter_classes import DerivableParameters
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.questions.provenance_guard import Relevance, request_of
from reviews.provenance.judges.rules import relevance
from reviews.provenance.request.actions import only_asks
from reviews.provenance.request.asked_for import asking_verb, match, speaks_of_parameter
from reviews.provenance.request.dialogue import proposals_of
from reviews.provenance.request.parameter_classes import path_of

_WITHOUT_SOURCE = (Grounding.UNGROUNDED, Grounding.COMPETING)
_ENOUGH = 2
"""Values that the user's words must lead to where the verb says little: "set", "add" and "give" fit many tools."""


def is_proven(case: Case, document: ToolDoc, grounded: tuple[Grounded, ...]) -> bool:
    """Whether this call, and no other, is what the user asks for.

    It is when the user asks for the tool's kind of action on its kind of thing, and the context singles out each value
    that needs a source. Then the call can do what is asked (CanAddress), and a candidate that differs in a decisive
    argument would contradict the context (paper, 4.2.4 and 4.2.5).
    """
    context = case.context
    if left_out(case, document):
        return False
    accepted = tuple(context.sources[proposal.message].text for proposal in proposals_of(context))
    # Held against the user's words alone: the step is the agent's own, and proves nothing about the request.
    asked_for = relevance(Relevance(document, None, request_of(context), context.tools, context.fingerprint, accepted))
    if asked_for is None or not asked_for.holds:
        return is_filled(case, document, grounded)
    return _all_sourced(_decisive(document, grounded))


def is_filled(case: Case, document: ToolDoc, grounded: tuple[Grounded, ...]) -> bool:
    """Whether the user's last message asks in the tool's verb and fills its parameters, whatever it calls the thing.

    "Forward the signed contract to Kim" fills `forward_email(email_id, recipient)` where both are singled out by its
    words. Another tool of that verb must not take the same values, and none be asked for by its own thing.
    """
    texts = request_of(case.context)[-1:]
    # "How much water does bed 7 need?" asks to know, and has the verb and the bed all the same.
    if any(map(only_asks, texts)):
        return False
    decisive = _decisive(document, grounded)
    led = [leaf for leaf in decisive if SourceKind.USER_QUERY in leaf.kinds]
    verb = asking_verb(document, texts)
    if verb is None or not led or not _all_sourced(decisive) or (verb.vague and len(led) < _ENOUGH):
        return False
    filled = {path_of(leaf.pointer).split("/")[1] for leaf in led}
    for other in case.context.tools:
        if other.name == document.name or not other.environment_changing:
            continue
        if match(other, texts) or (asking_verb(other, texts) and filled <= other.properties.keys()):
            return False
    return True


def left_out(case: Case, document: ToolDoc) -> str:
    """The optional parameter that is missing although the user's last message speaks of what it is for, if any.

    Without its file a tool that writes may do something else: what is left out is as decisive as what is given.
    """
    texts = request_of(case.context)[-1:]
    missing = sorted(document.properties.keys() - case.action.arguments.keys())
    return next((name for name in missing for text in texts if speaks_of_parameter(name, text)), "")


def _decisive(document: ToolDoc, grounded: tuple[Grounded, ...]) -> tuple[Grounded, ...]:
    classes = DerivableParameters.by_rule(document)
    return tuple(leaf for leaf in grounded if classes.derivable(leaf.pointer) is not False)


def _all_sourced(leaves: tuple[Grounded, ...]) -> bool:
    return all(leaf.how not in _WITHOUT_SOURCE and not leaf.open and not leaf.against for leaf in leaves)
