"""What reviewers said of earlier tries: the retry's context has it, trusted like the user's words (InferAct, 3.2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from reviews.errors import RetryRoundsUsedUpError
from reviews.models import Action, DecidedBy, Decision, GuardProfile, Outcome
from reviews.profiles.validation import MAX_RETRY_ROUNDS
from reviews.provenance.core.context import Context, NamedText
from reviews.provenance.core.trust import SourceKind

_SENT_BACK: Final = (Outcome.REJECT, Outcome.RESPOND)
# Tries that nobody decided, because the next one superseded them, lie between those that were sent back.
_MAX_TRIES: Final = 10 * MAX_RETRY_ROUNDS


@dataclass(frozen=True)
class Feedback:
    """What came of earlier tries of one call."""

    rounds: int
    """How many of them a reviewer sent back."""
    messages: tuple[str, ...]
    """What was said of them, in order; whoever said nothing has none."""

    def added_to(self, context: Context) -> Context:
        """The context with these messages as sources of their own."""
        texts = (
            NamedText(SourceKind.REVIEWER, f"feedback {number}", message)
            for number, message in enumerate(self.messages, start=1)
        )
        return replace(context, extra=(*context.extra, *texts))

    def require_round(self, profile: GuardProfile) -> None:
        """Raises `RetryRoundsUsedUpError` where the profile allows no further try."""
        if self.rounds > profile.retry_rounds:
            raise RetryRoundsUsedUpError(self.rounds)


NO_FEEDBACK: Final = Feedback(0, ())


def feedback_on(retried: Action | None) -> Feedback:
    """What reviewers said of this try and of those before it."""
    if retried is None:
        return NO_FEEDBACK
    tries = list(_tries_from(retried))
    # Only what the agent was told: a decision that is held back may still be taken back.
    decisions = Decision.objects.filter(
        action__in=tries, in_force=True, decided_by=DecidedBy.REVIEWER, outcome__in=_SENT_BACK
    )
    messages = _in_order(tries, dict(decisions.values_list("action", "message")))
    return Feedback(len(messages), tuple(message for message in messages if message.strip()))


def _tries_from(retried: Action) -> Iterator[UUID]:
    """The ids of the tries, the latest first."""
    yield retried.pk
    before = retried.retry_of_id
    for _ in range(_MAX_TRIES):
        if before is None:
            return
        yield before
        before = Action.objects.values_list("retry_of", flat=True).get(pk=before)


def _in_order(tries: Sequence[UUID], messages: dict[UUID, str]) -> list[str]:
    return [messages[action] for action in reversed(tries) if action in messages]
