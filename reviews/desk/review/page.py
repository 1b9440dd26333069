"""One item as a reviewer sees it: everything the page shows, read from the record."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reviews.desk.review.case.arguments import Arguments, list_arguments
from reviews.desk.review.case.consequence import Consequence, weigh_consequence
from reviews.desk.review.case.evidence import Evidence, read_span
from reviews.desk.review.case.interpretations import Question, Reading, ask_which_value, list_readings
from reviews.desk.review.case.plan import PlanView, plan_of
from reviews.desk.review.case.reasons import (
    Reason,
    attach_records,
    fold_reasons,
    list_established,
    list_notes,
    name_look_alikes,
    rank_reasons,
)
from reviews.desk.review.case.records import RecordTable, compare_records
from reviews.desk.review.case.sources import (
    Exhibit,
    HistoryEntry,
    HistoryRun,
    UserRequest,
    find_asking_message,
    fold_history,
    fold_whole,
    list_history,
    list_other_sources,
    show_tool_document,
)
from reviews.desk.review.case.verdicts import Panel, build_panel
from reviews.desk.review.case.vocabulary import Certainty
from reviews.desk.review.influence.panel import Influence, influence_of
from reviews.desk.text.highlighting import Piece
from reviews.lab.rule_records import read_published_records
from reviews.models import Action, Check, Finding, MisalignmentType, Plan, Review
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Relation
from reviews.records import load


@dataclass(frozen=True)
class CaseFile:
    """The page's content."""

    action: Action
    consequence: Consequence
    arguments: Arguments
    reasons: list[Reason]
    main_reasons: list[Reason]
    """The reasons that are not folded away, the main one first."""
    folded: list[Reason]
    """The other reasons."""
    notes: list[Reason]
    """What is out of place in what was read, though it stops nothing by itself."""
    established: list[Reason]
    """What holds, and by what."""
    panel: Panel
    plan: PlanView | None
    influence: Influence | None
    """None where no detector looked for anomalous text."""
    readings: list[Reading]
    question: Question | None
    """The choice to ask the user."""
    records: list[RecordTable]
    """The records that values are taken from, beside others of their kind."""
    request: UserRequest
    history: list[HistoryEntry]
    tool: Exhibit | None
    other_sources: list[Exhibit]
    evidence: Evidence
    case: Case

    @cached_property
    def history_runs(self) -> list[HistoryRun]:
        """The history with long stretches folded in which nothing is evidence."""
        return fold_history(self.history)

    @property
    def offered(self) -> list[str]:
        """Names of the tools the agent may use."""
        return [tool.name for tool in self.case.context.tools]

    @property
    def rest(self) -> tuple[Piece, ...]:
        """Stands for all the arguments as one text, for when some are not listed."""
        return fold_whole(self.action.arguments)

    @property
    def choices(self) -> list[Reading]:
        """Every reading that the editor may open with."""
        return [*self.readings, *(reading for table in self.records for reading in table.readings)]

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
        """Type of failure of the first detector that objects; empty when none does, or none names a type."""
        if any(reason.is_injection for reason in self.reasons):
            return MisalignmentType.INJECTION
        return self.panel.verdicts[0].check.misalignment if self.panel.verdicts else ""

    @property
    def is_to_be_rejected(self) -> bool:
        """Whether the page must not invite to approve: something is false, or a value is more than not proven."""
        has_suspect = any(row.origin.is_suspect for row in self.arguments.listed)
        return self.main_reason.certainty is Certainty.FALSE or has_suspect

    @property
    def invites_to_approve(self) -> bool:
        """Whether approving may be the page's own suggestion: of a grave call only where nothing is left open."""
        is_open = self.consequence.grave and self.main_reason.certainty is not Certainty.ESTABLISHED
        return not (is_open or self.is_to_be_rejected)


