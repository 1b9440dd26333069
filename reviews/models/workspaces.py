"""Who works here: tenants, people's roles in them, agents, and the keys agents use."""

import hashlib
import secrets
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.base import Record

# A fixed beginning lets secret scanners recognise a key that was committed by mistake.
KEY_PREFIX: Final = "pgr_"
# Told apart at a glance, and by a program that must not go into service with a test key.
TEST_KEY_PREFIX: Final = "pgr_test_"


class Workspace(Record):
    """A tenant. Nothing is ever shared between two of them."""

    name = models.CharField(max_length=120)
    slug = models.SlugField(unique=True)
    # False: who runs it for the first time has no authenticator at hand, and an administrator switches it on.
    requires_second_factor = models.BooleanField(default=False)
    """Members see nothing of the workspace before they have proven a second factor in their session."""
    # False: a label is worth most from somebody who never sees the guard's opinion.
    lets_reviewers_annotate = models.BooleanField(default=False, db_default=False)
    """Reviewers and administrators may be asked in campaigns too, never about what they decided or saw a verdict of."""
    reviewers_annotate_since = models.DateTimeField(null=True)
    """From when on it is kept which calls a reviewer was shown; null while they are not asked."""
    canary_percent = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Of the items that a person meets, how many are known ones that try them (`queue.canaries`)."""
    # False: a mail lies in mailboxes and a chat is read by others, long after the item has left the queue.
    notifications_tell_values = models.BooleanField(default=False, db_default=False)
    """Messages to people tell the arguments of calls."""
    # A workspace of its own, so that what tests leave behind is outside of every queue, dataset and figure by itself.
    sandbox_of = models.OneToOneField("self", models.CASCADE, null=True, related_name="sandbox")
    """Whose test keys propose their calls here; null for a workspace in which people work."""

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    """What a member may do. Annotators see only what they are asked to judge (`access`)."""

    REVIEWER = "reviewer"
    ANNOTATOR = "annotator"
    ADMIN = "admin"


class Membership(Record):
    """A person's role in a workspace."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices)
    # As exact as `workspaces.members.SEEN_EVERY`.
    last_seen_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # With two roles it would depend on the order of rows what a person may do.
            models.UniqueConstraint(fields=["workspace", "user"], name="a_person_has_one_role_in_a_workspace"),
            # A role without an entry in `access` would end every request of its holder in an error.
            models.CheckConstraint(condition=Q(role__in=Role.values), name="a_membership_has_a_known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class Invitation(Record):
    """A link that lets one person into a workspace, once. Only the hash of its secret is kept."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="invitations")
    # Lower case, and as long as a user name may be: it becomes the user name of who has no account yet.
    email = models.EmailField(max_length=150)
    role = models.CharField(max_length=16, choices=Role.choices)
    # Unique, so that one index serves the look-up when the link is opened.
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(role__in=Role.values), name="an_invitation_has_a_known_role"),
            # Two links with different roles would let the person choose.
            models.UniqueConstraint(
                fields=["workspace", "email"],
                condition=Q(accepted_at__isnull=True, withdrawn_at__isnull=True),
                name="a_person_has_one_open_invitation_to_a_workspace",
            ),
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True) | Q(withdrawn_at__isnull=True),
                name="an_invitation_is_not_both_accepted_and_withdrawn",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} ({self.role})"


class Agent(Record):
    """A program that proposes calls. No other agent of the workspace sees its conversations and calls."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="agents")
    # Longer than a key's name: an agent that is named after its key may need a number behind it.
    name = models.CharField(max_length=100)

    class Meta:
        constraints = [
            # Administrators choose an agent by its name when they issue a further key for it.
            models.UniqueConstraint(fields=["workspace", "name"], name="an_agent_has_a_name_of_its_own_in_a_workspace"),
            models.CheckConstraint(condition=~Q(name=""), name="an_agent_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class AgentKey(Record):
    """A secret an agent signs its requests with. Only its hash is kept. Several keys may belong to one agent."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="agent_keys")
    # Protected: what the agent owns is found through it, also after its last key was revoked.
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="keys")
    name = models.CharField(max_length=80)
    """The key's name, as operators see it in the queue."""
    # False: labels hold what people said about every agent's calls.
    reads_all_labels = models.BooleanField(default=False)
    """Export the labels of the whole workspace, not only those of the key's own agent."""
    # False: events name the conversations and tools of every agent. Defaults of the database as well, from here on: the
    # release before goes on issuing keys during an upgrade.
    reads_all_events = models.BooleanField(default=False, db_default=False)
    """Follow what becomes of the calls of all agents of the workspace, not only those of the key's own."""
    reads_only = models.BooleanField(default=False, db_default=False)
    """Propose, run and cancel nothing: for dashboards and for whoever collects labels."""
    # False: an agent must not write the labels by which its own guard is judged.
    manages_ground_truth = models.BooleanField(default=False, db_default=False)
    """Read and change datasets and campaigns of the whole workspace: import, freeze, export, open, pause, close."""
    hint = models.CharField(max_length=12)
    """First characters of the key, to recognise it by."""
    # Unique, so that one index serves the look-up at every request of an agent.
    key_hash = models.CharField(max_length=64, unique=True)
    # Protected: one that acts in a person's name would stay in force as the installation's when their account goes.
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    # As exact as `workspaces.agent_keys.USED_EVERY`.
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # The queue names the agent of each call by it.
            models.CheckConstraint(condition=~Q(name=""), name="an_agent_key_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    # DRF asks its request.user this; a key that was found is authenticated.
    is_authenticated = True

    @property
    def is_personal(self) -> bool:
        """Whether it acts in the name of who issued it: it ends once they no longer administer the workspace."""
        return self.manages_ground_truth and self.created_by_id is not None

    @property
    def is_test(self) -> bool:
        """Whether its calls say themselves how they are decided, and count nowhere."""
        return self.workspace.sandbox_of_id is not None

    @staticmethod
    def new_secret(prefix: str = KEY_PREFIX) -> str:
        """A fresh key with 256 bits of entropy."""
        # 32 bytes: guessing is out of reach, which is why a plain hash suffices below.
        return prefix + secrets.token_urlsafe(32)

    @staticmethod
    def hash_of(secret: str) -> str:
        """What is stored. A plain hash suffices: the secret is random, there is no dictionary to try."""
        return hashlib.sha256(secret.encode()).hexdigest()
