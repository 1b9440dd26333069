"""Where the desk begins: each role at its own work."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from reviews import access
from reviews.desk.membership import MemberRequest, member_page


@require_safe
@member_page
def home(request: MemberRequest) -> HttpResponse:
    """On to the queue, or for annotators to their campaigns."""
    return redirect("queue" if access.can(request.membership, access.Permission.VIEW) else "campaigns")
