"""What the user agrees to is an offer of this call, and the agent's message holds nothing else.

Sound because: each word of the message is one by which an agent offers, the tool's own, a value of the call, or joins
them, and its other sentences only ask whether it is accepted; so there is nothing else to agree to, and nothing that
was said before is needed.
Nor has the agent asked anything else since the user spoke, which may be what is answered.
Assumes: who offers a call says its values. Of a message that reports, advises or offers more than one thing nobody can
tell what "yes" accepts.
"""

import re
from itertools import takewhile
from typing import Final

from reviews.provenance.core.context import Message
from reviews.provenance.core.places import history_position
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.leading import find_stray
from reviews.provenance.proofs.phrase import is_covered
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.words import STANDING_IN
from reviews.provenance.text.boundaries import blank_places
from reviews.provenance.text.replies import asks_to_confirm, opens_offer, words_in

RULE = "proofs.agreed_offer"
# Signs that say nothing by themselves; that of a currency is read with its amount.
_SIGNS: Final = re.compile(r"[\w\s.,!?'\"$€£¥]*")


def is_whole_offer(request: Request, call: ProposedCall) -> bool:
    """Whether the message that the user agreed to offers the call and says nothing else."""
    text, start, end = call.text, request.sentence.start, request.sentence.end
    return (
        not _is_second_question(call)
        and all(sentence.start == start or asks_to_confirm(sentence.text) for sentence in text.sentences)
        # "I can delete it" tells what could be done, and "okay" may only acknowledge it.
        and "?" in text.folded
        and opens_offer(text.folded[start : request.start])
        and STANDING_IN.isdisjoint(words_in(text.folded[request.end : end]))
        and is_covered((request.end, end), call)
        and find_stray((request.end, end), request, call) is None
        # Outside the values no sign may say anything.
        and _SIGNS.fullmatch(blank_places(text.folded, call.used)[start:end]) is not None
    )


def _is_second_question(call: ProposedCall) -> bool:
    """Whether the agent has asked something before the offer, and the user has said nothing in between."""
    before = list(enumerate(call.evidence.context.history, start=1))[: history_position(call.text.source.id) - 1]
    turn = takewhile(lambda entry: not isinstance(entry[1], Message) or entry[1].role != "user", reversed(before))
    texts = (call.evidence.texts[f"history/{at}/message"] for at, item in turn if isinstance(item, Message))
    return any(sentence.is_question for text in texts for sentence in text.sentences)
