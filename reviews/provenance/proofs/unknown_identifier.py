"""An opaque identifier of which no part stands anywhere in the context, in any form.

Sound because: an e-mail address, an account, a UUID or a code is known or it is not; it cannot be worked out from
anything, and here not even a part of it is said.
Assumes: the tool does not ask the agent to make one up. Parameters whose values an agent composes are left out, and an
address whose host or name is said may have been put together: that is unknown. So is what is like another one but for
its last two signs: it may be the next of a counter, or an extension of a telephone number; anything where an image, a
recording or a file may show it, which nobody has read; figures where a message dictates numbers in words; and a
telephone number whose figures behind the country's code are said: the country may follow from what else is.
"""

import re
from itertools import islice

from reviews.provenance.core.placeholders import holds_unread_part
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.proofs.call import ProposedCall, Refutation
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.same_value import PHONE
from reviews.provenance.text.pattern_anchors import FOREIGN_FIGURE
from reviews.provenance.values.identifiers import is_opaque
from reviews.provenance.values.phones import national_figures

RULE = "proofs.unknown_identifier"
# Runs of letters or of figures; shorter ones stand in any text by chance.
_PART = re.compile(r"[^\W\d_]{3,}|\d{3,}")
# Signs at the end by which a counter or an extension tells an identifier from the one before.
_COUNTING = 2
# Figures of a telephone number; shorter ones stand in a text by chance.
_MIN_DIALLED = 6
# Numbers in words that may be a number that is dictated; one or two stand in any message.
_DICTATED, _MAX_NUMBERS = 3, 1_000
_SEPARATORS = re.compile(r"[\s()./-]")


def refute_leaf(leaf: Leaf, call: ProposedCall, *, has_term: bool) -> Refutation | None:
    """The refutation of an identifier that nothing gives. Raises `OutOfBudgetError`."""
    parts, compact = _PART.findall(leaf.bare), _SEPARATORS.sub("", leaf.bare)
    dialled = national_figures(leaf.text) if PHONE.fullmatch(leaf.text) else ""
    if has_term or not isinstance(leaf.value, str) or call.classes.is_derivable(leaf.pointer) is not True:
        return None
    if not parts or not is_opaque(leaf.bare) or _is_dictated(leaf, call):
        return None
    for text in call.evidence.texts.values():
        if text.source.kind is SourceKind.TOOL_CALL:
            continue
        call.evidence.budget.spend(1 + len(text.source.text) // 64)
        folded, ungrouped = _with_plain_figures(text.folded, call), _with_plain_figures(text.ungrouped, call)
        if any(part in folded for part in parts) or compact[:-_COUNTING] in ungrouped:
            return None
        if len(dialled) >= _MIN_DIALLED and dialled in ungrouped:
            return None
        if holds_unread_part(text.source.text):
            return None
    return Refutation(RULE, f"“{shorten_text(leaf.text, 60)}” appears nowhere, nor does any part of it.")


def _with_plain_figures(view: str, call: ProposedCall) -> str:
    """The text with the figures of every script as 0 to 9. Raises `OutOfBudgetError`."""
    if view.isascii():
        return view
    # Looked through sign by sign, where a search is far quicker.
    call.evidence.budget.spend(1 + len(view) // 8)
    return FOREIGN_FIGURE.sub(lambda hit: str(int(hit[0])), view)


def _is_dictated(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the user says numbers in words that the figures of the value may be. Raises `OutOfBudgetError`."""
    if any(map(str.isalpha, leaf.bare)):
        return False
    said = (
        text.folded[slice(*place)]
        for text in call.evidence.user_messages
        for places in text.numbers.values()
        for place in places
    )
    return sum(any(map(str.isalpha, words)) for words in islice(said, _MAX_NUMBERS)) >= _DICTATED
