"""A person's own choice of what they are told of, where and when."""

from http import HTTPStatus
from typing import Any, Final
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from reviews import access
from reviews.desk.desk_form import DeskForm
from reviews.desk.membership import MemberRequest, member_page
from reviews.messaging.notifications import outbox
from reviews.messaging.notifications.chat import SERVICES, find_service
from reviews.messaging.notifications.preferences import Choices, choose_notifications
from reviews.messaging.notifications.times import DIGEST_HOUR
from reviews.models import NotificationPreference, Risk
from reviews.scheduling import broker

AT_ONCE: Final = (
    (Risk.HIGH, "Calls of high risk"),
    (Risk.MEDIUM, "Calls of medium or high risk"),
    (Risk.LOW, "Every call"),
    ("", "Nothing"),
)
DIGESTS: Final = ((0, "Never"), (1, "Every hour"), (4, "Every four hours"), (24, f"Every day at {DIGEST_HOUR}:00"))
# Messages of the log: the latest tell whether they arrive.
LOG_SHOWN: Final = 5


class NotificationForm(DeskForm):
    """The choices. The chat's address is written and never shown again: whoever has it can write there."""

    sends_email = forms.BooleanField(label="By e-mail", required=False)
    chat_address = forms.CharField(
        label="By chat",
        required=False,
        max_length=1000,
        help_text=f"The https address of an incoming webhook of {', '.join(service.name for service in SERVICES)}.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    forgets_chat = forms.BooleanField(label="Forget the chat", required=False)
    at_once_from = forms.ChoiceField(
        label="At once", required=False, choices=AT_ONCE, widget=forms.Select(attrs={"class": "select"})
    )
    digest_hours = forms.TypedChoiceField(
        label="The rest together",
        choices=DIGESTS,
        coerce=int,
        initial=0,
        widget=forms.Select(attrs={"class": "select"}),
    )
    quiet_from = forms.TimeField(
        label="Quiet from", required=False, widget=forms.TimeInput(format="%H:%M", attrs={"type": "time"})
    )
    quiet_until = forms.TimeField(
        label="Quiet until", required=False, widget=forms.TimeInput(format="%H:%M", attrs={"type": "time"})
    )
    time_zone = forms.ChoiceField(
        label="Time zone",
        choices=lambda: [(name, name.replace("_", " ")) for name in sorted(available_timezones())],
        initial="UTC",
        widget=forms.Select(attrs={"class": "select"}),
    )

    def clean_chat_address(self) -> str:
        """An address of one of the services."""
        address = str(self.cleaned_data["chat_address"]).strip()
        if address and find_service(address) is None:
            raise forms.ValidationError("This is no address of one of these services' webhooks.")
        return address

    def clean(self) -> dict[str, Any]:
        """Quiet hours begin and end."""
        data = super().clean() or {}
        begin, end = data.get("quiet_from"), data.get("quiet_until")
        if (begin is None) != (end is None):
            self.add_error("quiet_until", "Give both times, or neither.")
        elif begin is not None and begin == end:
            self.add_error("quiet_until", "Quiet hours end at another time than they begin.")
        return data

    def choices(self) -> Choices:
        """What was chosen, once the form is valid."""
        data = dict(self.cleaned_data)
        address, is_forgotten = data.pop("chat_address"), data.pop("forgets_chat")
        return Choices(chat_address="" if is_forgotten else address or None, **data)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@member_page
def notification_page(request: MemberRequest) -> HttpResponse:
    """The choices with the latest messages; a POST stores them, and sends a test where one is asked for."""
    access.require(request.membership, access.Permission.VIEW)
    preference = access.notification_preferences_for(request.membership).first()
    if request.method != "POST":
        return _render_page(request, NotificationForm(initial=_initial_of(preference)), preference)
    form = NotificationForm(request.POST, initial=_initial_of(preference))
    if not form.is_valid():
        return _render_page(request, form, preference, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    # Choosing the same anew would begin anew, and pass over what came just now.
    if preference is None or form.has_changed():
        preference = choose_notifications(membership=request.membership, choices=form.choices())
    messages.success(request, "Stored. It holds for what comes from now on.")
    # Of what is stored now: a test of anything else would tell nothing about what was typed.
    if request.POST.get("do") == "test":
        _send_test(request, preference)
    return redirect("notifications")


def _send_test(request: MemberRequest, preference: NotificationPreference) -> None:
    if not outbox.enqueue_test(preference):
        messages.error(request, "Choose e-mail or a chat first.")
        return
    broker.enqueue_task(broker.NOTIFY_PEOPLE)
    messages.success(request, "A test is on its way. Reload the page to see how it fared.")


def _initial_of(preference: NotificationPreference | None) -> dict[str, Any]:
    """What the form shows: what holds, and never the chat's address."""
    stored = preference or NotificationPreference()
    names = ("sends_email", "at_once_from", "digest_hours", "quiet_from", "quiet_until", "time_zone")
    return {name: getattr(stored, name) for name in names}


def _render_page(
    request: MemberRequest,
    form: NotificationForm,
    preference: NotificationPreference | None,
    *,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    log = preference.notifications.filter(attempted_at__isnull=False).order_by("-attempted_at") if preference else ()
    context = {
        "form": form,
        "preference": preference,
        "address": request.membership.user.email,
        "may_mail": settings.GUARD.smtp_url is not None,
        "has_chat": preference is not None and bool(preference.chat_address),
        "log": log[:LOG_SHOWN],
    }
    return render(request, "settings/notifications.html", context, status=status)
