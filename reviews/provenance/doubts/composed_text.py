"""How the doubts about a text that the agent words itself read it, and what they hold it against."""

from reviews.provenance.core.context import Source, Span
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import SourceText
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import MAX_READ, ProposedCall, is_bare
from reviews.provenance.terms.argument_leaf import Leaf


def read_composed(leaf: Leaf, call: ProposedCall) -> SourceText | None:
    """The text with what it says; None for a value that nobody words."""
    if not isinstance(leaf.value, str) or is_bare(leaf) or leaf.choices:
        return None
    return read_text(leaf.text, call)


def read_text(text: str, call: ProposedCall) -> SourceText:
    """What words of the call say."""
    source = Source("call", SourceKind.TOOL_CALL, text[:MAX_READ])
    return SourceText(source, call.evidence.budget, call.evidence.presumed_now)


def texts_beside_calls(call: ProposedCall) -> list[SourceText]:
    """Every source but the agent's earlier calls: what it wrote there says nothing by itself."""
    return [text for text in call.evidence.texts.values() if text.source.kind is not SourceKind.TOOL_CALL]


def doubt_difference(rule: str, quote: str, meant: Span, whose: str = "the user does") -> Doubt:
    """The doubt about what the text writes in place of what somebody else does."""
    note = f"The text says “{quote}”, and not “{meant.quote}” as {whose}. Is that right?"
    return Doubt(rule, note, nearest=meant)
