"""One item as a reviewer sees it: everything the page shows, read from the record."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from reviews.desk.review.case.arguments import Arguments, arguments_of
from reviews.desk.review.case.consequence import Consequence, consequence_of
from reviews.desk.review.case.evidence import Evidence, span_from
from reviews.desk.review.case.interpretations import Reading, readings_of
from reviews.desk.review.case.plan import PlanView, plan_of
from reviews.desk.review.case.reasons import Reason, folded, notes_of, reasons_of
from reviews.desk.review.case.sources import Exhibit, HistoryEntry, exhibit, history_of, others_of, tool_of
from reviews.desk.review.case.verdicts import Panel, panel_of
from reviews.desk.review.influence.panel import Influence, influence_of
from reviews.desk.text.highlighting import Piece
from reviews.models import Action, Check, Finding, Plan, Review
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Relation
from reviews.records import load


@dataclass(frozen=True)
class CaseFile:
    """The page's content."""

    action: Action
    consequence: Consequence
    arguments: Arguments
    rest: tuple[Piece, ...]
    """Stands for all the arguments as one text, for when some are not listed."""
    reasons: list[Reason]
    main_reasons: list[Reason]
    """The reasons that are not folded away, the main one first."""
    folded: list[Reason]
    """The other reasons."""
    notes: list[Reason]
    """What is out of place in what was read, though it stops nothing by itself."""
    panel: Panel
    plan: PlanView | None
    influence: Influence | None
    """None where no detector looked for anomalous text."""
    readings: list[Reading]
    query: Exhibit
    history: list[HistoryEntry]
    tool: Exhibit | None
    offered: list[str]
    """Names of the tools the agent may use."""
    others: list[Exhibit]
    evidence: Evidence
    case: Case

    @property
    def main_reason(self) -> Reason:
        """The strongest objection: the headline of the page."""
        return self.reasons[0]

    @property
    def folded_is_open(self) -> bool:
        """Whether the folded reasons are all questions that nobody could answer."""
        return not any(reason.settled for reason in self.folded)

    @property
    def misalignment(self) -> str:
        """Type of failure of the first detector that stopped the call, or `undetermined`; empty when none did."""
        return self.panel.verdicts[0].misalignment if self.panel.verdicts else ""


def open_casefile(review: Review, checks: Sequence[Check], plan: Plan | None = None) -> CaseFile:
    """Everything about the item.

    `checks` come with prefetched findings and interpretations; `plan` is the last one of the trace before the call.
    """
    action = review.action
    case = load.load_case(action)
    context, evidence, panel = case.context, Evidence(case.context), panel_of(checks)
    # Where two detectors speak of one value the later finding counts, so the strongest objection comes last.
    findings = [finding for verdict in reversed(panel.verdicts) for finding in verdict.findings]
    interpretations = [row for verdict in panel.verdicts for row in verdict.check.interpretations.all()]
    # Whatever points into a source comes before the exhibits: they are folded around the marks. The order among these
    # decides which marks are kept where one text has too many.
    arguments = arguments_of(case, findings, evidence)
    reasons = reasons_of(review, panel.verdicts, evidence)
    main_reasons, rest = folded(reasons)
    notes = notes_of(panel.verdicts, evidence)
    readings = readings_of(case, interpretations, evidence)
    influence = _influence(case, findings, arguments, evidence)
    return CaseFile(
        action=action,
        consequence=consequence_of(action, context.tool(action.tool)),
        arguments=arguments,
        rest=(Piece.gap(0, len(json.dumps(action.arguments, indent=2, ensure_ascii=False))),),
        reasons=reasons,
        main_reasons=main_reasons,
        folded=rest,
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


def _influence(case: Case, findings: Sequence[Finding], arguments: Arguments, evidence: Evidence) -> Influence | None:
    """The influence graph, with the anomalous spans struck in `evidence`; None when no detector looked for any."""
    labels = [finding for finding in findings if finding.relation == Relation.UNTAINTED]
    if not labels:
        return None
    # Two detectors may find the same span: it is struck once.
    anomalous = tuple(
        dict.fromkeys(span_from(stored) for finding in labels if finding.holds is False for stored in finding.evidence)
    )
    evidence.strike(anomalous)
    return influence_of(case, anomalous, arguments, evidence)
