"""An opaque identifier of which no part stands anywhere in the context, in any form.

Sound because: an e-mail address, an account, a UUID or a code is known or it is not; it cannot be worked out from
anything, and here not even a part of it is said.
Assumes: the tool does not ask the agent to make one up, as one that creates what the identifier names does, or whose
document calls it unique, random or new: also the username of a new user. Nor is it one of the codes that the world has
("the code of asthma"), which an agent may know. Parameters whose values an agent composes are left out, and an address
whose host or name is said may have been put together: that is unknown. So is what is like another one but for its last
two signs: it may be the next of a counter, or an extension of a telephone number; a number of which the last figures
are said; anything where an image, a recording or a file may show it, which nobody has read; figures where a message
dictates numbers in words; and letters where it spells them by words or is written in another script.
"""

import re
import unicodedata
from itertools import islice

from reviews.provenance.core.placeholders import holds_unread_part
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.proofs.call import MAX_READ, ProposedCall, Refutation
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.names import local_name, root_of, stem_of, tokens_of
from reviews.provenance.values.identifiers import is_opaque
from reviews.provenance.values.phones import last_figures

RULE = "proofs.unknown_identifier"
# Runs of letters or of figures; shorter ones stand in any text by chance.
_PART = re.compile(r"[^\W\d_]{3,}|\d{3,}")
# Signs at the end by which a counter or an extension tells an identifier from the one before.
_COUNTING = 2
# Numbers in words that may be a number that is dictated; one or two stand in any message.
_DICTATED, _MAX_NUMBERS = 3, 1_000
# Runs of letters that a message may spell; two that follow each other do so by chance.
_LETTERS, _SHORT = re.compile(r"[^\W\d_]{2,}"), 2
# Verbs of tools that make something, and stems by which documents say that the caller makes a value.
_MAKING = frozenset("create make register new".split())
_NEW = frozenset(map(stem_of, "unique uniquely random idempotent idempotency generate generated new arbitrary".split()))
# How parameters are called that may take one of a list which the world has: a disease's, a country's.
_CODE = "code"
_SEPARATORS = re.compile(r"[\s()./-]")


def refute_leaf(leaf: Leaf, call: ProposedCall, *, has_term: bool) -> Refutation | None:
    """The refutation of an identifier that nothing gives."""
    parts, compact = _PART.findall(leaf.bare), _SEPARATORS.sub("", leaf.bare)
    if has_term or not isinstance(leaf.value, str) or call.classes.is_derivable(leaf.pointer) is not True:
        return None
    if not parts or not is_opaque(leaf.bare) or _is_made_up(leaf, call) or _is_dictated(leaf, call):
        return None
    if tokens_of(leaf.name)[-1:] == (_CODE,):
        return None
    # A country's code before it, and the zero that it stands for, are worked out.
    tail = last_figures(leaf.bare) if not any(map(str.isalpha, leaf.bare)) else ""
    for text in call.evidence.texts.values():
        if text.source.kind is SourceKind.TOOL_CALL:
            continue
        call.evidence.budget.spend(1 + len(text.source.text) // 64)
        is_near = compact[:-_COUNTING] in text.ungrouped or (tail and tail in text.ungrouped)
        if is_near or any(part in text.folded for part in parts):
            return None
        if holds_unread_part(text.source.text):
            return None
    return Refutation(RULE, f"“{shorten_text(leaf.text, 60)}” appears nowhere, nor does any part of it.")


def _is_made_up(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the tool may ask for a new identifier: it makes what that names, or its document says so."""
    if not _NEW.isdisjoint(map(stem_of, words_of(leaf.description))):
        return True
    words = tokens_of(local_name(call.tool))
    # Also a `username` of `create_user`.
    made = tuple({root_of(word) for word in words if len(word) > _SHORT} - _MAKING)
    return not _MAKING.isdisjoint(words) and any(word.startswith(made) for word in tokens_of(leaf.name))


def _may_be_spelled(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether a message spells letters of the value by words ("Alpha Bravo"), or is written in another script."""
    runs = _LETTERS.findall(leaf.bare)
    for text in call.evidence.user_messages if runs else ():
        call.evidence.budget.spend(1 + len(text.folded) // 8)
        signs = {sign for sign in text.folded if not sign.isascii() and sign.isalpha()}
        if any(not unicodedata.name(sign, "").startswith("LATIN") for sign in signs):
            return True
        initials = "".join(word[0] for word in words_of(text.folded[:MAX_READ]))
        if any(run in initials for run in runs if len(run) > _SHORT) or all(run in initials for run in runs):
            return True
    return False


def _is_dictated(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the user says words that the letters or figures of the value may be."""
    if any(map(str.isalpha, leaf.bare)):
        return _may_be_spelled(leaf, call)
    messages = call.evidence.user_messages
    numbers = ((text, place) for text in messages for places in text.numbers.values() for place in places)
    words = (text.folded[slice(*place)] for text, place in islice(numbers, _MAX_NUMBERS))
    return sum(any(map(str.isalpha, number)) for number in words) >= _DICTATED
