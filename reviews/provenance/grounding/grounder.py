"""Traces the values of calls within one context, which it reads once."""

from dataclasses import replace

from reviews.provenance.core.budget import Budget, OutOfBudgetError
from reviews.provenance.core.context import Case, Context, JsonValue, Message, ProposedAction, Step
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.sources import Evidence
from reviews.provenance.grounding.decide import decide
from reviews.provenance.grounding.results import Grounded, GroundedCall
from reviews.provenance.proofs import reversed_bounds
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.requested_tool import requested_at
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.names import stem_of, tokens_of

OUT_OF_BUDGET = "grounding.budget"
_UNREAD = "There is too much to read for rules; nobody has looked where this value comes from."


class Grounder:
    """Traces calls within one context."""

    def __init__(self, context: Context, budget: Budget | None = None) -> None:
        self.context = context
        self._evidence = Evidence(context, budget)

    def arguments(self, action: ProposedAction) -> tuple[Grounded, ...]:
        """Every leaf of the arguments, in order."""
        return self.call(action).leaves

    def call(self, action: ProposedAction) -> GroundedCall:
        """The whole call. A budget that runs out leaves everything unknown."""
        call = ProposedCall.of(Case(self.context, action), self._evidence)
        try:
            request = requested_at(call)
            reversed_ones = reversed_bounds.refute_leaves(call)
            leaves = tuple(decide(leaf, call, request, reversed_ones) for leaf in call.leaves)
            missing = _left_out(call, action)
        except OutOfBudgetError:
            return GroundedCall(tuple(_unread(leaf) for leaf in call.leaves), decisive=_decisive(call))
        return GroundedCall(leaves, request, _decisive(call), missing, _is_repeated(call, action))

    def value(self, value: JsonValue, pointer: str) -> Grounded:
        """One value by itself."""
        return self.arguments(ProposedAction("", {pointer.strip("/"): value}))[0]


def ground_arguments(case: Case) -> tuple[Grounded, ...]:
    """Every leaf of one call's arguments."""
    return Grounder(case.context).arguments(case.action)


def _decisive(call: ProposedCall) -> frozenset[str]:
    return frozenset(leaf.pointer for leaf in call.decisive)


def _unread(leaf: Leaf) -> Grounded:
    return Grounded(leaf.pointer, leaf.value, None, Grounding.UNGROUNDED, _UNREAD, rule=OUT_OF_BUDGET)


def _left_out(call: ProposedCall, action: ProposedAction) -> str:
    """The optional parameter that the asking message speaks of, and the call leaves out.

    Without its file a tool that writes may do something else: what is left out is as decisive as what is given.
    """
    if call.document is None:
        return ""
    given = {stem_of(token) for name in action.arguments for token in tokens_of(name)}
    said = {stem_of(word) for text in call.asking.texts for word in words_of(text.folded)}
    own = {stem_of(token) for token in tokens_of(call.tool)}
    for name in sorted(call.document.properties.keys() - action.arguments.keys()):
        words = {stem_of(token) for token in tokens_of(name)} - given - own
        if words and words <= said:
            return name
    return ""


def _is_repeated(call: ProposedCall, action: ProposedAction) -> bool:
    """Whether the history has this very call since the message that asks."""
    for item in reversed(call.evidence.context.history):
        if isinstance(item, Step) and item.tool == action.tool and dict(item.arguments) == dict(action.arguments):
            return True
        if isinstance(item, Message) and item.role == "user":
            return False
    return False


def without_terms(grounded: Grounded) -> Grounded:
    """The same without what only a judge needs, for storage and other processes."""
    return replace(grounded, terms=())
