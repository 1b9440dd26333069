"""What proofs and doubts come to, for every value of a call and for the call as a whole."""

from reviews.provenance.grounding.grounder import Grounder, ground_arguments
from reviews.provenance.grounding.results import Competing, Grounded, GroundedCall

__all__ = ["Competing", "Grounded", "GroundedCall", "Grounder", "ground_arguments"]
