"""What a judge names as candidates, reduced to the admissible actions that compete with one another."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

from reviews.provenance.core.canonical import NotCanonicalError, call_digest
from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, SourceKind, Step, ToolDoc, leaves
from reviews.provenance.core.findings import Grounding, Interpretation
from reviews.provenance.core.tool_schema import SchemaBudgetError, schema_problems
from reviews.provenance.detectors.parameter_classes import Classes
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.support import locate
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.questions.provenance_guard import Candidate, Relevance, request_of
from reviews.provenance.judges.rules import relevance

MOST_CANDIDATES = 20
"""More than a request can mean are a model running wild."""
_CHOICE = re.compile(r"\b(?:or|either)\b", re.I)


@dataclass(frozen=True)
class _Admissible:
    """A candidate that passes the first two stages by rule."""

    reading: Interpretation
    decisive: dict[str, JsonValue]
    """The arguments that are not generated, by JSON Pointer."""
    said: frozenset[str]
    """Pointers of the values that the user spells out."""
    asked: bool
    """By the rules, the user asks for this tool."""


def readings(
    context: Context, candidates: list[Candidate], ground: Ground, give_up: Callable[[str], None]
) -> tuple[Interpretation, ...]:
    """The admissible candidates that compete with another: at least two, or none.

    Those that differ only in what is generated are one, and what has been done already is none. Two calls that the
    user asks for outright, with different values of his own or with different tools, are steps to be done one after
    the other: they do not compete, unless he leaves a choice. `give_up` is called with the reason why a candidate could
    not be held against its tool's schema.
    """
    found = _admissible(context, candidates, ground, give_up)
    choice = any(_CHOICE.search(text) for text in request_of(context))
    pairs = [(one, other) for one, other in combinations(found, 2) if choice or _compete(one, other)]
    competing = {id(each) for pair in pairs for each in pair}
    return tuple(each.reading for each in found if id(each) in competing)


def as_interpretations(context: Context, candidates: list[Candidate]) -> tuple[Interpretation, ...]:
    """The candidates as they were named."""
    named = candidates[:MOST_CANDIDATES]
    return tuple(_interpretation(context, each, _arguments(context, each)) for each in named)


def _admissible(
    context: Context, candidates: list[Candidate], ground: Ground, give_up: Callable[[str], None]
) -> tuple[_Admissible, ...]:
    found: dict[str, _Admissible] = {}
    done = {key for item in context.history if isinstance(item, Step) if (key := _done(context, item))}
    for candidate in candidates[:MOST_CANDIDATES]:
        arguments, document = _arguments(context, candidate), context.tool(candidate.tool)
        if document is None or not document.environment_changing:
            continue
        key = _key(document, arguments)
        if key is None or key in done or key in found:
            continue
        case = Case(context, ProposedAction(candidate.tool, arguments))
        by_rule = relevance(Relevance(document, None, request_of(context), context.tools))
        grounded = ground(case)
        if (by_rule is None or by_rule.holds) and _is_justified(case, document, grounded, give_up):
            found[key] = _Admissible(
                _interpretation(context, candidate, arguments),
                _decisive(document, arguments),
                frozenset(_spelled_out(grounded)),
                by_rule is not None,
            )
    return tuple(found.values())


def _compete(one: _Admissible, other: _Admissible) -> bool:
    if one.reading.tool != other.reading.tool:
        return not (one.asked and other.asked)
    pointers = one.decisive.keys() | other.decisive.keys()
    differing = {at for at in pointers if one.decisive.get(at) != other.decisive.get(at)}
    return not (differing & one.said and differing & other.said)


def _spelled_out(grounded: tuple[Grounded, ...]) -> Iterator[str]:
    literal = (Grounding.COPY, Grounding.NORMALIZE)
    return (leaf.pointer for leaf in grounded if leaf.how in literal and leaf.kinds == {SourceKind.USER_QUERY})


def _is_justified(
    case: Case, document: ToolDoc, grounded: tuple[Grounded, ...], give_up: Callable[[str], None]
) -> bool:
    try:
        if schema_problems(document, case.action.arguments):
            return False
    except SchemaBudgetError as error:
        give_up(str(error))
        return False
    classes = Classes.by_rule(document)
    groundless = [leaf for leaf in grounded if leaf.how is Grounding.UNGROUNDED]
    return not any(leaf.against or classes.derivable(leaf.pointer) for leaf in groundless)


def _arguments(context: Context, candidate: Candidate) -> dict[str, JsonValue]:
    """The arguments as the tool's schema types them."""
    document = context.tool(candidate.tool)
    declared = document.properties if document else {}
    return {each.name: _typed(each.value, declared.get(each.name)) for each in candidate.arguments}


def _typed(value: JsonValue, schema: JsonValue) -> JsonValue:
    kind = schema.get("type") if isinstance(schema, dict) else None
    kinds = kind if isinstance(kind, list) else [kind]
    if "string" in kinds and isinstance(value, int | float) and not isinstance(value, bool):
        return value if _is_number(kinds) else str(value)
    if not isinstance(value, str) or "string" in kinds or None in kinds:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _is_number(kinds: list[JsonValue]) -> bool:
    return "number" in kinds or "integer" in kinds


def _done(context: Context, step: Step) -> str | None:
    document = context.tool(step.tool)
    return _key(document, dict(step.arguments)) if document else None


def _key(document: ToolDoc, arguments: dict[str, JsonValue]) -> str | None:
    """The digest of the call without its generative parameters; None when it has no canonical form."""
    try:
        return call_digest(document.name, _decisive(document, arguments))
    except NotCanonicalError:
        return None


def _decisive(document: ToolDoc, arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
    classes = Classes.by_rule(document)
    return {at: value for at, value in leaves(arguments) if classes.derivable(at) is not False}


def _interpretation(context: Context, candidate: Candidate, arguments: dict[str, JsonValue]) -> Interpretation:
    evidence = locate(context, candidate.quotes) or ()
    return Interpretation(" ".join(candidate.reading.split())[:300], candidate.tool, arguments, evidence)
