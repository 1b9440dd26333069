"""Stage 1: is this tool a fitting means for a step that serves the request? (Paper, 4.2.3 and 4.3.1.)"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from rapidfuzz import process

from reviews.provenance.core.context import Case, ProposedAction, Span, ToolDoc
from reviews.provenance.core.findings import DecidedBy, Finding, Misalignment, Relation, StageResult
from reviews.provenance.detectors.lookups import is_lookup
from reviews.provenance.detectors.relation_questions import RelationQuestion, ask_relations
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.grounding.conditions import unmet
from reviews.provenance.judges.questions.provenance_guard import Contribution, Relevance, request_of
from reviews.provenance.request.asked_for import match
from reviews.provenance.request.dialogue import proposals_of

# Similarity, 0 to 100, from which another tool's name is worth mentioning: below it names share a few letters only.
_SIMILAR: Final = 60
_FILLED: Final = "The request asks for this kind of action and gives every value that it needs."
# Characters of an undocumented tool's name that are repeated: it may be of any length.
_MOST_NAME: Final = 100
_EFFECTS: Final[Mapping[tuple[bool, bool], str]] = MappingProxyType(
    {
        (True, True): "it changes things",
        (True, False): "it only reads, so it may pass",
        (False, True): "the workspace calls such a call critical",
        (False, False): "the workspace does not call such a call critical, so this method lets it pass",
    }
)
"""By whether the tool's document decides, and whether the call is looked at."""


async def check_tool(case: Case, stage: Stage, *, filled: Callable[[ToolDoc], bool] | None = None) -> StageResult:
    """SpecifiedBy, the environment-changing filter, then ContributeTo and RelevantTo at once.

    `filled` tells whether the request fills the tool's parameters by itself, which proves both relations for a step
    that asks for the tool.
    """
    result = specified(case, stage)
    document = case.context.tool(case.action.tool)
    if result is not None or document is None:
        return result or stage.rejected(Misalignment.TOOL)
    # A look-up is how an agent finds out whether a condition is met, and it changes nothing if it is not.
    looks_up = is_lookup(document, case.action)
    checks_condition = stage.options.order != "paper" and stage.options.contribute_to and not looks_up
    if checks_condition and (unmet_condition := unmet(case)):
        # The user made the call depend on something that is not so: then the step serves nothing that was asked for.
        subject = case.action.subtask or case.action.tool
        stage.find(Relation.CONTRIBUTE_TO, subject, False, unmet_condition.note, evidence=unmet_condition.spans)
        return stage.rejected(Misalignment.TOOL)
    if stage.options.order != "paper" and looks_up:
        note = f"“{document.name}” only looks something up, by its name and document."
        stage.find(Relation.RELEVANT_TO, document.name, True, note)
    await ask_relations(_questions(case, document, stage), stage)
    # Where a judge has answered, its word stands; where nobody has, this is proof.
    unanswered = [finding for finding in stage.findings if _is_unanswered(finding)]
    if unanswered and filled is not None and _asks_for(case.action, document) and filled(document):
        stage.findings = [
            replace(finding, holds=True, rationale=_FILLED) if finding in unanswered else finding
            for finding in stage.findings
        ]
    return stage.concluded(Misalignment.TOOL)


def _is_unanswered(finding: Finding) -> bool:
    open_relation = finding.relation in (Relation.CONTRIBUTE_TO, Relation.RELEVANT_TO) and finding.holds is None
    return open_relation and finding.decided_by is DecidedBy.RULE


def _asks_for(action: ProposedAction, document: ToolDoc) -> bool:
    """Whether the agent's step, if it names one, asks for this tool."""
    return not action.subtask or match(document, (action.subtask,)) is not None


def specified(case: Case, stage: Stage, *, critical: bool | None = None) -> StageResult | None:
    """SpecifiedBy and the environment-changing filter, which need no judge; None when there is more to ask.

    `critical`: whether the workspace wants the call looked at; it counts instead of the document's own mark.
    """
    context, name = case.context, case.action.tool
    document = context.tool(name)
    if document is None:
        # A typing error is the commonest reason, and the right name helps agent and reviewer alike.
        similar = process.extractOne(name, [tool.name for tool in context.tools], score_cutoff=_SIMILAR)
        hint = f" The closest name is “{similar[0]}”." if similar else ""
        stage.find(Relation.SPECIFIED_BY, name, False, f"The agent has no tool “{name[:_MOST_NAME]}”.{hint}")
        return stage.rejected(Misalignment.TOOL)
    looked_at = document.environment_changing if critical is None else critical
    effect = _EFFECTS[critical is None, looked_at]
    # The document's text begins with the tool's name.
    span = Span(f"tool/{name}", 0, len(name), name)
    stage.find(
        Relation.SPECIFIED_BY, name, True, f"The tool is documented; {effect}.",
        evidence=(span,) if context.verifies(span) else (),
    )  # fmt: skip
    return None if looked_at else stage.passed()


def _questions(case: Case, document: ToolDoc, stage: Stage) -> Iterator[RelationQuestion]:
    subtask, context = case.action.subtask or None, case.context
    request, tools, occasion = request_of(context), context.tools, context.fingerprint
    # The paper trusts the agent's plan (section 4.3.1); and without a step there is nothing to test.
    if subtask and stage.options.contribute_to and stage.options.order != "paper":
        yield RelationQuestion(Relation.CONTRIBUTE_TO, subtask, Contribution(subtask, request, tools, occasion))
    # To look something up is a means for nearly any step, so a look-up is never rejected for relevance.
    if stage.options.order == "paper" or not is_lookup(document, case.action):
        accepted = tuple(context.sources[proposal.message].text for proposal in proposals_of(context))
        relevance = Relevance(document, subtask, request, tools, occasion, accepted)
        yield RelationQuestion(Relation.RELEVANT_TO, document.name, relevance)
