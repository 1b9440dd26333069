"""Who sends a request, and in which workspace: the wrapper of every page that only members see."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, Final, ParamSpec, cast
from uuid import UUID

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.utils.cache import add_never_cache_headers
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event
from django_htmx.middleware import HtmxDetails

from reviews import access
from reviews.desk import second_factor, sign_in_again, verdict_sights
from reviews.errors import ForbiddenError, NotFoundError
from reviews.models import Membership
from reviews.workspaces import members

_WORKSPACE: Final = "workspace"
"""Where a session keeps the key of the workspace that the person has chosen."""

P = ParamSpec("P")


class HtmxRequest(HttpRequest):
    """A request as the htmx middleware leaves it: `htmx` is true when htmx sent it."""

    htmx: HtmxDetails


class MemberRequest(HtmxRequest):
    """A request of a person who belongs to a workspace."""

    membership: Membership


MemberView = Callable[Concatenate[MemberRequest, P], HttpResponseBase]


def membership_of(request: HttpRequest) -> Membership:
    """The person's membership in the workspace they have chosen, or else in the oldest. Raises `ForbiddenError`."""
    chosen = request.session.get(_WORKSPACE)
    if chosen is not None:
        try:
            return access.membership_for(request.user, UUID(chosen))
        except ForbiddenError:
            # Removed from it meanwhile: the others are still theirs.
            del request.session[_WORKSPACE]
    return access.membership_for(request.user)


def choose_workspace(request: HttpRequest, workspace_id: UUID) -> None:
    """Go on in this workspace, for as long as the session lasts and the person is a member of it."""
    request.session[_WORKSPACE] = str(workspace_id)


def member_page(view: MemberView[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """The view for members only: others go to the sign-in page, and the use cases' refusals become 403 and 404 pages.

    Django itself serves 400.html, 404.html and 500.html; of a form that is out of date `sign_in_again` tells.
    """

    @wraps(view)
    def page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        member = cast(MemberRequest, request)
        if not request.user.is_authenticated and request.method == "POST":
            # Sent back to the form's address a person would find no page there, and what they typed would be gone.
            return sign_in_again.signed_out(request)
        if not request.user.is_authenticated:
            return _redirect_to(member, redirect_to_login(_open_page(member)).url)
        try:
            member.membership = membership_of(request)
            # Before the view: whoever has not proven what the workspace requires sees and changes nothing of it.
            if member.membership.workspace.requires_second_factor and not second_factor.is_proven(request):
                return _redirect_to(member, second_factor.way_there(member, _open_page(member)))
            members.note_seen(member.membership)
            response = view(member, *args, **kwargs)
            verdict_sights.note_page(member.membership, request, response)
        except ForbiddenError as error:
            refusal = render(request, "403.html", {"exception": str(error)}, status=403)
            # htmx does not swap an error page in, so the reason also reaches the page that is open, as a toast.
            return trigger_client_event(refusal, "toast", {"text": str(error), "kind": "bad"})
        except NotFoundError as error:
            raise Http404(str(error)) from error
        # A page and its htmx parts share an address: what a browser kept of one must never stand in for the other.
        add_never_cache_headers(response)
        return response

    return page


def _open_page(request: HtmxRequest) -> str:
    """The page that the person looks at: of a part that htmx fetches, the page around it."""
    if not request.htmx:
        return request.get_full_path()
    return request.htmx.current_url_abs_path or resolve_url(settings.LOGIN_REDIRECT_URL)


def _redirect_to(request: HtmxRequest, address: str) -> HttpResponse:
    if request.headers.get("Accept") == "text/event-stream" or "Poll" in request.headers:
        # Nobody asked for a page: a stream shows none, and a page that asks by itself may hold what somebody types.
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    # A plain redirect would be followed by htmx, and the form would land in the middle of the page.
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
