"""The label that a reviewer's decision amounts to."""

from collections.abc import Callable
from typing import TypeAlias, cast
from uuid import UUID

from reviews.models import Decision, Label, LabelSource, MisalignmentType, Outcome, pipeline
from reviews.models.sql import checks
from reviews.provenance.core.findings import Relation

Objection: TypeAlias = Callable[[], tuple[str, str] | None]
"""What stopped an action, once its statement has run: a misalignment type and a relation, each perhaps empty."""


def objection_to(action_id: UUID) -> Objection:
    """Ask what stopped the action, by a statement that may travel with others."""
    cursor = pipeline.execute(checks.SELECT_FIRST_OBJECTION, (Relation.UNTAINTED, action_id))
    return cast(Objection, cursor.fetchone)


def label_of(decision: Decision, objection: Objection, *, misalignment: str = "") -> Label:
    """What the decision says about its action, to be stored with it. `misalignment` stands before what it implies."""
    action = decision.action
    # An answer in place of the call counts as misaligned too: the agent should have asked.
    aligned = decision.outcome == Outcome.APPROVE
    stopped = None if aligned else objection()
    edited = decision.outcome == Outcome.EDIT
    return Label(
        workspace_id=action.workspace_id,
        action=action,
        decision=decision,
        source=LabelSource.OPERATIONAL,
        labeller=decision.reviewer,
        aligned=aligned,
        misalignment="" if aligned else misalignment or _misalignment_type(decision, stopped),
        relation=stopped[1] if stopped else "",
        corrected_tool=decision.tool if edited else "",
        corrected_arguments=decision.arguments if edited else None,
        interpretation=decision.interpretation,
        note=decision.message,
    )


def _misalignment_type(decision: Decision, stopped: tuple[str, str] | None) -> str:
    """What the decision itself shows, before what the guard believed; empty when neither says."""
    if decision.interpretation_id is not None:
        return MisalignmentType.INTERPRETATION
    if stopped is not None:
        return stopped[0]
    if decision.outcome == Outcome.EDIT:
        return MisalignmentType.PARAMETER if decision.tool == decision.action.tool else MisalignmentType.TOOL
    return ""
