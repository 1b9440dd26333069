"""Whether what is said may be meant for a parameter that the call leaves out."""

from typing import Final

from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf, types_of
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import is_name_of_thing
from reviews.provenance.text.fold import fold

# How parameters are called whose value names a thing by where it is.
_PLACES: Final = frozenset({"path", "url"})
_NUMBERS: Final = frozenset({"integer", "number"})


def omits_number(call: ProposedCall) -> bool:
    """Whether the call leaves out a parameter that takes a number."""
    return any(not _NUMBERS.isdisjoint(types_of(schema)) for schema in call.omitted.values())


def may_be_of_omitted(leaf: Leaf, call: ProposedCall, *, is_quoted: bool = False) -> bool:
    """Whether a value may be meant for a parameter that the call leaves out: what has to be given goes before that.

    What is quoted may be any text: of "an email 'Hi'" the subject, and no recipient, unless it names the thing.
    """
    required = call.document.parameters.get("required")
    is_required = isinstance(required, list) and leaf.parameter in required
    is_first = is_required and (
        not is_quoted or call.composes(leaf) or is_name_of_thing((leaf.name,), call.things | _PLACES)
    )
    return not is_first and any(_may_take(leaf, path, call, is_quoted=is_quoted) for path in call.omitted)


def _may_take(leaf: Leaf, path: str, call: ProposedCall, *, is_quoted: bool) -> bool:
    """Whether a parameter that is left out takes values that are written like the leaf's."""
    other = Leaf(None, path, call.omitted[path])
    call.evidence.budget.spend()
    if leaf.choices or other.choices:
        return leaf.folded in map(fold, other.choices)
    is_formatted = kind_of(leaf) is not Kind.MOMENT and "format" in call.omitted[path]
    # What is composed stands for nothing else than another text that is.
    is_alike = is_quoted or call.composes(leaf) or call.classes.is_derivable(path) is not False
    return types_of(other.schema) == {"string"} and not is_formatted and is_alike
