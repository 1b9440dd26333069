"""The tool's document fixes the value: it is the schema's `const`, its only option, or its default.

Sound because: to give a default is to leave the parameter out, and a value without alternative decides nothing.
Assumes: the document is the tool's own; what a text in it suggests as an example is no default.
"""

from reviews.provenance.core.context import JsonValue, Span
from reviews.provenance.data.sources import Evidence
from reviews.provenance.terms.leaf import Leaf, alternatives_of

RULE = "proofs.documented_default"


def find_documented(leaf: Leaf, evidence: Evidence) -> Span | None:
    """The tool's name in its document, where the document fixes the value; None otherwise."""
    if leaf.tool is None or not any(_is_fixed_by(dict(part), leaf.value) for part in alternatives_of(leaf.schema)):
        return None
    document = evidence.document_of(leaf.tool.name)
    return document.raw_span(0, len(leaf.tool.name)) if document else None


def _is_fixed_by(schema: dict[str, JsonValue], value: JsonValue) -> bool:
    enum = schema.get("enum")
    only = enum[0] if isinstance(enum, list) and len(enum) == 1 else None
    fixed = [schema[word] for word in ("const", "default") if word in schema] + ([only] if only is not None else [])
    # True equals 1 to Python, and a default of 1 is no true.
    return any(type(value_fixed) is type(value) and value_fixed == value for value_fixed in fixed)
