"""Which message asks for what is done now, and what the user agreed to since."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from reviews.provenance.core.context import Message
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.text.replies import is_agreement, offers_help, says_nothing


@dataclass(frozen=True)
class LatestRequest:
    """The user's message that asks for what is done now, and the offers that were agreed to since."""

    message: SourceText
    offers: tuple[tuple[SourceText, SourceText], ...] = ()
    """Message of the agent and the user's agreement, the latest first."""
    answered: SourceText | None = None
    """What the agent said right before the message."""

    @property
    def text(self) -> SourceText:
        """What may prove a call: the message, or what the agent said last that the user agreed to, by itself."""
        return self.offers[0][0] if self.offers else self.message

    @property
    def is_answer(self) -> bool:
        """Whether it may answer the agent, who has said more than that it helps."""
        sentences = self.answered.sentences if self.answered and not self.offers else ()
        return not all(says_nothing(sentence.text) or offers_help(sentence.text) for sentence in sentences)

    def agreement_to(self, text: SourceText) -> SourceText | None:
        """The user's agreement to an offer; None for the user's own message."""
        return next((answer for offer, answer in self.offers if offer is text), None)


def find_latest_request(evidence: Evidence) -> LatestRequest:
    """What asks for the next call: the latest message that is more than an agreement, and what was agreed to."""
    turns = [(evidence.texts["query"], "user")]
    for position, item in enumerate(evidence.context.history, start=1):
        if isinstance(item, Message):
            turns.append((evidence.texts[f"history/{position}/message"], item.role))
    turns += [(text, "reviewer") for text in evidence.texts.values() if text.source.kind is SourceKind.REVIEWER]
    offers: list[tuple[SourceText, SourceText]] = []
    # The query is the user's, and ends it.
    while True:
        text, role = turns.pop()
        # Never an agreement to what the agent offered: it was said when the call was sent back.
        if role == "reviewer":
            return LatestRequest(text)
        if role != "user":
            continue
        if not turns or not is_agreement(text.source.text):
            answered = turns[-1][0] if turns and turns[-1][1] != "user" else None
            return LatestRequest(text, tuple(offers), answered)
        if turns[-1][1] != "user":
            offers.append((turns[-1][0], text))


def find_answered_messages(evidence: Evidence) -> Iterator[tuple[SourceText, SourceText]]:
    """Each message of the agent that the user's next one answers, in whatever words, with it; the latest first."""
    turns = [(n, item.role) for n, item in enumerate(evidence.context.history, start=1) if isinstance(item, Message)]
    for (first, role), (second, next_role) in reversed(list(pairwise(turns))):
        if role != "user" and next_role == "user":
            yield evidence.texts[f"history/{first}/message"], evidence.texts[f"history/{second}/message"]
