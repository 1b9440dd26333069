"""Whether the words of a free text name something, as their form or the data show.

Nothing is read here: a word behind "the user" may be a name, or say which one, when or how ("oldest", "immediately").
A name is shown by figures or signs within it, by a capital letter where other words have none, by a word that says
what something is called, or by data that hold it as a whole field.
"""

import re
from typing import Final

from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.whole_value import is_part_of_quotation, is_quoted, may_be_several
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.search import cells_with
from reviews.provenance.terms.value_mentions import Mention
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.replies import WORD, words_in

# Words that say what something is called, and one that says what a text says.
_CALLING: Final = frozenset("called named titled saying".split())
# What no plain word has within.
_SIGN_WITHIN: Final = re.compile(r"[\d_./\\@:#&]")
# Characters before a value in which such a word stands.
_REACH: Final = 24
# Of a sentence whose words are looked at.
_CHARACTERS_A_STEP: Final = 8


def is_name(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether a text that is not quoted is shown to be a name. Raises `OutOfBudgetError`."""
    text, (start, _) = call.text, mention.place
    before = text.folded[max(0, start - _REACH) : start]
    return (
        _SIGN_WITHIN.search(leaf.text) is not None
        or before.rstrip().endswith(":")
        or not _CALLING.isdisjoint(words_in(before)[-1:])
        or _stands_out(mention.place, call)
        or any(any(cells_with(leaf, source)) for source in call.evidence.data)
    )


def is_verbatim(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether the words are a text to be taken as it is: quoted, all that follows a colon, or a name.

    "Reply with a polite refusal" describes one. Raises `OutOfBudgetError`.
    """
    text, (start, end) = call.text, mention.place
    if is_part_of_quotation(mention, text):
        return False
    closes = text.folded[:start].rstrip().endswith(":") and not text.folded[end:].strip(" .!")
    is_called = is_name(leaf, mention, call) and not may_be_several(leaf, call)
    return is_quoted(mention, text) or closes or is_called


def _stands_out(place: Place, call: ProposedCall) -> bool:
    """Whether it begins with a capital letter that no style of writing explains: "Delete The User Immediately"."""
    text = call.text
    sentence = text.sentence_at(place[0])
    if sentence is None or not text.span(*place).quote[:1].isupper():
        return False
    text.budget.spend(1 + len(sentence.text) // _CHARACTERS_A_STEP)
    words = [hit.span() for hit in WORD.finditer(text.folded, sentence.start, sentence.end)]
    opening = text.span(*words[0])
    if words[0][0] >= place[0] or opening.quote[1:].isupper():
        return False
    others = [text.span(*word).quote for word in words[1:] if not call.is_used(*word)]
    # "EUR" is written so anywhere.
    styled = [word for word in others if not word.isupper()]
    return not styled or any(word[:1].islower() for word in styled)
