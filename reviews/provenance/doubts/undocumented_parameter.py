"""The tool's document lists its parameters, and this is none of them: nobody knows what the tool does with it."""

from typing import Final

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf

RULE = "doubts.undocumented_parameter"
# By these a schema takes parameters that its `properties` do not list.
_OTHERS: Final = frozenset("$ref additionalProperties allOf anyOf dependentSchemas if oneOf patternProperties".split())


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that is given by a name which the document does not have."""
    properties = call.document.properties
    if not properties or leaf.parameter in properties or not _OTHERS.isdisjoint(call.document.parameters):
        return None
    name = shorten_text(leaf.parameter, 40)
    return Doubt(RULE, f"The tool's document has no parameter “{name}”. Does the tool take it?")
