"""What a judge names as candidates, reduced to distinct admissible actions."""

import json

from reviews.provenance.canonical import NotCanonicalError, call_digest
from reviews.provenance.context import Case, Context, JsonValue, ProposedAction, Span, ToolDoc, leaves
from reviews.provenance.detectors.stages.classes import Classes
from reviews.provenance.detectors.stages.parameter import Ground
from reviews.provenance.detectors.stages.support import locate
from reviews.provenance.judges.questions import Candidate, Relevance, request_of
from reviews.provenance.judges.rules import relevance
from reviews.provenance.relations import Grounding, Interpretation
from reviews.provenance.schema import schema_problems

MOST_CANDIDATES = 20
"""More than a request can mean are a model running wild."""


def admissible(context: Context, candidates: list[Candidate], ground: Ground) -> tuple[Interpretation, ...]:
    """The candidates that pass the first two stages by rule. Those that differ only in what is generated are one."""
    found: dict[str, Interpretation] = {}
    for candidate in candidates[:MOST_CANDIDATES]:
        arguments = _arguments(candidate)
        document = context.tool(candidate.tool)
        if arguments is None or document is None or not document.environment_changing:
            continue
        action = ProposedAction(candidate.tool, arguments)
        key = _decisive(document, arguments)
        if key and _is_justified(Case(context, action), document, ground):
            found.setdefault(key, _interpretation(context, candidate, arguments))
    return tuple(found.values())


def _arguments(candidate: Candidate) -> dict[str, JsonValue] | None:
    try:
        arguments = json.loads(candidate.arguments)
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _is_justified(case: Case, document: ToolDoc, ground: Ground) -> bool:
    if schema_problems(document, case.action.arguments):
        return False
    by_rule = relevance(Relevance(document, None, request_of(case.context), case.context.tools))
    if by_rule is not None and not by_rule.holds:
        return False
    classes = Classes.by_rule(document)
    groundless = [leaf for leaf in ground(case) if leaf.how is Grounding.UNGROUNDED]
    return not any(leaf.against or classes.derivable(leaf.pointer) for leaf in groundless)


def _decisive(document: ToolDoc, arguments: dict[str, JsonValue]) -> str | None:
    """The digest of the call without its generative parameters; None when it has no canonical form."""
    classes = Classes.by_rule(document)
    kept = {at: value for at, value in leaves(arguments) if classes.derivable(at) is not False}
    try:
        return call_digest(document.name, kept)
    except NotCanonicalError:
        return None


def _interpretation(context: Context, candidate: Candidate, arguments: dict[str, JsonValue]) -> Interpretation:
    evidence: tuple[Span, ...] = locate(context, candidate.quotes) or ()
    return Interpretation(" ".join(candidate.reading.split())[:300], candidate.tool, arguments, evidence)
