"""A form that came from somebody who is signed out by now, or in again since: what was typed is never lost."""

from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.http import reswap, trigger_client_event

from reviews.desk.desk_form import VALUE_PREFIX

# What people write: the rest of a form can be chosen again.
_WRITTEN: Final = (
    "arguments", "message", "note", "body", "reason", "corrected_arguments", "interpretations", "guidelines",
    "custom_questions",
)  # fmt: skip


def signed_out(request: HttpRequest) -> HttpResponse:
    """Say that a form was not taken because nobody is signed in. The page that sent it stays as it is."""
    return _not_taken(request, HTTPStatus.UNAUTHORIZED)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The same of a form that was made before the person last signed in or out."""
    return _not_taken(request, HTTPStatus.FORBIDDEN)


def _not_taken(request: HttpRequest, status: HTTPStatus) -> HttpResponse:
    page = _page_of(request)
    address = redirect_to_login(page).url
    if request.headers.get("HX-Request") == "true":
        response = reswap(HttpResponse(status=status), "none")
        return trigger_client_event(response, "signedOut", {"address": address})
    user = getattr(request, "user", None)
    unsent = "\n\n".join(_list_written(request.POST))
    signed_in = user is not None and user.is_authenticated
    # Of the sign-in's own form there is nothing to sign in again for.
    sign_in = "" if signed_in or request.path == resolve_url(settings.LOGIN_URL) else address
    context = {"unsent": unsent, "sign_in": sign_in, "page": page}
    return render(request, "sign_in_again.html", context, status=status)


def _list_written(sent: QueryDict) -> list[str]:
    """What was typed, text by text; of a call in fields what each holds, as its JSON is still the proposed one."""
    fields = [f"{name.removeprefix(VALUE_PREFIX)}: {sent[name]}" for name in sent if name.startswith(VALUE_PREFIX)]
    texts = [str(sent[name]) for name in _WRITTEN if sent.get(name) and not (fields and name == "arguments")]
    return ["\n".join(fields), *texts] if fields else texts


def _page_of(request: HttpRequest) -> str:
    """The page that sent the form, where the request tells and it is of this site."""
    sent_from = request.headers.get("HX-Current-URL") or request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(sent_from, {request.get_host()}, require_https=request.is_secure()):
        return resolve_url(settings.LOGIN_REDIRECT_URL)
    parts = urlsplit(sent_from)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
