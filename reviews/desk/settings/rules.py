"""The record of each rule of the guard: how often people upheld it, and whether it may decide."""

from contextlib import suppress
from http import HTTPStatus
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from reviews import access
from reviews.desk.desk_form import DeskForm
from reviews.desk.membership import MemberRequest, member_page
from reviews.errors import InvalidProfileError
from reviews.lab import rule_suspension
from reviews.lab.rule_records import MAX_CALLS, MAX_LABELS, count_rule_records
from reviews.profiles import versions

# Tools of one rule on the page, the most overruled first; the command lists all of them.
_MAX_TOOLS: Final = 10


class PrecisionForm(DeskForm):
    """The least share of upheld decisions, in percent; empty asks for none."""

    percent = forms.IntegerField(label="Least upheld, in percent", required=False, min_value=1, max_value=100)


@require_safe
@member_page
def record(request: MemberRequest) -> HttpResponse:
    """Every rule that decided a call."""
    profile = access.current_profile(request.membership.workspace)
    least = profile.min_rule_precision
    return _page(request, PrecisionForm(initial={"percent": None if least is None else round(100 * least)}))


@require_POST
@member_page
def change_precision(request: MemberRequest) -> HttpResponse:
    """Store the least precision as a new version of the profile."""
    form = PrecisionForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    percent = form.cleaned_data["percent"]
    share = None if percent is None else percent / 100
    profile = versions.new_version(membership=request.membership, min_rule_precision=share)
    messages.success(request, f"Version {profile.version} is in force for every new submission.")
    return redirect("rules")


@require_POST
@member_page
def switch_on(request: MemberRequest) -> HttpResponse:
    """Let a suspended rule decide again."""
    # Where somebody else was faster, the page shows what holds now.
    with suppress(InvalidProfileError):
        profile = rule_suspension.switch_on(request.membership, request.POST.get("rule", ""))
        messages.success(request, f"Version {profile.version} is in force for every new submission.")
    return redirect("rules")


def _page(request: MemberRequest, form: PrecisionForm, *, status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    access.require(request.membership, access.Permission.ADMINISTER)
    workspace = request.membership.workspace
    context = {
        "form": form,
        "records": count_rule_records(workspace),
        "counted": MAX_LABELS,
        "calls": MAX_CALLS,
        "tools_shown": f":{_MAX_TOOLS}",
        "suspended": access.current_profile(workspace).suspended_rules,
    }
    return render(request, "settings/rules.html", context, status=status)
