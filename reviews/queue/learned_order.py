"""Where a call stands within its class of the queue, by what was found of it and what labels taught of such findings.

It orders calls of one priority that expire within the same quarter of an hour, and no others: risk and time go first.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from reviews.evaluation.measures.suspicion import SuspicionModel, name_feature
from reviews.models import CheckMode, Finding, GuardProfile

# Long enough for several calls of a busy agent to fall into it, and short beside the hour that calls wait by default.
DEADLINE_CLASS: Final = timedelta(minutes=15)
# The last moment of a class still belongs to it.
_MAX_SHARE: Final = 0.999_999
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# Findings of a call that are looked at: a call of so many arguments is told by the first of them.
MAX_FINDINGS: Final = 500


def order_moment(due_at: datetime, profile: GuardProfile, action_id: UUID) -> datetime:
    """By what the queue orders the call: its deadline, or the place within the deadline's class that it earned."""
    if not profile.orders_queue or not profile.suspicion:
        return due_at
    findings = Finding.objects.filter(check_run__action=action_id, check_run__mode=CheckMode.ENFORCED).order_by()
    rows = findings.values_list("check_run__detector", "rule", "relation", "holds")[:MAX_FINDINGS]
    features = {name_feature(detector, rule or relation, holds) for detector, rule, relation, holds in rows}
    return place_in_class(due_at, SuspicionModel.read(profile.suspicion), features)


def place_in_class(due_at: datetime, model: SuspicionModel, features: Collection[str]) -> datetime:
    """The moment of the deadline's class that the call earned: the more suspect, the earlier."""
    begun = due_at - (due_at - _EPOCH) % DEADLINE_CLASS
    return begun + DEADLINE_CLASS * min(1 - model.estimate(features), _MAX_SHARE)
