"""Who did what, in a chain that shows when a row was changed or removed."""

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.base import Record, request_id_field
from reviews.models.workspaces import AgentKey, Workspace

ROLE_VERBS: Final = ("member.admitted", "member.joined", "member.removed", "member.role_changed")
"""Acts by which somebody came to a role, or lost it; their subject is the person, their details name the role."""


class AuditEvent(Record):
    """One act. `hash` covers the row and the previous row's hash."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="audit_events")
    # Counted by workspace without gaps, so that a removed row leaves a hole which `audit.first_broken` finds.
    sequence = models.PositiveBigIntegerField()
    # Set before saving, not by the database: it is part of what `hash` covers.
    at = models.DateTimeField()
    # Both may be deleted with their account; neither is covered by `hash`, which would break with them.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    agent_key = models.ForeignKey(AgentKey, models.SET_NULL, null=True, related_name="+")
    actor = models.CharField(max_length=200)
    """The name at the time: it outlives the account."""
    verb = models.CharField(max_length=64)
    subject = models.CharField(max_length=200)
    details = models.JSONField(default=dict)
    request_id = request_id_field()
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["sequence"]
        constraints = [
            # Two events that both follow the same one would be two chains; also the index for the last event.
            models.UniqueConstraint(fields=["workspace", "sequence"], name="an_audit_chain_has_no_fork"),
        ]
        indexes = [
            # Which roles somebody had is asked whenever an item is given out; partial, as nearly all acts are others.
            models.Index(fields=["workspace", "subject"], name="audit_of_roles", condition=Q(verb__in=ROLE_VERBS)),
        ]
