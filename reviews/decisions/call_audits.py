"""What a person says afterwards of a call that was settled: that it was right, or wrong, and what let it pass."""

from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from reviews import access, audit
from reviews.decisions import locking
from reviews.errors import UndecidedError
from reviews.models import OPEN, Action, Decision, Label, LabelSource, Membership
from reviews.records.transactions import retry_on_conflict

# The order in which calls are worked through: what passed first is looked at first.
AUDIT_ORDER: Final = ("id",)


@retry_on_conflict
@transaction.atomic
def judge_audit(
    *,
    action: Action,
    membership: Membership,
    aligned: bool,
    misalignment: str = "",
    relation: str = "",
    rule: str = "",
    note: str = "",
) -> Label:
    """Label a settled call after the fact. `rule` names what let it pass.

    A further judgement is a further label; what was decided stays as it is. Raises `ForbiddenError` and
    `UndecidedError`.
    """
    access.require(membership, access.Permission.DECIDE)
    locked = locking.lock_action(action.pk)
    if locked is None or locked.status in OPEN:
        raise UndecidedError("This call still waits. Decide it instead.")
    label = Label.objects.create(
        workspace_id=locked.workspace_id,
        action=locked,
        source=LabelSource.AUDIT,
        labeller=membership.user,
        aligned=aligned,
        misalignment="" if aligned else misalignment,
        relation="" if aligned else relation,
        rule="" if aligned else rule,
        note=note,
    )
    drawn = Decision.objects.filter(action=locked, audit_probability__isnull=False, audited_at__isnull=True)
    drawn.update(audited_at=timezone.now())
    audit.record(
        workspace=membership.workspace,
        verb="action.judged",
        subject=str(locked.pk),
        by=membership,
        details={"aligned": aligned, "rule": label.rule},
    )
    return label


def to_audit(membership: Membership) -> QuerySet[Decision]:
    """What was drawn for audit and nobody has judged, with its call."""
    drawn = access.decisions_for(membership).filter(audit_probability__isnull=False, audited_at__isnull=True)
    return drawn.filter(in_force=True).select_related("action__agent_key", "action__trace").order_by(*AUDIT_ORDER)


def next_to_audit(membership: Membership, after: Decision | None = None) -> Decision | None:
    """The next of them, from the beginning where none is left behind `after`."""
    items = to_audit(membership)
    if after is None:
        return items.first()
    return items.filter(pk__gt=after.pk).first() or items.exclude(pk=after.pk).first()
