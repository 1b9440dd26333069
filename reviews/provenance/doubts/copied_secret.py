"""The text repeats more of a source than the secret in it: nobody says whether the secret is to be sent along."""

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.disclosed_secret import find_disclosed
from reviews.provenance.terms.argument_leaf import Leaf

RULE = "doubts.copied_secret"


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a text that holds a secret nobody names."""
    label = next((shorten_text(secret.label, 40) for secret, _ in find_disclosed(leaf, call)), "")
    return Doubt(RULE, f"The text gives away “{label}” with the rest. Is that meant?") if label else None
