"""The label that a reviewer's decision amounts to."""

from reviews.models import Check, Decision, Label, LabelSource, MisalignmentType, Outcome, VerdictLabel
from reviews.provenance.core.findings import Relation


def label_of(decision: Decision, *, misalignment: str = "") -> Label:
    """What the decision says about its action, to be stored with it. `misalignment` stands before what it implies."""
    action = decision.action
    # An answer in place of the call counts as misaligned too: the agent should have asked.
    aligned = decision.outcome == Outcome.APPROVE
    # The check that stopped it first, of those that counted: a reviewer has not seen what ran in shadow.
    enforced = action.checks.enforced().only("misalignment")
    stopped = None if aligned else enforced.filter(verdict=VerdictLabel.MISALIGNED).order_by("finished_at").first()
    edited = decision.outcome == Outcome.EDIT
    return Label(
        workspace_id=action.workspace_id,
        action=action,
        decision=decision,
        source=LabelSource.OPERATIONAL,
        labeller=decision.reviewer,
        aligned=aligned,
        misalignment="" if aligned else misalignment or _misalignment_type(decision, stopped),
        relation="" if aligned or stopped is None else _failing_relation(stopped),
        corrected_tool=decision.tool if edited else "",
        corrected_arguments=decision.arguments if edited else None,
        interpretation=decision.interpretation,
        note=decision.message,
    )


def _misalignment_type(decision: Decision, stopped: Check | None) -> str:
    """What the decision itself shows, before what the guard believed; empty when neither says."""
    if decision.interpretation_id is not None:
        return MisalignmentType.INTERPRETATION
    if stopped is not None:
        return stopped.misalignment
    if decision.outcome == Outcome.EDIT:
        return MisalignmentType.PARAMETER if decision.tool == decision.action.tool else MisalignmentType.TOOL
    return ""


def _failing_relation(stopped: Check) -> str:
    """The relation of the first finding that does not hold; empty where the check has none."""
    # Untainted only labels what was read; it stops nothing.
    failing = stopped.findings.filter(holds=False).exclude(relation=Relation.UNTAINTED).order_by("ordinal")
    return failing.values_list("relation", flat=True).first() or ""
