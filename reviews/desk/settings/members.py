"""Who belongs to the workspace: invite, change a role, remove, and whether a second factor is required."""

import logging
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final, cast
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.mail import send_mail
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from reviews import access
from reviews.desk.accounts.adapters import absolute_link
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.settings.issuing_form import SHOWN_ONCE, IssuingForm
from reviews.errors import AlreadyIssuedError, AlreadyMemberError, LastAdminError, NotFoundError, found
from reviews.models import AgentKey, Membership, Role
from reviews.workspaces import invitations, members

# Of each list. Each member costs a form and a dialog; most workspaces have one page.
SHOWN_AT_ONCE: Final = 500
# The column's length: an address becomes a user name.
MAX_ADDRESS_LENGTH: Final = 150

_log = logging.getLogger(__name__)


class InviteForm(IssuingForm):
    """An invitation: a person's address and role."""

    email = forms.EmailField(
        label="E-mail address",
        max_length=MAX_ADDRESS_LENGTH,
        error_messages={"required": "Give the person's address.", "invalid": "This is no e-mail address."},
        widget=forms.EmailInput(attrs={"class": "input", "autocomplete": "off"}),
    )
    role = forms.ChoiceField(
        label="Role", choices=Role.choices, initial=Role.REVIEWER, widget=forms.Select(attrs={"class": "select"})
    )


@require_safe
@member_page
def overview(request: MemberRequest) -> HttpResponse:
    """Members, open invitations, and the rule for second factors."""
    return _page(request)


@require_POST
@member_page
def invite(request: MemberRequest) -> HttpResponse:
    """Invite a person; this response is the only one that shows the link."""
    access.require(request.membership, access.Permission.ADMINISTER)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    email, role = form.cleaned_data["email"], Role(form.cleaned_data["role"])
    try:
        issued = invitations.invite_person(
            membership=request.membership, email=email, role=role, row_id=form.cleaned_data["row_id"]
        )
    except AlreadyIssuedError as error:
        messages.info(request, f"{error} {SHOWN_ONCE}")
        return redirect("members")
    except AlreadyMemberError as error:
        form.add_error("email", str(error))
        return _page(request, form=form, status=HTTPStatus.CONFLICT)
    link = absolute_link(reverse("invitation", args=[issued.token]))
    return _page(request, issued={"email": issued.invitation.email, "link": link, "sent": _sent(request, issued, link)})


@require_POST
@member_page
def withdraw(request: MemberRequest, invitation_id: UUID) -> HttpResponse:
    """End an invitation."""
    access.require(request.membership, access.Permission.ADMINISTER)
    invitation = found(access.invitations_for(request.membership).filter(pk=invitation_id).first(), "invitation")
    invitations.withdraw_invitation(invitation=invitation, membership=request.membership)
    messages.success(request, f"The invitation of {invitation.email} no longer works.")
    return redirect("members")


@require_POST
@member_page
def change_role(request: MemberRequest, member_id: UUID) -> HttpResponse:
    """Give a member another role."""
    member, role = _member(request, member_id), request.POST.get("role", "")
    if role not in Role.values:
        raise NotFoundError("There is no such role.")
    try:
        members.change_role(member=member, role=Role(role), membership=request.membership)
    except LastAdminError as error:
        return _page(request, refused=str(error), status=HTTPStatus.CONFLICT)
    messages.success(request, f"{member.user} is {Role(role).label} now.")
    # Whoever gave up the role themselves sees no settings any more.
    return redirect("queue" if member.pk == request.membership.pk and role != Role.ADMIN else "members")


