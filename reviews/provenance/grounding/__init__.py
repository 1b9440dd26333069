"""Where each argument value comes from, to the character."""

from reviews.provenance.grounding.engine import Grounder, ground, ground_arguments
from reviews.provenance.grounding.results import Competing, Grounded

__all__ = ["Competing", "Grounded", "Grounder", "ground", "ground_arguments"]
