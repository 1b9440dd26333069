"""Issue, find and revoke the keys agents sign with."""

import time
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from itertools import chain, count
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from reviews import access, audit
from reviews.errors import AlreadyIssuedError, FieldProblem, InvalidError
from reviews.models import KEY_PREFIX, TEST_KEY_PREFIX, Agent, AgentKey, Membership, Workspace
from reviews.models.base import uuid7
from reviews.workspaces.sandboxes import get_or_create_sandbox

# The prefix and six characters of the secret: enough to tell keys apart in a list, too few to help guessing the rest.
HINT_LENGTH = 10
# As many as the column takes: three characters of the secret.
TEST_HINT_LENGTH = 12
# A write for every request would cost more than the exact second of the last use is worth.
USED_EVERY = timedelta(minutes=1)
"""How exact `last_used_at` is."""
# An agent that is busy asks dozens of times a second, and a key is looked up once in it. A person who revokes one waits
# longer than that for the page which says so.
KNOWN_SECONDS = 1.0
"""How long a process goes on accepting a key that another process has revoked."""


@dataclass(frozen=True)
class Issued:
    """A new key with its secret, which is stored nowhere and cannot be read again."""

    agent_key: AgentKey
    secret: str = field(repr=False)


def issue_key(
    *,
    membership: Membership,
    name: str,
    agent: Agent | None = None,
    reads_all_labels: bool = False,
    reads_all_events: bool = False,
    reads_only: bool = False,
    manages_ground_truth: bool = False,
    is_test: bool = False,
    row_id: UUID | None = None,
) -> Issued:
    """A new key for this agent of the workspace, or for a new agent of the key's name.

    Whoever may ask twice for the same key names its row. Raises `ForbiddenError`, `InvalidError` for a name that is no
    line of printable text, and `AlreadyIssuedError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    return create_key(
        membership.workspace,
        name=name,
        agent=agent,
        reads_all_labels=reads_all_labels,
        reads_all_events=reads_all_events,
        reads_only=reads_only,
        manages_ground_truth=manages_ground_truth,
        is_test=is_test,
        row_id=row_id,
        by=membership,
    )


@transaction.atomic
def create_key(
    workspace: Workspace,
    *,
    name: str,
    agent: Agent | str | None = None,
    reads_all_labels: bool = False,
    reads_all_events: bool = False,
    reads_only: bool = False,
    manages_ground_truth: bool = False,
    is_test: bool = False,
    row_id: UUID | None = None,
    by: Membership | None = None,
) -> Issued:
    """As `issue_key`, without a look at rights. `by` is None for the installation's operator.

    An agent given by its name is found or made. A test key belongs to an agent of that name in the sandbox. Raises
    `InvalidError` as `issue_key` does.
    """
    for pointer, text in (("/name", name), ("/agent", agent)):
        # It stands in lines of logs, lists and messages, which it must neither end nor turn round.
        if isinstance(text, str) and not text.isprintable():
            raise InvalidError(FieldProblem(pointer, "A name is one line, without characters that nobody sees."))
    secret = AgentKey.new_secret(TEST_KEY_PREFIX if is_test else KEY_PREFIX)
    home = get_or_create_sandbox(workspace) if is_test else workspace
    if isinstance(agent, Agent) and is_test:
        agent = agent.name
    if isinstance(agent, str):
        agent, _ = Agent.objects.get_or_create(workspace=home, name=agent)
    rights = {
        "reads_all_labels": reads_all_labels,
        "reads_all_events": reads_all_events,
        "reads_only": reads_only,
        "manages_ground_truth": manages_ground_truth,
    }
    values = {
        "workspace": home,
        "agent": agent or _new_agent(home, name),
        "name": name,
        **rights,
        "hint": secret[: TEST_HINT_LENGTH if is_test else HINT_LENGTH],
        "key_hash": AgentKey.hash_of(secret),
        "created_by": by.user if by else None,
    }
    agent_key, is_new = AgentKey.objects.get_or_create(pk=row_id or uuid7(), defaults=values)
    if not is_new:
        raise AlreadyIssuedError("This key was issued already.")
    details = {"agent": agent_key.agent.name, **rights, "is_test": is_test}
    audit.record(workspace=workspace, verb="agent_key.issued", subject=name, by=by, details=details)
    return Issued(agent_key, secret)


def _new_agent(workspace: Workspace, name: str) -> Agent:
    """An agent of this name, numbered when another has it already."""
    # Locked: two keys of one name that are issued at once would otherwise choose the same number.
    Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
    used_names = set(Agent.objects.filter(workspace=workspace, name__startswith=name).values_list("name", flat=True))
    names = chain([name], (f"{name} ({number})" for number in count(2)))
    return Agent.objects.create(workspace=workspace, name=next(name for name in names if name not in used_names))


@transaction.atomic
def revoke_key(*, agent_key: AgentKey, membership: Membership) -> None:
    """End a key: here at once, in every other process within `KNOWN_SECONDS`. Revoking it again changes nothing.

    Raises `ForbiddenError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    _end_keys(AgentKey.objects.filter(pk=agent_key.pk), membership)


@transaction.atomic
def revoke_issued_keys(*, issuer: AbstractBaseUser, membership: Membership) -> int:
    """End every key that the person issued in this workspace; returns how many were in force.

    Raises `ForbiddenError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    return _end_keys(access.agent_keys_for(membership).filter(created_by=issuer.pk), membership)


def end_personal_keys(*, issuer: AbstractBaseUser, membership: Membership) -> int:
    """End those alone that act in the person's name, who no longer administers the workspace; returns how many.

    `membership` is who took the right from them.
    """
    issued = access.agent_keys_for(membership).filter(created_by=issuer.pk)
    return _end_keys(issued.filter(manages_ground_truth=True), membership)


def _end_keys(keys: QuerySet[AgentKey], membership: Membership) -> int:
    """Revoke those of the keys that are not yet, each with its entry in the audit log; returns how many."""
    # Of two administrators who revoke at once only one is audited as having done it. All rows before the first entry,
    # behind which the log is locked.
    ended = list(keys.filter(revoked_at__isnull=True).select_for_update(of=("self",), no_key=True).order_by("pk"))
    AgentKey.objects.filter(pk__in=[key.pk for key in ended]).update(revoked_at=timezone.now())
    forget_keys()
    for key in ended:
        issuer = key.created_by.get_username() if key.created_by else "installation"
        audit.record(
            workspace=membership.workspace, verb="agent_key.revoked", subject=key.name, by=membership,
            details={"issued_by": issuer},
        )  # fmt: skip
    return len(ended)


def find_key(secret: str) -> AgentKey | None:
    """The key in force with this secret, its use noted; None where there is none. A second old at most."""
    agent_key = _in_force(AgentKey.hash_of(secret), int(time.monotonic() / KNOWN_SECONDS))
    now = timezone.now()
    if agent_key is not None and (agent_key.last_used_at is None or now - agent_key.last_used_at >= USED_EVERY):
        # Compared again in the statement: of an agent's parallel requests only the first writes.
        stale = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - USED_EVERY)
        AgentKey.objects.filter(stale, pk=agent_key.pk).update(last_used_at=now)
        agent_key.last_used_at = now
    return agent_key


def forget_keys() -> None:
    """Look every key up anew from now on."""
    _in_force.cache_clear()


# As many agents as are busy in one second. By that second, so that whatever changed is seen in the next one.
@lru_cache(maxsize=4096)
def _in_force(key_hash: str, second: int) -> AgentKey | None:
    return access.keys_in_force().filter(key_hash=key_hash).first()
