"""What proofs and doubts come to, for every value of a call and for the call as a whole."""

from reviews.provenance.argument_grounding.grounder import Grounder, ground_arguments
from reviews.provenance.argument_grounding.results import Grounded, GroundedCall

__all__ = ["Grounded", "GroundedCall", "Grounder", "ground_arguments"]
