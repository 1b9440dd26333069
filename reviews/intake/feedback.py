"""What reviewers said of earlier tries: the retry's context has it, trusted like the user's words (InferAct, 3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from reviews.decisions.tries import MAX_TRIES
from reviews.errors import RetryRoundsUsedUpError
from reviews.models import DecidedBy, Decision, GuardProfile, Outcome
from reviews.provenance.core.context import Context, NamedText
from reviews.provenance.core.trust import SourceKind

_SENT_BACK: Final = (Outcome.REJECT, Outcome.RESPOND)


@dataclass(frozen=True)
class Feedback:
    """What came of earlier tries of one call."""

    tries: int
    """How many there were."""
    rounds: int
    """How many of them a reviewer sent back."""
    messages: tuple[str, ...]
    """What was said of them, in the order in which it was said; whoever said nothing has none."""

    def added_to(self, context: Context) -> Context:
        """The context with these messages as sources of their own."""
        texts = (
            NamedText(SourceKind.REVIEWER, f"feedback {number}", message)
            for number, message in enumerate(self.messages, start=1)
        )
        return replace(context, extra=(*context.extra, *texts))

    def require_round(self, profile: GuardProfile) -> None:
        """Raises `RetryRoundsUsedUpError` where the profile allows no further try."""
        if self.rounds > profile.retry_rounds or self.tries > MAX_TRIES:
            raise RetryRoundsUsedUpError(self.rounds, tries=self.tries)


def feedback_on(tries: Sequence[UUID]) -> Feedback:
    """What reviewers said of these tries of a call."""
    if not tries:
        return Feedback(0, 0, ())
    # Only what the agent was told: a decision that is held back may still be taken back.
    decisions = Decision.objects.filter(
        action__in=tries, in_force=True, decided_by=DecidedBy.REVIEWER, outcome__in=_SENT_BACK
    )
    messages = list(decisions.order_by("created_at").values_list("message", flat=True))
    comments = tuple(message for message in messages if message.strip())
    return Feedback(len(tries), len(messages), comments)
