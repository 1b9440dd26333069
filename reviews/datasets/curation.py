"""Datasets and what comes into them from the workspace's own record."""

from collections.abc import Collection, Iterable
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from reviews import access, audit
from reviews.errors import FieldProblem, InvalidCampaignError, InvalidError
from reviews.models import Action, Dataset, DatasetItem, DecidedBy, Decision, Origin, Workspace
from reviews.provenance.core.canonical import content_digest

# Of one request: more than a campaign's people answer in weeks, and still one short transaction.
MAX_ADDED: Final = 5_000
_BATCH: Final = 500


@transaction.atomic
def create_dataset(*, by: access.Principal, name: str, description: str = "") -> Dataset:
    """A new, empty dataset. Raises `ForbiddenError`, and `InvalidCampaignError` for a name that is taken or empty."""
    access.require_curator(by)
    if not name.strip():
        raise InvalidCampaignError(FieldProblem("/dataset", "Give the dataset a name."))
    try:
        # A savepoint: the refusal must leave the caller's transaction usable.
        with transaction.atomic():
            dataset = Dataset.objects.create(
                workspace=by.workspace, name=name.strip(), description=description, created_by=access.account_of(by)
            )
    except IntegrityError:
        raise InvalidCampaignError(FieldProblem("/dataset", f"There is a dataset named {name.strip()}.")) from None
    audit.record(workspace=by.workspace, verb="dataset.created", subject=str(dataset.pk), by=by, name=dataset.name)
    return dataset


def get_or_create_dataset(
    workspace: Workspace, name: str, *, description: str = "", by: access.Principal | None = None
) -> Dataset:
    """The dataset of this name, made when there is none. Raises `InvalidError`."""
    name = name.strip()
    longest = Dataset._meta.get_field("name").max_length or 0
    if not 1 <= len(name) <= longest:
        raise InvalidError(FieldProblem("/dataset", f"A name has 1 to {longest} characters."))
    with transaction.atomic():
        dataset, is_new = Dataset.objects.get_or_create(
            workspace=workspace,
            name=name,
            defaults={"description": description, "created_by": access.account_of(by)},
        )
        if is_new:
            audit.record(workspace=workspace, verb="dataset.created", subject=name, by=by)
    return dataset


def add_decided_calls(*, dataset: Dataset, by: access.Principal, most: int = MAX_ADDED, tool: str = "") -> int:
    """Add the latest calls that a person decided, of one tool or of all; returns how many were new.

    Harmless to repeat. Raises `ForbiddenError`.
    """
    decided = Decision.objects.filter(in_force=True, decided_by=DecidedBy.REVIEWER)
    return _add_calls(dataset, by, Origin.DECIDED, _select_latest_calls(by, decided.values("action"), tool, most), {})


def add_audited_calls(*, dataset: Dataset, by: access.Principal, most: int = MAX_ADDED, tool: str = "") -> int:
    """Add the latest calls that passed and were drawn for audit, with how likely each was to be drawn.

    Harmless to repeat. Raises `ForbiddenError`.
    """
    drawn = Decision.objects.filter(in_force=True, audit_probability__isnull=False)
    actions = _select_latest_calls(by, drawn.values("action"), tool, most)
    likely = dict(drawn.filter(action__in=actions).values_list("action", "audit_probability"))
    return _add_calls(dataset, by, Origin.AUDIT, actions, likely)


def add_chosen_calls(*, dataset: Dataset, by: access.Principal, actions: Collection[UUID]) -> int:
    """Add these calls, which somebody chose; returns how many were new. Harmless to repeat. Raises `ForbiddenError`."""
    chosen = access.judged_actions_for(by).filter(pk__in=list(actions)[:MAX_ADDED])
    return _add_calls(dataset, by, Origin.CHOSEN, chosen, {})


def _select_latest_calls(by: access.Principal, decided: Any, tool: str, most: int) -> list[Action]:
    actions = access.judged_actions_for(by).filter(pk__in=decided)
    if tool:
        actions = actions.filter(tool=tool)
    return list(actions.order_by("-created_at", "-id")[: min(most, MAX_ADDED)])


@transaction.atomic
def _add_calls(
    dataset: Dataset,
    by: access.Principal,
    origin: Origin,
    actions: Iterable[Action],
    likely: dict[Any, float | None],
) -> int:
    # Locked, in one order: none of them is erased before it is known that a dataset speaks of it.
    rows = Action.objects.select_for_update(of=("self",), no_key=True).select_related("trace").order_by("pk")
    items = [
        DatasetItem(
            dataset=dataset,
            origin=origin,
            action=action,
            content_key=content_digest(["action", str(action.pk)]),
            # With the agent: two agents may use one name for different conversations.
            conversation=f"{action.agent_id}/{action.trace.external_id}",
            tool=action.tool,
            audit_probability=likely.get(action.pk),
        )
        for action in rows.filter(pk__in=[action.pk for action in actions])
    ]
    before = dataset.items.count()
    # A call that is in the dataset already stays as it came.
    DatasetItem.objects.bulk_create(items, batch_size=_BATCH, ignore_conflicts=True)
    added = dataset.items.count() - before
    details = {"origin": str(origin), "added": added}
    audit.record(
        workspace=by.workspace, verb="dataset.extended", subject=str(dataset.pk), by=by, details=details,
        name=dataset.name,
    )  # fmt: skip
    return added