@require_POST
@member_page
def remove(request: MemberRequest, member_id: UUID) -> HttpResponse:
    """End a membership, with the keys that the member issued for agents where that is asked for."""
    member, revokes_keys = _member(request, member_id), request.POST.get("keys") == "revoke"
    try:
        members.remove_member(member=member, membership=request.membership, revokes_keys=revokes_keys)
    except LastAdminError as error:
        return _page(request, refused=str(error), status=HTTPStatus.CONFLICT)
    keys = _issued_keys(request.membership, [member]).get(member.user_id)
    notice = f" Keys that they issued stay in force: {', '.join(key.name for key in keys)}." if keys else ""
    messages.success(request, f"{member.user} is no longer a member.{notice}")
    return redirect("queue" if member.pk == request.membership.pk else "members")


@require_POST
@member_page
def second_factor(request: MemberRequest) -> HttpResponse:
    """Require a second factor of every member, or no longer."""
    required = request.POST.get("required") == "yes"
    members.require_second_factor(required=required, membership=request.membership)
    messages.success(request, f"A second factor is {'required' if required else 'not required'} now.")
    return redirect("members")


@require_POST
@member_page
def reviewers_annotate(request: MemberRequest) -> HttpResponse:
    """Let reviewers and administrators be asked in campaigns, or no longer."""
    allowed = request.POST.get("allowed") == "yes"
    members.let_reviewers_annotate(allowed=allowed, membership=request.membership)
    messages.success(request, f"Reviewers {'may' if allowed else 'may not'} annotate now.")
    return redirect("members")


def _member(request: MemberRequest, member_id: UUID) -> Membership:
    # The right first: others must not learn which members there are.
    access.require(request.membership, access.Permission.ADMINISTER)
    return found(access.members_for(request.membership).filter(pk=member_id).first(), "member")


def _issued_keys(membership: Membership, issuers: Iterable[Membership]) -> dict[int, list[AgentKey]]:
    """The keys in force that each of these people has issued, by the keys of their accounts."""
    keys = access.agent_keys_for(membership).filter(created_by__in=[issuer.user_id for issuer in issuers])
    issued: dict[int, list[AgentKey]] = {}
    for key in keys.filter(pk__in=access.keys_in_force().values("pk")).order_by("name"):
        issued.setdefault(cast(int, key.created_by_id), []).append(key)
    return issued


def _sent(request: MemberRequest, issued: invitations.Issued, link: str) -> bool:
    """Whether the link went out by mail; without a mail server the administrator hands it on."""
    if settings.GUARD.smtp_url is None:
        return False
    workspace = request.membership.workspace
    context = {"by": request.user.get_username(), "workspace": workspace, "link": link}
    try:
        send_mail(
            f"Join {' '.join(workspace.name.split())} on ProvenanceGuard Review",
            render_to_string("mail/invitation.txt", context),
            None,
            [issued.invitation.email],
        )
    except OSError as error:
        # Every failure of SMTP and of the network is one. The invitation stands, and its link is on the page.
        _log.warning("An invitation could not be sent by mail: %s", error)
        return False
    return True


def _page(
    request: MemberRequest,
    *,
    form: InviteForm | None = None,
    issued: dict[str, Any] | None = None,
    refused: str = "",
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    """The whole page, with the form for an invitation, the link of a new one, or why something was refused."""
    membership = request.membership
    access.require(membership, access.Permission.ADMINISTER)
    invited = access.invitations_for(membership).filter(pk__in=access.invitations_in_force().values("pk"))
    listed = access.members_for(membership).order_by("user__username")
    page = Paginator(listed, SHOWN_AT_ONCE).get_page(request.GET.get("page"))
    issued_keys = _issued_keys(membership, page)
    context = {
        "members": [(member, issued_keys.get(member.user_id, [])) for member in page],
        "page_of_members": page,
        "invitations": Paginator(invited.order_by("-created_at", "-pk"), SHOWN_AT_ONCE).get_page(
            request.GET.get("invited")
        ),
        "roles": Role.choices,
        "form": form or InviteForm(),
        "issued": issued,
        "refused": refused,
        "required": membership.workspace.requires_second_factor,
        "reviewers_annotate": membership.workspace.lets_reviewers_annotate,
    }
    return render(request, "settings/members.html", context, status=status)
