"""What a person is told: which calls wait, until when, where to decide. No argument unless the workspace says so."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from reviews.models import Membership, Review
from reviews.provenance.core.invisible import spelled_out
from reviews.provenance.core.shortening import shorten_text

MAX_LISTED: Final = 10
"""Items that a message names: more are a reason to open the queue."""
# An agent chooses both: a line stays a line.
_MAX_NAME_LENGTH: Final = 60
_MAX_ARGUMENTS_LENGTH: Final = 80


@dataclass(frozen=True)
class Message:
    """What is sent, the same in each way."""

    subject: str
    text: str


def write_message(membership: Membership, reviews: Sequence[Review]) -> Message:
    """Of these items, the gravest first; without any a test."""
    workspace = _line(membership.workspace.name)
    if not reviews:
        return Message(
            f"Test from {workspace}",
            f"Notifications of {workspace} reach you.\n\nChange them: {_link('/notifications')}",
        )
    calls = f"{len(reviews)} call waits" if len(reviews) == 1 else f"{len(reviews)} calls wait"
    subject = f"{calls} for a person in {workspace}"
    lines = [_describe_item(membership, review) for review in reviews[:MAX_LISTED]]
    more = len(reviews) - len(lines)
    rest = [f"And {more} more: {_link('/queue')}"] if more else []
    return Message(subject, "\n\n".join([f"{subject}.", *lines, *rest, f"Change this: {_link('/notifications')}"]))


def _describe_item(membership: Membership, review: Review) -> str:
    action = review.action
    tool, agent = _line(action.tool), _line(action.agent_key.name)
    words = f"{action.risk} risk: {tool}, of {agent}, until {review.due_at:%d %b %H:%M} UTC"
    if membership.workspace.notifications_tell_values:
        arguments = json.dumps(action.arguments, ensure_ascii=False)
        words += f"\n{_line(arguments, _MAX_ARGUMENTS_LENGTH)}"
    return f"{words}\n{_link(f'/reviews/{review.pk}')}"


def _line(text: str, most: int = _MAX_NAME_LENGTH) -> str:
    # Hidden characters spelled out: they could turn the line around, or forge a header.
    return shorten_text(" ".join(spelled_out(text[: 4 * most]).split()), most)


def _link(path: str) -> str:
    # Absolute, and of the configuration: whoever reads it has no address of the site to begin with.
    return f"{settings.GUARD.public_url}{path}"
