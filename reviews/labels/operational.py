"""The label that a reviewer's decision amounts to."""

from collections.abc import Callable
from typing import Final, TypeAlias, cast
from uuid import UUID

from reviews.models import Decision, Label, LabelSource, MisalignmentType, Outcome, pipeline
from reviews.provenance.core.findings import Relation

# The check that stopped it first, of those that counted: a reviewer has not seen what ran in shadow. With it, the
# relation of its first finding that does not hold, but for one that only labels what was read and stops nothing.
_STOPPED: Final = """
    SELECT c.misalignment, coalesce((
        SELECT f.relation FROM reviews_finding AS f
        WHERE f.check_run_id = c.id AND NOT f.holds AND f.relation <> %s ORDER BY f.ordinal LIMIT 1), '')
    FROM reviews_check AS c
    WHERE c.action_id = %s AND c.mode = 'enforced' AND c.verdict = 'misaligned' ORDER BY c.finished_at LIMIT 1
"""


Objection: TypeAlias = Callable[[], tuple[str, str] | None]
"""What stopped an action, once its statement has run: a misalignment type and a relation, each perhaps empty."""


def objection_to(action_id: UUID) -> Objection:
    """Ask what stopped the action, by a statement that may travel with others."""
    cursor = pipeline.execute(_STOPPED, (Relation.UNTAINTED, action_id))
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
