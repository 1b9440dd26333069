"""The agent says that it took the value from somewhere, and it does not stand there."""

from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.terms.claims import CheckedClaim

RULE = "doubts.false_claim"


def raise_doubt(claim: CheckedClaim) -> Doubt | None:
    """The doubt about a value whose claim does not verify."""
    return Doubt(RULE, claim.note) if claim.stands is False else None
