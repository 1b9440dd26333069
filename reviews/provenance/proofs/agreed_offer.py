"""What the user agrees to is an offer of this call, and the agent's message holds nothing else.

Sound because: each word of the message is one by which an agent offers, the tool's own, a value of the call, or joins
them, and its other sentences only ask whether it is accepted; so there is nothing else to agree to, and nothing that
was said before is needed.
Assumes: who offers a call says its values. Of a message that reports, advises or offers more than one thing nobody can
tell what "yes" accepts.
"""

import re
from dataclasses import replace
from typing import Final

from reviews.provenance.data.asking import Asking
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import is_covered
from reviews.provenance.proofs.requested_tool import Request, find_request
from reviews.provenance.proofs.words import STANDING_IN
from reviews.provenance.text.names import local_name, stem_of, stems_of
from reviews.provenance.text.replies import asks_to_confirm, courtesies_in, opens_offer, words_in

RULE = "proofs.agreed_offer"
# Signs that say nothing by themselves; that of a currency is read with its amount.
_SIGNS: Final = re.compile(r"[\w\s.,!?'\"$€£¥]*")
# Words of a tool's name: a verb and its object.
_MIN_OWN_WORDS: Final = 2


def is_whole_offer(request: Request, call: ProposedCall) -> bool:
    """Whether the message that the user agreed to offers the call and says nothing else. Raises `OutOfBudgetError`."""
    text, start, end = request.text, request.sentence.start, request.sentence.end
    # Outside the values no sign may say anything.
    signs = list(text.folded)
    for first, last in call.used.get(text.source.id, ()):
        signs[first:last] = " " * (last - first)
    return (
        all(sentence.start == start or asks_to_confirm(sentence.text) for sentence in text.sentences)
        and opens_offer(text.folded[start : request.start])
        and STANDING_IN.isdisjoint(words_in(text.folded[request.end : end]))
        and is_covered((request.end, end), text, call)
        and _SIGNS.fullmatch("".join(signs[start:end])) is not None
    )


def with_answered_offer(call: ProposedCall) -> ProposedCall | None:
    """The call as what the agent has just said asks for it, too; None where the user's answer adds anything.

    An answer of the call's own words alone ("Cancel the order with the reason …") asks for what it answers. Raises
    `OutOfBudgetError`.
    """
    message, answered = call.asking.message, call.asking.answered
    if answered is None or call.asking.offers or not _is_of_own_words(message, call):
        return None
    offered = replace(call, asking=Asking(message, offers=((answered, message),)))
    return offered if find_request(offered, (answered,)) else None


def _is_of_own_words(message: SourceText, call: ProposedCall) -> bool:
    """Whether a message asks in the words of the call alone, and names more of it than a verb: "Stop!" may end it."""
    stems = {stem_of(word) for word in words_in(message.folded)}
    if len(stems & stems_of(local_name(call.tool))) < _MIN_OWN_WORDS and not call.used.get(message.source.id):
        return False
    if not all(sentence.is_plain and "?" not in sentence.text for sentence in message.sentences):
        return False
    polite = list(courtesies_in(message.folded, agreeing=True))
    return is_covered((0, len(message.folded)), message, call, polite)
