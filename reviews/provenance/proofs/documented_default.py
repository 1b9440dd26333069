"""The tool's document fixes the value: it is the schema's `const`, its only option, or its default.

Sound because: to give a default is to leave the parameter out, and a value without alternative decides nothing.
Assumes: the document is the tool's own; what a text in it suggests as an example is no default.
"""

from reviews.provenance.core.findings import Grounding
from reviews.provenance.proofs.call import Establishment, ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf, Schema, alternatives_of

RULE = "proofs.documented_default"


def establish_leaf(leaf: Leaf, call: ProposedCall) -> Establishment | None:
    """The proof of a value that the document fixes, with the tool's name there."""
    is_fixed = any(_is_fixed_by(part, leaf) for part in alternatives_of(leaf.schema))
    document = call.evidence.document_of(leaf.tool.name) if leaf.tool and is_fixed else None
    if leaf.tool is None or document is None:
        return None
    name = document.raw_span(0, len(leaf.tool.name))
    return Establishment(RULE, "The tool's document fixes this value.", Grounding.COPY, (name,))


def _is_fixed_by(schema: Schema, leaf: Leaf) -> bool:
    enum, fixed = schema.get("enum"), [schema[word] for word in ("const", "default") if word in schema]
    if isinstance(enum, list) and len(enum) == 1 and enum[0] is not None:
        fixed += enum
    # True equals 1 to Python, and a default of 1 is no true.
    return any(type(value) is type(leaf.value) and value == leaf.value for value in fixed)
