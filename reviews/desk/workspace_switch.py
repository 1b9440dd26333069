"""Switch to another workspace that the person belongs to."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from reviews import access
from reviews.desk.membership import MemberRequest, choose_workspace, member_page
from reviews.errors import NotFoundError, found


@require_POST
@member_page
def switch(request: MemberRequest) -> HttpResponse:
    """Go on in the workspace that was chosen, at its queue."""
    try:
        workspace_id = UUID(request.POST.get("workspace", ""))
    except ValueError:
        raise NotFoundError("There is no such workspace.") from None
    # The same for another's workspace and for none.
    found(access.memberships_of(request.membership.user).filter(workspace=workspace_id).first(), "workspace")
    choose_workspace(request, workspace_id)
    return redirect("queue")
