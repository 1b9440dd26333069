"""One item as a reviewer sees it: everything needed on the table, and nothing that is not in the record."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from reviews.desk.review.case.anomalies import anomalous_of, strike
from reviews.desk.review.case.arguments import Argument, Arguments, arguments_of
from reviews.desk.review.case.consequence import Consequence, consequence_of
from reviews.desk.review.case.evidence import Evidence
from reviews.desk.review.case.interpretations import Reading, readings_of
from reviews.desk.review.case.plan import ShownPlan, plan_of
from reviews.desk.review.case.reasons import Reason, notes_of, reasons_of, told_at_once
from reviews.desk.review.case.sources import Entry, Exhibit, exhibit, history_of, others_of, tool_of
from reviews.desk.review.case.verdicts import Panel, Verdict, panel_of
from reviews.desk.review.influence.panel import Influence, influence_of
from reviews.desk.text.highlighting import Piece
from reviews.models import Action, Check, Finding, Interpretation, Plan, Review
from reviews.provenance.core.context import Case
from reviews.records import load

__all__ = [
    "Argument",
    "CaseFile",
    "Consequence",
    "Entry",
    "Exhibit",
    "Influence",
    "Reading",
    "Reason",
    "ShownPlan",
    "Verdict",
    "open_casefile",
]


@dataclass(frozen=True)
class CaseFile:
    """The page's content."""

    action: Action
    consequence: Consequence
    arguments: Arguments
    rest: tuple[Piece, ...]
    """Stands for all the arguments as one text, for when some are not listed."""
    reasons: list[Reason]
    notes: list[Reason]
    """What is out of place in what was read, though it stops nothing by itself."""
    panel: Panel
    plan: ShownPlan | None
    influence: Influence | None
    """None where no detector looked for anomalous text."""
    readings: list[Reading]
    query: Exhibit
    history: list[Entry]
    tool: Exhibit | None
    offered: list[str]
    """Names of the tools the agent may use."""
    others: list[Exhibit]
    evidence: Evidence
    case: Case

    @property
    def main_reason(self) -> Reason:
        """What the eye should meet first."""
        return self.reasons[0]

    @property
    def told(self) -> list[Reason]:
        """The reasons shown at once, the main one first."""
        return told_at_once(self.reasons)

    @property
    def folded(self) -> list[Reason]:
        """The other reasons."""
        told = self.told
        return [reason for reason in self.reasons if reason not in told]

    @property
    def folded_is_open(self) -> bool:
        """Whether the folded reasons are all questions that nobody could answer."""
        return not any(reason.settled for reason in self.folded)

    @property
    def misalignment(self) -> str:
        """Type of failure of the first detector that stopped the call, or `undetermined`; empty when none did."""
        return self.panel.verdicts[0].misalignment if self.panel.verdicts else ""

    @property
    def type_of_failure(self) -> str:
        """What a rejection is labelled unless the reviewer says otherwise; empty when the guard named no type."""
        return self.panel.verdicts[0].check.misalignment if self.panel.verdicts else ""


def open_casefile(review: Review, checks: Sequence[Check], plan: Plan | None = None) -> CaseFile:
    """Everything about the item. `checks` come with findings and interpretations at hand; `plan` is the trace's."""
    action = review.action
    case = load.case_for(action)
    context, evidence, panel = case.context, Evidence(case.context), panel_of(checks)
    # Whatever points into a source comes first: the exhibits are folded around it.
    arguments = arguments_of(case, _findings(panel.verdicts), evidence)
    reasons = reasons_of(review, panel.verdicts, evidence)
    notes = notes_of(panel.verdicts, evidence)
    readings = readings_of(case, _interpretations(panel.verdicts), evidence)
    influence = _influence(case, panel.verdicts, arguments, evidence)
    return CaseFile(
        action=action,
        consequence=consequence_of(action, context.tool(action.tool)),
        arguments=arguments,
        rest=(Piece.gap(0, len(json.dumps(action.arguments, indent=2, ensure_ascii=False))),),
        reasons=reasons,
        notes=notes,
        panel=panel,
        plan=plan_of(plan, context),
        influence=influence,
        readings=readings,
        query=exhibit(context, "query", evidence),
        history=history_of(context, evidence),
        tool=tool_of(context, action.tool, evidence),
        offered=[tool.name for tool in context.tools],
        others=others_of(context, action.tool, evidence),
        evidence=evidence,
        case=case,
    )


def _findings(verdicts: Sequence[Verdict]) -> list[Finding]:
    # The detectors that stopped the call come last and so win where two speak of one value.
    return [finding for verdict in reversed(verdicts) for finding in verdict.findings]


def _interpretations(verdicts: Sequence[Verdict]) -> list[Interpretation]:
    return [each for verdict in verdicts for each in verdict.check.interpretations.all()]


def _influence(case: Case, verdicts: Sequence[Verdict], arguments: Arguments, evidence: Evidence) -> Influence | None:
    anomalous = anomalous_of(_findings(verdicts))
    if anomalous is None:
        return None
    strike(anomalous, evidence)
    return influence_of(case, anomalous, arguments, evidence)
