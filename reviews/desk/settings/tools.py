"""The tools seen in the workspace's traffic, and what its guard profile says of each."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reviews import access
from reviews.desk.membership import MemberRequest, member_page
from reviews.profiles import seen_tools


@require_safe
@member_page
def catalogue(request: MemberRequest) -> HttpResponse:
    """Every tool of the latest calls. Standing orders are changed in the profile, of which they are a part."""
    access.require(request.membership, access.Permission.ADMINISTER)
    context = {
        "tools": list(seen_tools.seen_tools(request.membership)),
        "counted": seen_tools.COUNTED,
        "profile": access.current_profile(request.membership.workspace),
    }
    return render(request, "settings/tools.html", context)
