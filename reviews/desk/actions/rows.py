"""Rows of a table of settled or proposed calls."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.urls import reverse

from reviews.desk.text.gist import gist_of
from reviews.models import Action, Decision, Review

# Characters of a call in a row.
MAX_GIST_LENGTH: Final = 160


@dataclass(frozen=True)
class CallRow:
    """One call with what became of it."""

    action: Action
    decision: Decision | None
    """The one that stands."""
    href: str
    key: str
    """Names the row on its page."""
    text: str
    """What the wide column says: the arguments, or a reason."""
    at: datetime | None
    stands_for: float | None = None
    """Of a call that was drawn for audit: how many it stands for."""


def row_of_action(action: Action) -> CallRow:
    """A row that leads to the action's page. The action comes with `in_force`."""
    decision = next(iter(action.in_force), None)  # type: ignore[attr-defined]
    return CallRow(
        action, decision, reverse("action", args=[action.pk]), str(action.pk), shorten_call(action), action.created_at
    )


def row_of_audit(decision: Decision) -> CallRow:
    """A row of the audit queue, whose page leads on to the next."""
    action = decision.action
    address = reverse("action", args=[action.pk]) + "?audit=1"
    text, key = shorten_call(action), str(action.pk)
    return CallRow(action, decision, address, key, text, decision.created_at, decision.audit_one_in)


def row_of_review(review: Review) -> CallRow:
    """A row of an item that left the queue, with the reason for which it was there."""
    decision = next(iter(review.action.in_force), None)  # type: ignore[attr-defined]
    address = reverse("review", args=[review.pk])
    return CallRow(review.action, decision, address, str(review.pk), review.reason, review.closed_at)


def shorten_call(action: Action) -> str:
    """What the arguments say at a glance."""
    return gist_of("", action.arguments)[:MAX_GIST_LENGTH].strip()