def open_casefile(
    review: Review, checks: Sequence[Check], plan: Plan | None = None, *, case: Case | None = None
) -> CaseFile:
    """Everything about the item.

    `checks` come with prefetched findings and interpretations; `plan` is the last one of the trace before the call.
    `case` is the call in its context where it is not on record.
    """
    action = review.action
    case = case or load.load_case(action)
    context, evidence = case.context, Evidence(case.context, action.arguments)
    panel = build_panel(checks, action.profile)
    # Where two detectors speak of one value the later finding counts, so the strongest objection comes last.
    findings = [finding for verdict in reversed(panel.verdicts) for finding in verdict.findings]
    # Whatever points into a source comes before the exhibits: they are folded around the marks. The order among these
    # decides which marks are kept where one text has too many.
    arguments = list_arguments(case, findings, evidence)
    reasons = _list_reasons(review, panel, arguments, evidence)
    arguments = arguments.selecting(reasons[0].pointer)
    main_reasons, folded = fold_reasons(reasons)
    notes = list_notes(panel.verdicts, evidence)
    injected = reasons[0].is_injection
    consequence = weigh_consequence(action, context.tool(action.tool), injected=injected, refuted=panel.refutes)
    interpretations = [row for verdict in panel.verdicts for row in verdict.check.interpretations.all()]
    readings = list_readings(case, interpretations, arguments, consequence.deed, evidence)
    records, question = _offer_records(case, arguments, readings, reasons[0])
    influence = _draw_influence(case, findings, arguments, evidence)
    request = find_asking_message(context, evidence)
    history = list_history(context, evidence, request.message.source)
    return CaseFile(
        action=action,
        consequence=consequence,
        arguments=arguments,
        reasons=reasons,
        main_reasons=main_reasons,
        folded=folded,
        notes=notes,
        # It points at nothing, so that it takes no mark from what fails.
        established=list_established(panel.verdicts, evidence),
        panel=panel,
        plan=plan_of(plan, context),
        influence=influence,
        readings=readings,
        question=question,
        records=records,
        request=request,
        history=history,
        tool=show_tool_document(context, action.tool, evidence),
        other_sources=list_other_sources(context, action.tool, evidence),
        evidence=evidence,
        case=case,
    )


def _list_reasons(review: Review, panel: Panel, arguments: Arguments, evidence: Evidence) -> list[Reason]:
    """Why the call stops, the strongest first: a look-alike is named, and each has its rule's record beside it."""
    disguised = {row.pointer: row.note for row in arguments.listed if row.origin.is_look_alike}
    reasons = name_look_alikes(rank_reasons(review, panel.verdicts, evidence), disguised)
    return attach_records(reasons, read_published_records(review.action.workspace_id))


def _offer_records(
    case: Case, arguments: Arguments, readings: list[Reading], reason: Reason
) -> tuple[list[RecordTable], Question | None]:
    """The records that may be taken instead, and what to ask the user: the question's key comes before theirs."""
    tool_in_doubt = case.action.tool if reason.asks_for_tool else ""
    is_asked = bool(arguments.selected or tool_in_doubt)
    records = compare_records(case, arguments, readings, first_number=len(readings) + is_asked + 1)
    rivals = next((table.in_words for table in records if table.argument == arguments.selected), ())
    return records, ask_which_value(readings, arguments.selected, tool_in_doubt, rivals)


def _draw_influence(
    case: Case, findings: Sequence[Finding], arguments: Arguments, evidence: Evidence
) -> Influence | None:
    """The influence graph, with the anomalous spans struck in `evidence`; None when no detector looked for any."""
    labels = [finding for finding in findings if finding.relation == Relation.UNTAINTED]
    if not labels:
        return None
    # Two detectors may find the same span: it is struck once.
    anomalous = tuple(
        dict.fromkeys(read_span(stored) for finding in labels if finding.holds is False for stored in finding.evidence)
    )
    evidence.strike(anomalous)
    return influence_of(case, anomalous, arguments, evidence)
