"""The tool's document fixes the value: it is the schema's `const`, its only option, or its default.

Sound because: to give a default is to leave the parameter out, and a value without alternative decides nothing; and the
message that asks speaks of no such thing: it has no word of the parameter's name, no other of its options and no other
currency.
Assumes: the document is the tool's own; what a text in it suggests as an example is no default.
"""

from reviews.provenance.core.findings import Grounding
from reviews.provenance.proofs.call import Establishment, ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf, alternatives_of
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.names import roots_of, tokens_of
from reviews.provenance.values.money import currency_of

RULE = "proofs.documented_default"


def establish_leaf(leaf: Leaf, call: ProposedCall) -> Establishment | None:
    """The proof of a value that the document fixes, with the tool's name there."""
    document = call.evidence.document_of(call.tool)
    is_fixed = _is_fixed(leaf)
    # Whoever speaks of the parameter may want another value than the usual one.
    is_spoken_of = is_fixed and not roots_of(leaf.name).isdisjoint(call.spoken_roots)
    if document is None or not is_fixed or is_spoken_of or is_told_otherwise(leaf, call):
        return None
    name = document.raw_span(0, len(call.tool))
    return Establishment(RULE, "The tool's document fixes this value.", Grounding.COPY, (name,))


def is_told_otherwise(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the text that asks says another option, or another currency."""
    alternatives = (Leaf(choice) for choice in leaf.choices if choice != leaf.text)
    if any(mentions_of(alternative, call.text) for alternative in alternatives):
        return True
    currency = currency_of(leaf.text) if leaf.text else None
    if currency is None and "currency" not in tokens_of(leaf.name):
        return False
    return any(amount.currency not in (None, leaf.text, currency) for amount in call.text.amounts)


def _is_fixed(leaf: Leaf) -> bool:
    schema = leaf.schema or {}
    fixed = [part["default"] for part in alternatives_of(schema) if "default" in part]
    # What one of several alternatives allows is a choice between them.
    fixed += [schema["const"]] if "const" in schema else []
    if isinstance(enum := schema.get("enum"), list) and len(enum) == 1 and enum[0] is not None:
        fixed += enum
    # True equals 1 to Python, and a default of 1 is no true.
    return any(type(value) is type(leaf.value) and value == leaf.value for value in fixed)
