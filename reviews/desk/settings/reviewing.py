"""What holds for all who review: known items among those of the queue, and what messages may tell. Administrators."""

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from reviews import access
from reviews.desk.desk_form import DeskForm
from reviews.desk.membership import MemberRequest, member_page
from reviews.messaging.notifications.preferences import let_messages_tell_values
from reviews.queue import canaries


class ReviewingForm(DeskForm):
    """Both choices of the workspace, each sent with what the page showed: one that was left as it was is not stored."""

    percent = forms.IntegerField(
        label="Known items, in percent",
        show_hidden_initial=True,
        min_value=0,
        max_value=canaries.MAX_PERCENT,
        help_text=f"From 0 (none) to {canaries.MAX_PERCENT} of the items that a person meets one after the other.",
    )
    tells_values = forms.BooleanField(
        label="Messages to people tell the arguments of calls", required=False, show_hidden_initial=True
    )


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def reviewing_page(request: MemberRequest) -> HttpResponse:
    """The choices, and storing them."""
    access.require(request.membership, access.Permission.ADMINISTER)
    workspace = request.membership.workspace
    stored = {"percent": workspace.canary_percent, "tells_values": workspace.notifications_tell_values}
    form = ReviewingForm(request.POST) if request.method == "POST" else ReviewingForm(initial=stored)
    if request.method == "POST" and form.is_valid():
        if "percent" in form.changed_data:
            canaries.set_rate(membership=request.membership, percent=form.cleaned_data["percent"])
        if "tells_values" in form.changed_data:
            let_messages_tell_values(allowed=form.cleaned_data["tells_values"], membership=request.membership)
        messages.success(request, "Stored.")
        return redirect("reviewing")
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "settings/reviewing.html", {"form": form}, status=status)
