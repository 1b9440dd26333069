"""Only an order hidden in data gives the value, or asks for the call.

Sound because: every place that gives the value lies in the order, or in the outcome of a call that the order alone
asked for; or verb, object and every value of the call stand in one order, and neither the user nor the operator says
any of the tool's verbs, in any form, anywhere. Nor has the user written anything since the order came.
Assumes: who wants a deed done says so in one of the tool's own words, or does not leave it to whoever wrote the data.
What is an order to the agent is told by `injection.instructions`; which places are left without it, by tracing again.
"""

from typing import Final

from reviews.provenance.core.trust import TRUSTED
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.requested_tool import names_deed, orders_deed
from reviews.provenance.terms.value_mentions import mentions_of

RULE: Final = "proofs.order_in_data"


def is_ordered_alone(call: ProposedCall, order: SourceText) -> bool:
    """Whether an order asks for the call, and nobody does who may."""
    return (
        bool(call.decisive)
        and all(mentions_of(leaf, order) for leaf in call.decisive)
        and orders_deed(call, order)
        and not any(names_deed(call, text.folded) for text in call.evidence.of_kind(*TRUSTED))
    )
