"""SpecifiedBy and the filter of calls that change nothing: what every method asks first, without a judge."""

from typing import Final

from rapidfuzz import process

from reviews.provenance.core.context import Case, Context, Span
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.detectors.stage import Stage

DOCUMENTED: Final = "tools.documented"
UNDOCUMENTED: Final = "tools.undocumented"
# By themselves these two let a call pass: whether rightly, their records tell.
READS_ONLY: Final = "tools.reads_only"
NOT_CRITICAL: Final = "tools.not_critical"
# Similarity, 0 to 100, from which another tool's name is worth mentioning: below it names share a few letters only.
_SIMILAR: Final = 60
# Characters of an undocumented tool's name that are repeated: it may be of any length.
_MAX_NAME: Final = 100
# By whether the tool's document decides, and whether the call is looked at: what is said, and the rule that says it.
_EFFECTS: Final = {
    (True, True): ("it may change things", DOCUMENTED),
    (True, False): ("it only reads, so it may pass", READS_ONLY),
    (False, True): ("the workspace calls such a call critical", DOCUMENTED),
    (False, False): ("the workspace does not call such a call critical, so this method lets it pass", NOT_CRITICAL),
}


def check_specification(case: Case, stage: Stage, *, critical: bool | None = None) -> StageResult | None:
    """SpecifiedBy and the environment-changing filter, which need no judge; None when there is more to ask.

    `critical`: whether the workspace wants the call looked at; it counts instead of the document's own mark.
    """
    context, name = case.context, case.action.tool
    document = context.tool(name)
    if document is None:
        # A typing error is the commonest reason, and the right name helps agent and reviewer alike.
        similar = process.extractOne(name, [tool.name for tool in context.tools], score_cutoff=_SIMILAR)
        hint = f" The closest name is “{similar[0]}”." if similar else ""
        note = f"The agent has no tool “{name[:_MAX_NAME]}”.{hint}"
        stage.record_finding(Relation.SPECIFIED_BY, name, False, note, rule=UNDOCUMENTED)
        return stage.rejected(Misalignment.TOOL)
    looked_at = document.environment_changing if critical is None else critical
    effect, rule = _EFFECTS[critical is None, looked_at]
    note, evidence = f"The tool is documented; {effect}.", cite_document(context, name)
    stage.record_finding(Relation.SPECIFIED_BY, name, True, note, evidence=evidence, rule=rule)
    return None if looked_at else stage.passed()


def cite_document(context: Context, tool: str) -> tuple[Span, ...]:
    """The name with which the text of the tool's document begins."""
    span = Span(f"tool/{tool}", 0, len(tool), tool)
    return (span,) if context.verifies(span) else ()
