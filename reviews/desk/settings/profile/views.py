"""The guard profile's page. Administrators only."""

from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import retarget

from reviews import access
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.settings.profile.changes import Change, changes_between, settings_of
from reviews.desk.settings.profile.form import ProfileForm
from reviews.desk.settings.profile.preview import Shown
from reviews.errors import InvalidProfileError, NotFoundError
from reviews.lab import profile_preview
from reviews.models import GuardProfile
from reviews.profiles import versions

MOST_VERSIONS = 200
"""Versions one can be compared with, the latest."""
MOST_DIGITS = 9
"""Of a number in an address or a field of the page's own."""


@dataclass(frozen=True)
class Drafted:
    """A valid draft beside the version in force."""

    profile: GuardProfile
    changes: list[Change]


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def profile(request: MemberRequest) -> HttpResponse:
    """The form, filled with the version in force or another one; what it sends becomes the next version."""
    access.require(request.membership, access.Permission.ADMINISTER)
    current = access.current_profile(request.membership.workspace)
    if request.method == "POST":
        return _save(request, ProfileForm(request.POST, current=current))
    asked = request.GET.get("from", "")
    shown = _version(request, int(asked)) if _is_number(asked) else current
    return _page(request, ProfileForm(current=current, shown=shown), shown=shown)


@require_POST
@member_page
def preview(request: MemberRequest) -> HttpResponse:
    """What a draft changes and what it would have done. A draft sent with it stands for the form, which may go on."""
    access.require(request.membership, access.Permission.ADMINISTER)
    sent = QueryDict(request.POST["draft"]) if "draft" in request.POST else request.POST
    form = ProfileForm(sent, current=access.current_profile(request.membership.workspace))
    draft = _drafted(form)
    if draft is None:
        return _refused(request, form)
    told = profile_preview.preview(membership=request.membership, draft=draft.profile)
    before = request.POST.get("before", "")
    context = {
        "form": form,
        "draft": draft,
        "shown": Shown(told, draft.profile),
        "stalled": _is_number(before) and told.done <= int(before),
        "sent": _resent(sent),
        "most": profile_preview.MOST,
    }
    return render(request, f"settings/profile/{'preview' if request.htmx else 'page'}.html", context)


@require_safe
@member_page
def version(request: MemberRequest, number: int) -> HttpResponse:
    """One version, and how it differs from the one before or another."""
    access.require(request.membership, access.Permission.ADMINISTER)
    shown = _version(request, number)
    numbers = access.profiles_for(request.membership).values_list("version", flat=True)
    asked = request.GET.get("against", "")
    against = _version(request, int(asked) if _is_number(asked) else number - 1) if asked or number > 1 else None
    context = {
        "version": shown,
        "settings": settings_of(shown),
        "against": against,
        "changes": changes_between(against, shown) if against else [],
        "in_force": numbers.first() == number,
        "others": [each for each in numbers[:MOST_VERSIONS] if each != number],
    }
    return render(request, "settings/profile/version.html", context)


def _save(request: MemberRequest, form: ProfileForm) -> HttpResponse:
    draft = _drafted(form)
    if draft is not None and not draft.changes:
        form.add_error(None, f"Nothing differs from version {form.current.version}, which is in force.")
    if draft is None or not form.is_valid():
        return _refused(request, form)
    try:
        stored = versions.new_version(membership=request.membership, based_on=form.current.version, **form.changes())
    except InvalidProfileError as error:
        # Another version was saved between the look at the form and this moment.
        form.refuse(error)
        return _refused(request, form)
    messages.success(request, f"Version {stored.version} is in force for every new submission.")
    return redirect("settings")


def _drafted(form: ProfileForm) -> Drafted | None:
    if not form.is_valid():
        return None
    try:
        draft = versions.validated(form.current, **form.changes())
    except InvalidProfileError as error:
        form.refuse(error)
        return None
    return Drafted(draft, changes_between(form.current, draft))


def _refused(request: MemberRequest, form: ProfileForm) -> HttpResponse:
    if not request.htmx:
        return _page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    answer = render(request, "settings/profile/draft.html", {"form": form}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return retarget(answer, "#draft")


def _page(
    request: MemberRequest, form: ProfileForm, *, shown: GuardProfile | None = None, status: int = HTTPStatus.OK
) -> HttpResponse:
    return render(request, "settings/profile/page.html", {"form": form, "from": shown}, status=status)


def _version(request: MemberRequest, number: int) -> GuardProfile:
    found = access.profiles_for(request.membership).filter(version=number).first()
    if found is None:
        raise NotFoundError("There is no such version.")
    return found


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= MOST_DIGITS


def _resent(sent: QueryDict) -> str:
    """The draft as one field, so that what is typed meanwhile does not mix with it."""
    kept = sent.copy()
    for name in ("csrfmiddlewaretoken", "before"):
        kept.pop(name, None)
    return kept.urlencode()
