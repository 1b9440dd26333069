"""The workspace's settings: agent keys, the guard profile in force and its history. Administrators only."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from reviews import access
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.settings.guard_profile.changes import SettingChange, changes_between, settings_of
from reviews.desk.settings.issuing_form import SHOWN_ONCE
from reviews.desk.settings.key_form import KeyForm
from reviews.errors import AlreadyIssuedError, InvalidError, found
from reviews.models import AgentKey, GuardProfile, JudgeSpend, Membership
from reviews.workspaces import agent_keys

# Of each list, in force and revoked. Each key in force costs a dialog; most workspaces have one page.
KEYS_SHOWN: Final = 100
# Lines of the history: it tells who changed what lately. Each line costs a comparison of two versions.
VERSIONS_SHOWN: Final = 20
# Changes of a line: it stays a line, and the version's own page has them all.
CHANGES_SHOWN: Final = 4


@dataclass(frozen=True)
class VersionRow:
    """One line of the profile's history."""

    profile: GuardProfile
    changes: list[SettingChange]
    """From the version before, the first few."""
    more: int
    """Further changes."""


@require_safe
@member_page
def overview(request: MemberRequest) -> HttpResponse:
    """Keys, the profile in force and its history."""
    return _page(request)


@require_POST
@member_page
def issue_key(request: MemberRequest) -> HttpResponse:
    """Issue an agent key; this response is the only one that ever shows its secret."""
    form = KeyForm(request.POST, membership=request.membership)
    if not form.is_valid():
        return _page(request, key_form=form, status=422)
    try:
        issued = agent_keys.issue_key(membership=request.membership, **form.cleaned_data)
    except InvalidError as error:
        form.add_error("name", error.errors[0].message)
        return _page(request, key_form=form, status=422)
    except AlreadyIssuedError as error:
        messages.info(request, f"{error} {SHOWN_ONCE}")
        return redirect("settings")
    return _page(request, issued=issued)


@require_POST
@member_page
def revoke_key(request: MemberRequest, key_id: UUID) -> HttpResponse:
    """Revoke a key."""
    access.require(request.membership, access.Permission.ADMINISTER)
    agent_key = found(access.agent_keys_for(request.membership).filter(pk=key_id).first(), "key")
    # The use case checks the permission again; above it keeps others from learning which keys exist.
    agent_keys.revoke_key(agent_key=agent_key, membership=request.membership)
    messages.success(request, f"The key of {agent_key.name} is revoked. Its next request is refused.")
    return redirect("settings")


@require_POST
@member_page
def revoke_issued_keys(request: MemberRequest, issuer_id: int) -> HttpResponse:
    """Revoke every key in force that one person has issued."""
    access.require(request.membership, access.Permission.ADMINISTER)
    issued = access.agent_keys_for(request.membership).filter(created_by=issuer_id, created_by__isnull=False)
    issuer = found(next((key.created_by for key in issued), None), "person who issued a key")
    count = agent_keys.revoke_issued_keys(issuer=issuer, membership=request.membership)
    messages.success(request, f"{count} key{'' if count == 1 else 's'} of {issuer} revoked.")
    return redirect("settings")


def _page(
    request: MemberRequest,
    *,
    key_form: KeyForm | None = None,
    issued: agent_keys.Issued | None = None,
    status: int = 200,
) -> HttpResponse:
    """The whole page, with the form for a new key or the secret of the one that was issued."""
    membership = request.membership
    access.require(membership, access.Permission.ADMINISTER)
    versions = _versions(membership)
    # What is annotated is no field that a type could know.
    keys: QuerySet[Any] = access.agent_keys_for(membership)
    keys = keys.order_by("-opens", "-created_at", "-pk")
    revoked = keys.filter(revoked_at__isnull=False).order_by("-revoked_at", "-pk")
    unrevoked = keys.filter(revoked_at=None)
    context = {
        "keys": Paginator(unrevoked, KEYS_SHOWN).get_page(request.GET.get("page")),
        "revoked": Paginator(revoked, KEYS_SHOWN).get_page(request.GET.get("revoked")),
        "leavers": _group_by_leaver(keys.filter(opens=True, issuer_left=True)),
        "key_form": key_form or KeyForm(membership=membership),
        "issued": issued,
        "profile": versions[0].profile,
        "settings": settings_of(versions[0].profile),
        "spent": access.judge_spends_for(membership).filter(day=JudgeSpend.today()).first(),
        "versions": versions,
    }
    return render(request, "settings/settings.html", context, status=status)


def _group_by_leaver(keys: Iterable[Any]) -> list[tuple[User, list[AgentKey]]]:
    """These keys, by the person who issued each."""
    by_leaver: dict[User, list[AgentKey]] = {}
    for key in keys:
        by_leaver.setdefault(key.created_by, []).append(key)
    return list(by_leaver.items())


def _versions(membership: Membership) -> list[VersionRow]:
    """The latest versions, the one in force first; there is always one."""
    # One more than is shown: the last one differs from something, too.
    profiles = list(access.profiles_for(membership).order_by("-version")[: VERSIONS_SHOWN + 1])
    rows = []
    for new, old in pairwise(profiles):
        changes = changes_between(old, new)
        rows.append(VersionRow(new, changes[:CHANGES_SHOWN], max(0, len(changes) - CHANGES_SHOWN)))
    return rows if len(profiles) > VERSIONS_SHOWN else [*rows, VersionRow(profiles[-1], [], 0)]
