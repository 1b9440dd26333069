"""The label that a reviewer's decision amounts to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, cast
from uuid import UUID

from reviews.models import Decision, Label, LabelSource, MisalignmentType, Outcome, pipeline
from reviews.models.sql import checks
from reviews.provenance.core.findings import Relation


@dataclass(frozen=True)
class Judgement:
    """What a reviewer says of why a call is wrong, having seen what the guard suggests."""

    misalignment: str = ""
    relation: str | None = None
    """None where the reviewer was not asked."""


Objection: TypeAlias = Callable[[], tuple[str, str] | None]
"""What stopped an action, once its statement has run: a misalignment type and a relation, each perhaps empty."""


def objection_to(action_id: UUID) -> Objection:
    """Ask what stopped the action, by a statement that may travel with others."""
    cursor = pipeline.execute(checks.SELECT_FIRST_OBJECTION, (Relation.UNTAINTED, action_id))
    return cast(Objection, cursor.fetchone)


def label_of(decision: Decision, objection: Objection, judgement: Judgement | None = None) -> Label | None:
    """What the decision says about its action, to be stored with it; None for an answer, which says nothing.

    `judgement` is the reviewer's own, which stands before what the decision implies.
    """
    # Who answers may only tell the agent what it could not know: that makes its call neither right nor wrong.
    if decision.outcome == Outcome.RESPOND:
        return None
    action = decision.action
    aligned = decision.outcome == Outcome.APPROVE
    stopped = None if aligned else objection()
    suggested_type, suggested_relation = stopped or ("", "")
    edited = decision.outcome == Outcome.EDIT
    relation = judgement.relation if judgement and judgement.relation is not None else suggested_relation
    against = None if aligned else judgement
    return Label(
        workspace_id=action.workspace_id,
        action=action,
        decision=decision,
        source=LabelSource.OPERATIONAL,
        labeller=decision.reviewer,
        aligned=aligned,
        misalignment="" if aligned else (judgement and judgement.misalignment) or _misalignment_type(decision, stopped),
        relation=relation,
        type_as_suggested=against.misalignment == suggested_type if against else None,
        relation_as_suggested=(
            against.relation == suggested_relation if against and against.relation is not None else None
        ),
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
