"""The value is another parameter's: the latest request says it beside that one's label, or it is that one's default."""

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.wording import quote_as_value
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import is_labelled
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.value_mentions import mentions_of

RULE = "doubts.other_parameter"


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that may have been taken for another parameter's."""
    places = [mention.place for mention in mentions_of(leaf, call.text)]
    labels = [is_labelled(leaf, *place, call) for place in places]
    value = shorten_text(leaf.text, 60)
    if False in labels and True not in labels:
        stated = quote_as_value(call.text.span(*places[labels.index(False)]), leaf, call.text.now)
        return Doubt(RULE, f"The request says {stated} for something else than {leaf.name}. Is it meant here?")
    if not labels and (other := _parameter_with_default(leaf, call)):
        return Doubt(RULE, f"“{value}” is what the tool takes for {other} by default. Is it meant for {leaf.name}?")
    return None


def _parameter_with_default(leaf: Leaf, call: ProposedCall) -> str | None:
    """The other parameter that has this text as its default, where this one has another."""
    defaults = call.text_defaults
    call.evidence.budget.spend(1 + len(defaults))
    if not leaf.text or defaults.get(leaf.parameter) == leaf.value:
        return None
    return next((name for name, default in defaults.items() if default == leaf.value), None)
