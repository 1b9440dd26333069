"""What a reviewer has written to agents before, to be used again."""

from dataclasses import dataclass
from typing import Final

from reviews import access
from reviews.models import Membership, Outcome

# Snippets of each kind: as many as are read at a glance.
MAX_SNIPPETS: Final = 5
# Latest decisions that are looked through: the same few sentences come back within a day's work.
MAX_SEARCHED: Final = 60
# Characters: a longer message was about one call alone.
MAX_LENGTH: Final = 300


@dataclass(frozen=True)
class Snippets:
    """The person's latest messages, each once, the newest first."""

    reject: list[str]
    respond: list[str]


def list_snippets(membership: Membership) -> Snippets:
    """The messages of the person's latest rejections and answers."""
    decisions = access.own_decisions_for(membership).exclude(message="").order_by("-created_at")
    latest = list(decisions.values_list("outcome", "message")[:MAX_SEARCHED])

    def of(outcome: Outcome) -> list[str]:
        messages = (message for kind, message in latest if kind == outcome and len(message) <= MAX_LENGTH)
        return list(dict.fromkeys(messages))[:MAX_SNIPPETS]

    return Snippets(of(Outcome.REJECT), of(Outcome.RESPOND))
