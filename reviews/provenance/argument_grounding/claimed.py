"""What the agent says of its values' sources, beside what proofs and doubts came to.

Read last and apart: no claim refutes or establishes, moves the evidence of a value, or uses up what proofs need.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from reviews.provenance.argument_grounding.results import Grounded
from reviews.provenance.core.context import Claim
from reviews.provenance.core.work_budget import OutOfBudgetError
from reviews.provenance.doubts import false_claim, hidden_characters
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.claims import CheckedClaim, check_claim
from reviews.provenance.terms.search import MAX_CANDIDATES


def with_claims(leaves: Sequence[Grounded], call: ProposedCall, claims: Iterable[Claim]) -> tuple[Grounded, ...]:
    """The same values with what came of the agent's claims; a budget that runs out leaves the rest unchecked."""
    by_pointer = {claim.pointer: claim for claim in claims}
    checked = list(leaves)
    with suppress(OutOfBudgetError):
        for n, leaf in enumerate(call.leaves):
            if claim := by_pointer.get(leaf.pointer):
                outcome = check_claim(claim, leaf, call.latest_request, call.evidence, composed=call.composes(leaf))
                checked[n] = _with_claim(leaves[n], outcome)
    return tuple(checked)


def _with_claim(grounded: Grounded, claim: CheckedClaim) -> Grounded:
    if claim.term:
        # First, so that a judge can pick it by number.
        terms = (claim.term, *(term for term in grounded.terms if term != claim.term))
        return replace(grounded, claim=claim, terms=terms[:MAX_CANDIDATES])
    doubt = false_claim.raise_doubt(claim)
    if doubt is None or not grounded.is_undetermined or grounded.rule == hidden_characters.RULE:
        return replace(grounded, claim=claim)
    # What the context says instead, and who else is meant, still helps the person who looks.
    return replace(grounded, claim=claim, rule=doubt.rule, note=doubt.note)
