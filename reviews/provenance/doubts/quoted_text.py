"""The message that asks quotes the text to write, and the agent writes another: what is dictated, nobody composes."""

from collections.abc import Sequence

from reviews.provenance.core.context import Step
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import is_labelled
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.fold import unescape, words_of

RULE = "doubts.quoted_text"
# Characters of values that are searched for one step of the budget: a search is far quicker than a loop.
_CHARACTERS_A_STEP = 1_024


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a composed text in whose place another is quoted.

    A quotation beside the parameter's name is this one's, and of several it may take each. One beside no name is the
    text of any value, or the name of something that a tool has returned, or was written already by another tool's call.
    """
    if not leaf.text or not call.composes(leaf) or _is_dictated(leaf, call):
        return None
    is_said = bool(mentions_of(leaf, call.text))
    for start, end in call.text.quotations:
        # What stands before it is looked for among all that values take up.
        call.evidence.budget.spend(1 + len(call.used))
        is_own = is_labelled(leaf, start, end, call)
        if is_own is False or (is_said and not is_own):
            continue
        quoted = call.text.folded[start + 1 : end - 1]
        if not _is_written(quoted, [leaf] if is_own else call.leaves, call, is_own):
            span = call.text.span(start + 1, end - 1)
            note = f"The request quotes “{shorten_text(span.quote, 60)}”; the call writes another. Is that meant?"
            return Doubt(RULE, note, span)
    return None


def _is_dictated(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the value has the words of a quotation that no other parameter's name stands beside."""
    call.evidence.budget.spend(1 + len(call.text.quotations) * (1 + len(call.used)))
    return any(
        words_of(unescape(call.text.folded[start + 1 : end - 1])) == leaf.words
        and is_labelled(leaf, start, end, call) is not False
        for start, end in call.text.quotations
    )


def _is_written(quoted: str, leaves: Sequence[Leaf], call: ProposedCall, is_own: bool | None) -> bool:
    """Whether a value has these words in a row; or, of nobody's quotation, a result or another tool's call."""
    texts, steps = call.evidence.texts, enumerate(call.evidence.context.history, start=1)
    # What was done before with other tools: this one may have to write the same to somebody else.
    calls = (texts[f"history/{at}/call"] for at, item in steps if isinstance(item, Step) and item.tool != call.tool)
    results = [] if is_own else [text.folded for text in (*call.evidence.data, *calls)]
    length = len(quoted) + sum(len(leaf.text) for leaf in leaves) + sum(map(len, results))
    call.evidence.budget.spend(1 + len(leaves) + length // _CHARACTERS_A_STEP)
    # Whoever types the two characters of an escape means what it stands for, or those two.
    spellings = {f" {' '.join(words_of(spelling))} " for spelling in (quoted, unescape(quoted))}
    values = [f" {' '.join(leaf.words)} " for leaf in leaves]
    return any(words in text for words in spellings for text in values) or any(quoted in text for text in results)
