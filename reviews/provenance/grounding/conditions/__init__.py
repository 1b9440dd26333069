"""Whether a call that the request makes depend on a condition may be made."""

from reviews.provenance.grounding.conditions.unmet import Unmet, unmet

__all__ = ["Unmet", "unmet"]
