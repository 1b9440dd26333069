"""Values that stand in running text of data: whether the text has others of the same shape."""

import re

from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import shape_of

# Values of one shape are rivals of one another, whatever stands between them.
_TOKEN = re.compile(r"[^\s\"'<>()\[\]{},;]+")
# Characters of a text in which others of the same shape are looked for.
_READ = 50_000


def alone_in_prose(leaf: Leaf, found: Found, evidence: Evidence) -> bool:
    """Whether the text that says the value says no other value of its shape: one account number, one address."""
    shape = shape_of(leaf.folded)
    texts = [text for text in evidence.data for span in found.spans if span.source == text.source.id]
    if " " in leaf.folded or not texts:
        return True
    tokens = (hit.group().strip(".:") for text in texts for hit in _TOKEN.finditer(text.folded.text[:_READ]))
    return all(token == leaf.folded or shape_of(token) != shape for token in tokens)
