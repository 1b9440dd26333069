"""The page on which the acting user confirms or refuses one call: no account, no word of the conversation."""

import json
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_http_methods

from reviews.decisions.user_confirmation import MAX_SHOWN, answer_as_user, find_asked
from reviews.desk.review.case.consequence import word_deed
from reviews.errors import ConflictError
from reviews.models import OPEN, Action, Outcome

# Of what may be asked nothing is cut: between the parts of a value stand blanks here, which the bound does not count.
_SHOWN_LENGTH: Final = 2 * MAX_SHOWN
_CHOICES: Final = MappingProxyType({"confirm": True, "refuse": False})


@require_http_methods(["GET", "HEAD", "POST"])
def confirm_page(request: HttpRequest, token: str) -> HttpResponse:
    """The call in plain words, and the one answer; afterwards what came of it. Looking changes nothing."""
    action = find_asked(token)
    if action is None:
        raise Http404("There is no such question.")
    confirms = _CHOICES.get(request.POST.get("answer", ""))
    status = HTTPStatus.OK
    if request.method == "POST" and confirms is not None:
        try:
            answer_as_user(action=action, confirms=confirms)
        except ConflictError:
            status = HTTPStatus.CONFLICT
        action.refresh_from_db()
    response = render(request, "review/confirm.html", _context_of(action), status=status)
    # The address is the user's voice: no cache keeps it. Other sites are not told it (`joining.invitation`).
    add_never_cache_headers(response)
    return response


def _context_of(action: Action) -> dict[str, object]:
    decision = action.decisions.filter(in_force=True).first()
    return {
        "action": action,
        "deed": word_deed(action.tool, action.arguments),
        "arguments": [
            (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
            for name, value in action.arguments.items()
        ],
        "shown_length": _SHOWN_LENGTH,
        "waits": action.status in OPEN and action.expires_at > timezone.now(),
        "is_held": action.decisions.filter(held_until__isnull=False).exists(),
        "confirmed": decision is not None and decision.outcome == Outcome.APPROVE,
        "refused": decision is not None and decision.outcome != Outcome.APPROVE,
    }
