"""Learn from labels which findings tell wrong calls from right ones, and keep the model with the guard profile."""

from dataclasses import asdict
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef, Subquery

from reviews import access
from reviews.errors import FieldProblem, InvalidProfileError, TooFewLabelsError
from reviews.evaluation.measures.suspicion import name_feature
from reviews.evaluation.measures.suspicion_learning import LabelledFindings, learn_suspicion
from reviews.models import (
    CheckMode,
    Decision,
    Finding,
    GuardProfile,
    Label,
    LabelSource,
    Membership,
    Workspace,
)
from reviews.profiles import versions
from reviews.scheduling import broker

TASK: Final = "reviews.tasks.learn_suspicion"
# With fewer, a weight follows one or two calls.
MIN_CALLS: Final = 50
# Latest labels that are learned from: months of a busy desk.
MAX_CALLS: Final = 20_000
# Calls whose findings are read at once.
_CHUNK: Final = 1_000


def request_training(membership: Membership) -> None:
    """Have a worker learn anew. Raises `ForbiddenError` and `TooFewLabelsError`."""
    access.require(membership, access.Permission.ADMINISTER)
    count = len(_latest_labels(membership.workspace))
    if count < MIN_CALLS:
        raise TooFewLabelsError(count, MIN_CALLS)
    broker.enqueue_task(TASK, membership.pk)


def train(membership_id: UUID) -> GuardProfile | None:
    """Learn, and store the model as a version of the profile; what is in force stays where nothing new is learned.

    Harmless to repeat. Whether it orders the queue is a setting of its own.
    """
    membership = Membership.objects.select_related("workspace").filter(pk=membership_id).first()
    if membership is None:
        return None
    profile = access.current_profile(membership.workspace)
    calls = list_labelled_findings(membership.workspace)
    learned = learn_suspicion(calls) if len(calls) >= MIN_CALLS else None
    if learned is None:
        return None
    stored = asdict(learned.model) | {
        "calls": learned.calls,
        "wrong": learned.wrong,
        "auc": learned.auc,
        "interval": None if learned.interval is None else list(learned.interval),
    }
    if stored == profile.suspicion:
        return None
    return versions.new_version(membership=membership, suspicion=stored)


def switch_ordering(membership: Membership, *, on: bool) -> GuardProfile:
    """Let the model order the queue, or no longer. Raises `ForbiddenError`, and `InvalidProfileError` without one."""
    access.require(membership, access.Permission.ADMINISTER)
    if on and not access.current_profile(membership.workspace).suspicion:
        raise InvalidProfileError(FieldProblem("/orders_queue", "No model was learned yet."))
    return versions.new_version(membership=membership, orders_queue=on)


def list_labelled_findings(workspace: Workspace) -> list[LabelledFindings]:
    """The latest calls that people judged, each with what enforced detectors found of it."""
    labels = _latest_labels(workspace)
    features: dict[UUID, set[str]] = {action: set() for action in labels}
    actions = list(labels)
    for begun in range(0, len(actions), _CHUNK):
        findings = Finding.objects.filter(check_run__action__in=actions[begun : begun + _CHUNK]).order_by()
        rows = findings.filter(check_run__mode=CheckMode.ENFORCED).values_list(
            "check_run__action", "check_run__detector", "rule", "relation", "holds"
        )
        for action, detector, rule, relation, holds in rows.distinct().iterator():
            features[action].add(name_feature(detector, rule or relation, holds))
    return [
        LabelledFindings(frozenset(features[action]), not label.aligned, label.trace, label.weight)
        for action, label in labels.items()
    ]


class _Label(NamedTuple):
    aligned: bool
    trace: UUID
    weight: float


def _latest_labels(workspace: Workspace) -> dict[UUID, _Label]:
    """Each labelled call with its latest label and its conversation; a correction is a new row.

    A call that passed and was drawn for audit stands for as many as it was drawn from; any other for itself.
    """
    drawn = Decision.objects.filter(action=OuterRef("action"), audit_probability__gt=0).order_by("id")
    is_decided = Label.objects.filter(action=OuterRef("action"), source=LabelSource.OPERATIONAL)
    labels = Label.objects.filter(workspace=workspace).annotate(
        likely=Subquery(drawn.values("audit_probability")[:1]), is_decided=Exists(is_decided)
    )
    rows = labels.order_by("-id").values_list("action", "aligned", "action__trace", "likely", "is_decided")
    # Written over from the oldest to the latest.
    return {
        action: _Label(is_right, trace, 1.0 if is_decided or likely is None else 1 / likely)
        for action, is_right, trace, likely, is_decided in reversed(list(rows[:MAX_CALLS]))
    }
