"""The workspace's settings: agent keys and the guard profile. Administrators only."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from reviews import access, agent_keys, profiles, spending
from reviews.errors import InvalidProfileError, NotFoundError
from reviews.models import AgentKey, GuardProfile, Membership, ToolPolicy
from reviews.web.forms import KeyForm, ProfileForm
from reviews.web.membership import MemberRequest, member_page

VERSIONS_SHOWN = 20


@dataclass(frozen=True)
class Version:
    """One line of the profile's history."""

    profile: GuardProfile
    policies: list[tuple[str, str]]
    """Tool and policy, both as shown."""


@require_safe
@member_page
def overview(request: MemberRequest) -> HttpResponse:
    """Keys, the profile in force and its history."""
    return _page(request)


@require_POST
@member_page
def issue_key(request: MemberRequest) -> HttpResponse:
    """Issue an agent key; this response is the only one that ever shows its secret."""
    form = KeyForm(request.POST)
    if not form.is_valid():
        return _page(request, key_form=form, status=422)
    issued = agent_keys.issue(membership=request.membership, name=form.cleaned_data["name"])
    return _page(request, issued=issued)


@require_POST
@member_page
def revoke_key(request: MemberRequest, key_id: UUID) -> HttpResponse:
    """End a key."""
    access.require(request.membership, access.Permission.ADMINISTER)
    agent_key = access.agent_keys_for(request.membership).filter(pk=key_id).first()
    if agent_key is None:
        raise NotFoundError("There is no such key.")
    agent_keys.revoke(agent_key=agent_key, membership=request.membership)
    messages.success(request, f"The key of {agent_key.name} is revoked. Its next request is refused.")
    return redirect("settings")


@require_POST
@member_page
def save_profile(request: MemberRequest) -> HttpResponse:
    """Store the form as the next version of the guard profile."""
    access.require(request.membership, access.Permission.ADMINISTER)
    form = ProfileForm(request.POST, current=access.current_profile(request.membership.workspace))
    if not form.is_valid():
        return _page(request, profile_form=form, status=422)
    try:
        profile = profiles.new_version(membership=request.membership, **form.changes())
    except InvalidProfileError as error:
        form.refuse(error)
        return _page(request, profile_form=form, status=422)
    messages.success(request, f"Version {profile.version} is in force for every new submission.")
    return redirect("settings")


def _page(
    request: MemberRequest,
    *,
    key_form: KeyForm | None = None,
    profile_form: ProfileForm | None = None,
    issued: agent_keys.Issued | None = None,
    status: int = 200,
) -> HttpResponse:
    membership = request.membership
    access.require(membership, access.Permission.ADMINISTER)
    current = access.current_profile(membership.workspace)
    context = {
        "keys": _keys(membership),
        "key_form": key_form or KeyForm(),
        "issued": issued,
        "profile": current,
        "spent": access.judge_spends_for(membership).filter(day=spending.today()).first(),
        "profile_form": profile_form or ProfileForm.showing(current),
        "versions": _versions(membership),
    }
    return render(request, "settings/settings.html", context, status=status)


def _keys(membership: Membership) -> list[AgentKey]:
    """Keys in force first, then the revoked ones, each newest first."""
    keys = access.agent_keys_for(membership).order_by("-created_at")
    return sorted(keys, key=lambda key: key.revoked_at is not None)


def _versions(membership: Membership) -> list[Version]:
    profiles_shown = access.profiles_for(membership).order_by("-version")[:VERSIONS_SHOWN]
    return [Version(profile, _in_words(profile.tool_policies)) for profile in profiles_shown]


def _in_words(policies: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(tool, str(ToolPolicy(policy).label)) for tool, policy in sorted(policies.items())]
