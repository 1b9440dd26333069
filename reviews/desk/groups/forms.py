"""The form that decides many items at once."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from django import forms
from django.core import signing
from django.http import QueryDict
from django.utils import timezone

from reviews.decisions.decide import Approve, Choice, Reject
from reviews.decisions.order_conditions import MAX_CONDITIONS, OrderCondition
from reviews.desk.review.forms import MAX_MESSAGE_LENGTH
from reviews.desk.review.seen import MIN_LOOK
from reviews.errors import NotSeenError
from reviews.models import Membership

# Decisions of one request: each is a transaction of some ten milliseconds.
MAX_DECIDED: Final = 200
_SALT: Final = "reviews.desk.groups"
# An amount, a recipient and one thing more; without a script no row can be added.
_EMPTY_ROWS: Final = [("", "at_most", "")] * 3


def sign_items(membership: Membership, items: Sequence[UUID]) -> str:
    """The word of a page that shows these items to this person since now."""
    return signing.dumps(
        [membership.user_id, timezone.now().timestamp(), [item.hex for item in items]], salt=_SALT, compress=True
    )


def check_shown(token: str, membership: Membership) -> tuple[datetime, set[UUID]]:
    """Since when a page has shown which items to this person. Raises `NotSeenError`."""
    try:
        user, since, items = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        raise NotSeenError("This page is not up to date. Reload it, look again, then decide.") from None
    shown_at = datetime.fromtimestamp(since, UTC)
    if user != membership.user_id or timezone.now() - shown_at < MIN_LOOK:
        raise NotSeenError("These items have only just appeared. Look at them, then decide.")
    return shown_at, set(map(UUID, items))


class GroupForm(forms.Form):
    """What to do with the chosen items."""

    outcome = forms.ChoiceField(choices=(("reject", "Reject"), ("approve", "Approve")))
    message = forms.CharField(required=False, max_length=MAX_MESSAGE_LENGTH)
    count = forms.IntegerField(
        error_messages={"required": "Type how many items you decide.", "invalid": "Type a number."}
    )

    def __init__(self, data: Any, *, chosen: int) -> None:
        super().__init__(data)
        self.chosen = chosen

    def clean(self) -> dict[str, Any]:
        """The count must be that of the chosen items: it is typed, so that nobody decides more than they mean."""
        count = self.cleaned_data.get("count")
        if not self.chosen:
            raise forms.ValidationError("Choose at least one item.")
        if count is not None and count != self.chosen:
            raise forms.ValidationError(f"You typed {count}, and {self.chosen} items are chosen.")
        return self.cleaned_data

    def choice(self) -> Choice:
        """The decision about each item, once the form is valid."""
        message = self.cleaned_data["message"]
        return Approve(message) if self.cleaned_data["outcome"] == "approve" else Reject(message)


class OrderForm(forms.Form):
    """What is done with calls like those of a group, from now on."""

    outcome = forms.ChoiceField(choices=(("reject", "Reject them"), ("approve", "Let them pass")), label="From now on")
    hours = forms.TypedChoiceField(
        choices=((1, "for an hour"), (4, "for 4 hours"), (12, "for 12 hours"), (24, "for a day")),
        coerce=int,
        label="How long",
    )
    agent = forms.CharField(required=False, max_length=200)
    """Whom the page named."""
    only_agent = forms.BooleanField(required=False, label="Calls of this agent only")
    conversation = forms.CharField(required=False, max_length=200, label="In which conversation")
    message = forms.CharField(required=False, max_length=MAX_MESSAGE_LENGTH, label="What is the agent told?")

    @property
    def condition_rows(self) -> list[tuple[str, str, str]]:
        """Argument, comparison and value of each row, as typed; at least one more than is filled in."""
        if not isinstance(self.data, QueryDict):
            return _EMPTY_ROWS
        columns = (self.data.getlist(f"condition_{name}") for name in ("pointer", "operator", "value"))
        return [*zip(*columns, strict=False)][:MAX_CONDITIONS] or _EMPTY_ROWS

    @property
    def conditions(self) -> list[OrderCondition]:
        """The rows that name an argument."""
        return [OrderCondition(*row) for row in self.condition_rows if row[0]]
