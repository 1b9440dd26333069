"""The text repeats more of a source than the secret in it: nobody says whether the secret is to be sent along."""

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.disclosed_secret import find_disclosed
from reviews.provenance.terms.leaf import Leaf

RULE = "doubts.copied_secret"


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a text that holds a secret nobody names. Raises `OutOfBudgetError`."""
    secret, place = next(find_disclosed(leaf, call), (None, None))
    if secret is None or place is None:
        return None
    return Doubt(
        RULE, f"The text gives away “{shorten_text(secret.label, 40)}” with the rest. Is that meant?", (place,)
    )
