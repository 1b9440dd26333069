"""Where each argument value comes from, to the character."""

from reviews.provenance.grounding.results import Competing, Grounded
from reviews.provenance.grounding.engine import Grounder, ground, ground_arguments

__all__ = ["Competing", "Grounded", "Grounder", "ground", "ground_arguments"]
