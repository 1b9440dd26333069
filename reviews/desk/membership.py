"""What every page of the desk asks first: who is this, and in which workspace."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils.cache import add_never_cache_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from reviews import access
from reviews.desk import errors
from reviews.errors import ForbiddenError, NotFoundError
from reviews.models import Membership

P = ParamSpec("P")


class HtmxRequest(HttpRequest):
    """A request that knows whether htmx sent it."""

    htmx: HtmxDetails


class MemberRequest(HtmxRequest):
    """A request of somebody who belongs to a workspace."""

    membership: Membership


MemberView = Callable[Concatenate[MemberRequest, P], HttpResponse]


def member_page(view: MemberView[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Let only members in; show a page for what the use cases forbid or do not find."""

    @wraps(view)
    def page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return _ask_to_sign_in(cast(HtmxRequest, request))
        member = cast(MemberRequest, request)
        try:
            member.membership = access.membership_for(request.user)
            response = view(member, *args, **kwargs)
        except ForbiddenError as error:
            return errors.forbidden(member, str(error))
        except NotFoundError as error:
            raise Http404(str(error)) from error
        # A page and its htmx parts share an address: what a browser kept of one must never stand in for the other.
        add_never_cache_headers(response)
        return response

    return page


def _ask_to_sign_in(request: HtmxRequest) -> HttpResponse:
    # A plain redirect would be followed by htmx, and the sign-in form would land in the middle of the page.
    if request.htmx:
        back = request.htmx.current_url_abs_path or resolve_url(settings.LOGIN_REDIRECT_URL)
        return HttpResponseClientRedirect(redirect_to_login(back).url)
    return redirect_to_login(request.get_full_path())
