"""One check for what a proof decides, and one for what it leaves open."""

from reviews.provenance.argument_grounding import Grounded, Grounder
from reviews.provenance.core.context import Context, ProposedAction


def leaf_of(context: Context, action: ProposedAction, pointer: str) -> Grounded:
    """The answer for one value; its evidence stands in its sources."""
    leaves = {leaf.pointer: leaf for leaf in Grounder(context).trace_call(action).leaves}
    assert all(context.verifies(span) for leaf in leaves.values() for span in (*leaf.spans, *leaf.against))
    return leaves[pointer]


def check_decided(context: Context, action: ProposedAction, pointer: str, rule: str, *, holds: bool) -> Grounded:
    """This proof decides the value so."""
    leaf = leaf_of(context, action, pointer)
    assert (leaf.holds, leaf.rule) == (holds, f"proofs.{rule}"), leaf.note
    return leaf


def check_unknown(context: Context, action: ProposedAction, pointer: str) -> None:
    """No proof decides the value; a doubt says why, in a sentence for a person."""
    leaf = leaf_of(context, action, pointer)
    assert leaf.holds is None, (leaf.rule, leaf.note)
    assert leaf.rule.startswith("doubts.")
    assert leaf.note
