"""The calls of an experiment: entries of a frozen version, or recorded calls that were drawn."""

from datetime import datetime
from typing import Any, TypeAlias

from django.db.models import QuerySet

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.benchmarks.call_kinds import only_reads
from reviews.models import Action, Experiment, ExperimentCall, Risk, VersionEntry
from reviews.provenance.core.context import Case
from reviews.records import load
from reviews.records.dataset_items import case_of_item

Subject: TypeAlias = VersionEntry | ExperimentCall


def list_calls(experiment: Experiment) -> QuerySet[Any]:
    """The calls that there are still, by their ordinals: what was erased has nothing left to judge."""
    if experiment.version is None:
        return experiment.calls.order_by("ordinal")
    return experiment.version.entries.filter(erased_at__isnull=True).order_by("ordinal")


def with_cases(experiment: Experiment, calls: QuerySet[Any]) -> QuerySet[Any]:
    """The same with all that their cases are made of."""
    path = "action" if experiment.judges_recorded_calls else "item__action"
    return calls.select_related(f"{path}__trace__query", f"{path}__tool_set", f"{path}__profile")


def action_of(subject: Subject) -> Action | None:
    """The recorded call; None for one that was imported."""
    return subject.action if isinstance(subject, ExperimentCall) else subject.item.action


def case_of(subject: Subject) -> Case:
    """The call in its context. Raises `NotFoundError` once it is erased."""
    return load.load_case(subject.action) if isinstance(subject, ExperimentCall) else case_of_item(subject.item)


def labelled_case(subject: Subject) -> LabelledCase:
    """The call with what its label says of it."""
    case, label = case_of(subject), subject.label or {}
    aligned, document = label.get("aligned"), case.context.tool(case.action.tool)
    return LabelledCase(
        # The item's: what is drawn by it is the same in every version that holds the item.
        id=str(subject.action_id if isinstance(subject, ExperimentCall) else subject.item_id),
        label="",
        case=case,
        wrong=None if aligned is None else not aligned,
        look_up=document is not None and only_reads(document),
    )


def is_high_risk(subject: Subject) -> bool:
    """Whether the agent's developer says that a wrong call would be grave."""
    action = action_of(subject)
    return action is not None and action.risk == Risk.HIGH


def describe_source(experiment: Experiment) -> str:
    """What it judges, as titles name it."""
    if experiment.version is not None:
        return f"{experiment.version.dataset.name}, {experiment.version}"
    since, until = (datetime.fromisoformat(experiment.recorded[name]) for name in ("since", "until"))
    return f"recorded calls, {since:%Y-%m-%d} to {until:%Y-%m-%d}"


def digest_of_source(experiment: Experiment) -> str:
    """SHA-256 of what it judges, with the labels as they were."""
    return experiment.version.content_hash if experiment.version is not None else experiment.recorded["digest"]
