"""The guard profile's page. Administrators only."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import retarget

from reviews import access
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.settings.guard_profile.changes import SettingChange, changes_between, settings_of
from reviews.desk.settings.guard_profile.form import ProfileForm
from reviews.desk.settings.guard_profile.preview import PreviewTables
from reviews.errors import InvalidProfileError, found
from reviews.lab import profile_preview
from reviews.models import GuardProfile
from reviews.profiles import versions

# Versions to compare with, the latest: the choice is one list, which more would make useless.
MAX_VERSIONS: Final = 200
# Digits of a number in an address or a field: a nine-digit one still fits into the database's integers.
MAX_DIGITS: Final = 9


@dataclass(frozen=True)
class Draft:
    """A valid draft beside the version in force."""

    profile: GuardProfile
    changes: list[SettingChange]


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def profile(request: MemberRequest) -> HttpResponse:
    """The form, filled with the version in force or another one; what it sends becomes the next version.

    With `tool` it has a row for the standing order of this tool.
    """
    access.require(request.membership, access.Permission.ADMINISTER)
    if request.method == "POST":
        save = _save_in_shadow if request.POST.get("do") == "shadow" else _save
        return save(request, _sent_form(request))
    current = access.current_profile(request.membership.workspace)
    number = request.GET.get("from", "")
    source = _version(request, int(number)) if _is_number(number) else current
    return _page(request, ProfileForm(current=current, source=source, tool=request.GET.get("tool", "")), source=source)


@require_POST
@member_page
def preview(request: MemberRequest) -> HttpResponse:
    """What a draft changes and what it would have done.

    A running preview sends its draft along, so that it goes on with it while the form is already edited further.
    """
    access.require(request.membership, access.Permission.ADMINISTER)
    form = _sent_form(request)
    draft = _draft_of(form)
    if draft is None:
        return _refused_form(request, form)
    preview = profile_preview.preview_profile(membership=request.membership, draft=draft.profile)
    before = request.POST.get("before", "")
    # The draft as one field, so that what is typed meanwhile does not mix with it.
    resent = _sent_draft(request).copy()
    for name in ("csrfmiddlewaretoken", "before"):
        resent.pop(name, None)
    context = {
        "form": form,
        "draft": draft,
        "tables": PreviewTables(preview, draft.profile),
        # No progress since the last request: polling on would load the server for nothing.
        "stalled": _is_number(before) and preview.done <= int(before),
        "sent": resent.urlencode(),
        "untried": versions.untried_detectors(form.current, draft.profile),
        "most": profile_preview.MAX_CALLS,
    }
    return render(request, f"settings/guard_profile/{'preview' if request.htmx else 'page'}.html", context)


@require_safe
@member_page
def version(request: MemberRequest, number: int) -> HttpResponse:
    """One version, and how it differs from the one before it or from the one in the address."""
    access.require(request.membership, access.Permission.ADMINISTER)
    profile = _version(request, number)
    numbers = access.profiles_for(request.membership).values_list("version", flat=True)
    compared = request.GET.get("against", "")
    earlier = int(compared) if _is_number(compared) else number - 1
    against = _version(request, earlier) if compared or number > 1 else None
    context = {
        "version": profile,
        "settings": settings_of(profile),
        "against": against,
        "changes": changes_between(against, profile) if against else [],
        "in_force": numbers.first() == number,
        "others": [listed for listed in numbers[:MAX_VERSIONS] if listed != number],
    }
    return render(request, "settings/guard_profile/version.html", context)


def _sent_draft(request: MemberRequest) -> QueryDict:
    """The form's fields. From beside a preview they come as one."""
    return QueryDict(request.POST["draft"]) if "draft" in request.POST else request.POST


def _sent_form(request: MemberRequest) -> ProfileForm:
    """The draft that was sent, with the version that it was made to."""
    sent = _sent_draft(request)
    number = sent.get("based_on", "")
    base = access.profiles_for(request.membership).filter(version=number).first() if _is_number(number) else None
    return ProfileForm(sent, current=access.current_profile(request.membership.workspace), base=base)


def _save(request: MemberRequest, form: ProfileForm) -> HttpResponse:
    """Make the draft the next version; the form again when it is refused or changes nothing."""
    draft = _draft_of(form)
    # A version without a change would only make the history harder to read.
    if draft is not None and not draft.changes:
        form.add_error(None, f"Nothing differs from version {form.current.version}, which is in force.")
    if draft is None or not form.is_valid():
        return _refused_form(request, form)
    try:
        stored = versions.new_version(membership=request.membership, based_on=form.current.version, **form.changes())
    except InvalidProfileError as error:
        # Another version was saved between the look at the form and this moment.
        form.refuse(error)
        return _refused_form(request, form)
    messages.success(request, f"Version {stored.version} is in force for every new submission.")
    return redirect("settings")


def _save_in_shadow(request: MemberRequest, form: ProfileForm) -> HttpResponse:
    """Have the draft's new detectors run in shadow; the form again when it is refused or has none."""
    draft = _draft_of(form)
    if draft is None:
        return _refused_form(request, form)
    try:
        stored = versions.try_in_shadow(
            membership=request.membership, draft=draft.profile, based_on=form.current.version
        )
    except InvalidProfileError as error:
        form.refuse(error)
        return _refused_form(request, form)
    messages.success(request, f"Version {stored.version} runs the new detectors in shadow for every new submission.")
    return redirect("settings")


def _draft_of(form: ProfileForm) -> Draft | None:
    """The draft when the form and the profile's validation accept it; otherwise None, and the form has the errors."""
    if not form.is_valid():
        return None
    try:
        draft = versions.validate_profile(form.current, **form.changes())
    except InvalidProfileError as error:
        form.refuse(error)
        return None
    return Draft(draft, changes_between(form.current, draft))


def _refused_form(request: MemberRequest, form: ProfileForm) -> HttpResponse:
    """The form with its errors: alone for htmx, else on the whole page."""
    if not request.htmx:
        return _page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    response = render(
        request, "settings/guard_profile/draft.html", {"form": form}, status=HTTPStatus.UNPROCESSABLE_ENTITY
    )
    # The request asked for a preview, whose place is below the form: the errors belong into the form.
    return retarget(response, "#draft")


def _page(
    request: MemberRequest, form: ProfileForm, *, source: GuardProfile | None = None, status: int = HTTPStatus.OK
) -> HttpResponse:
    """The whole page; `source` is the version that filled the form."""
    return render(request, "settings/guard_profile/page.html", {"form": form, "from": source}, status=status)


def _version(request: MemberRequest, number: int) -> GuardProfile:
    """The workspace's version of this number. Raises `NotFoundError`."""
    return found(access.profiles_for(request.membership).filter(version=number).first(), "version")


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= MAX_DIGITS
