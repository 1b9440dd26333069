"""The desk as a person's browser meets it, and items waiting on it."""

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.test import Client
from django.utils import timezone

from reviews.decisions import decide
from reviews.desk.review import seen
from reviews.desk.review.page import CaseFile, open_casefile
from reviews.models import Action, Check, CheckStatus, Membership, Review, Status, VerdictLabel
from tests.cast import RIGHT, Cast, propose

HTMX = {"HX-Request": "true"}
SESSIONS: Final[dict[int, str]] = {}
"""Of people who were signed in before the test: user -> session."""
# Script and style within a page, which its Content-Security-Policy forbids.
INLINE = re.compile(r"<style|\sstyle\s*=|\son\w+\s*=|javascript:|<script(?![^>]*\ssrc=)|\shx-on", re.IGNORECASE)


@dataclass(frozen=True)
class Desk:
    """A signed-in browser."""

    client: Client
    membership: Membership | None = None
    """Whose it is, where that is known."""

    @classmethod
    def of(cls, membership: Membership) -> "Desk":
        """The browser of this member."""
        client = Client()
        # Once: the next browser of the same person is another one.
        if session := SESSIONS.pop(membership.user_id, None):
            client.cookies[settings.SESSION_COOKIE_NAME] = session
        else:
            client.force_login(membership.user)
        return cls(client, membership)

    def shows(self, path: str, *texts: str, status: int = HTTPStatus.OK) -> str:
        """The page at this address has this status and says all of this; returns what it says."""
        return check_page(self.client.get(path), *texts, status=status)

    def lacks(self, path: str, *texts: str) -> None:
        """The page at this address says none of this."""
        body = self.shows(path)
        assert [text for text in texts if text in body] == []

    def sends(self, path: str, *texts: str, status: int = HTTPStatus.OK, **form: Any) -> str:
        """Sending this form ends on a page with this status that says all of this."""
        return check_page(self.client.post(path, form, follow=True), *texts, status=status)

    def poll(self, version: str, **filters: str) -> Any:
        """The response of the queue's list to a page that shows this version."""
        headers = {**HTMX, "HX-Target": "queue-list"}
        return self.client.get("/queue", {**filters, "since": version}, headers=headers)


def check_page(response: Any, *texts: str, status: int = HTTPStatus.OK) -> str:
    """The response has this status and says all of this; returns what it says."""
    body: str = response.content.decode()
    assert response.status_code == status
    assert [text for text in texts if text not in body] == []
    return body


def at(review: Review, *path: str) -> str:
    """The address of the item's page, or of one below it."""
    return "/".join(["/reviews", str(review.pk), *path])


def opened(review: Review) -> CaseFile:
    """The item as its page shows it to somebody who may see every check."""
    return open_casefile(review, list(Check.objects.filter(action=review.action_id)))


def waiting(
    cast: Cast, tool: str = "money_transfer", *, misalignment: str = "parameter", reason: str = "No source.", **row: Any
) -> Review:
    """An item that a detector put into the queue for this reason. Further values go into its row."""
    action = propose(cast, replace(RIGHT, tool=tool), trace_id=f"conv-{Action.objects.count()}")
    verdict = VerdictLabel.MISALIGNED if misalignment else VerdictLabel.UNDETERMINED
    Check.objects.filter(action=action).update(
        status=CheckStatus.DONE, verdict=verdict, misalignment=misalignment, reason=reason, finished_at=timezone.now()
    )
    Action.objects.filter(pk=action.pk).update(status=Status.PENDING)
    due = timezone.now() + timedelta(hours=1)
    values = {"priority": 4, "due_at": due, "order_at": row.get("due_at", due), "reason": reason, **row}
    return Review.objects.create(workspace=cast.workspace, action=action, **values)


def rejected_by_another(cast: Cast, review: Review) -> None:
    """Another reviewer rejects the call."""
    decide.decide_action(action=review.action, choice=decide.Reject("No."), membership=cast.other_reviewer)


def held(review: Review, membership: Membership, *, seconds: int = 60) -> Review:
    """The member looks at this item, for so many seconds more."""
    now = timezone.now()
    Review.objects.filter(pk=review.pk).update(
        claimed_by=membership.user_id, claimed_at=now, claimed_until=now + timedelta(seconds=seconds)
    )
    return review


def decision_of(review: Review, membership: Membership | None, **form: Any) -> dict[str, Any]:
    """What a page sends that has shown the item to this member for a minute, a grave call being confirmed."""
    assert membership is not None
    minute_ago = timezone.now() - timedelta(minutes=1)
    return {"seen": seen.sign_token(review, membership, minute_ago), "confirmed": "1", **form}
