"""What a judge names as candidates, reduced to the admissible actions that compete with one another."""

import json
import re
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from reviews.provenance.core.canonical import NotCanonicalError, call_digest
from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, SourceKind, Step, ToolDoc, leaves
from reviews.provenance.core.findings import Grounding, Interpretation
from reviews.provenance.core.tool_schema import schema_problems
from reviews.provenance.detectors.parameter_classes import DerivableParameters
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.support import locate
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.questions.provenance_guard import Candidate, Relevance, request_of
from reviews.provenance.judges.rules import relevance

# More than a request can mean; a model that lists more is running wild, and each candidate costs a trace.
MOST_CANDIDATES: Final = 20
# Characters of a reading: one sentence.
_MOST_READING: Final = 300
_CHOICE: Final = re.compile(r"\b(?:or|either)\b", re.I)


@dataclass(frozen=True)
class _Admissible:
    """A candidate that passes the first two stages by rule."""

    reading: Interpretation
    decisive: dict[str, JsonValue]
    """The arguments that are not generated, by JSON Pointer."""
    stated: frozenset[str]
    """Pointers of the values that the user spells out."""
    requested: bool
    """By the rules, the user asks for this tool."""


def competing_readings(context: Context, candidates: list[Candidate], ground: Ground) -> tuple[Interpretation, ...]:
    """The admissible candidates that compete with another: at least two, or none.

    Those that differ only in what is generated are one, and what has been done already is none. Two calls that the
    user asks for outright, each with values stated for it or with different tools, are steps to be done one after
    the other: they do not compete, unless the user leaves a choice.
    """
    admissible = _admissible(context, candidates, ground)
    leaves_choice = any(_CHOICE.search(text) for text in request_of(context))
    competing = {
        id(candidate)
        for one, other in combinations(admissible, 2)
        if leaves_choice or not _are_steps(one, other)
        for candidate in (one, other)
    }
    return tuple(candidate.reading for candidate in admissible if id(candidate) in competing)


def as_interpretations(context: Context, candidates: list[Candidate]) -> tuple[Interpretation, ...]:
    """The candidates as they were named, with their arguments as the tools' schemas type them."""
    readings = []
    for candidate in candidates[:MOST_CANDIDATES]:
        document = context.tool(candidate.tool)
        schemas = document.properties if document else {}
        arguments = {
            argument.name: _typed(argument.value, schemas.get(argument.name)) for argument in candidate.arguments
        }
        reading = " ".join(candidate.reading.split())[:_MOST_READING]
        evidence = locate(context, candidate.quotes) or ()
        readings.append(Interpretation(reading, candidate.tool, arguments, evidence))
    return tuple(readings)


def _admissible(context: Context, candidates: list[Candidate], ground: Ground) -> tuple[_Admissible, ...]:
    admissible: dict[str, _Admissible] = {}
    done = {_key(context, step.tool, dict(step.arguments)) for step in context.history if isinstance(step, Step)}
    for reading in as_interpretations(context, candidates):
        document = context.tool(reading.tool)
        key = _key(context, reading.tool, reading.arguments)
        # Reading changes nothing, so it competes with nothing.
        if document is None or not document.environment_changing or key is None or key in done or key in admissible:
            continue
        by_rule = relevance(Relevance(document, None, request_of(context), context.tools))
        if by_rule is not None and not by_rule.holds:
            continue
        case = Case(context, ProposedAction(reading.tool, reading.arguments))
        grounded = ground(case)
        if not _is_justified(case, document, grounded):
            continue
        stated = (
            leaf.pointer
            for leaf in grounded
            if leaf.how in (Grounding.COPY, Grounding.NORMALIZE) and leaf.kinds == {SourceKind.USER_QUERY}
        )
        decisive = _decisive(document, reading.arguments)
        admissible[key] = _Admissible(reading, decisive, frozenset(stated), requested=by_rule is not None)
    return tuple(admissible.values())


def _are_steps(one: _Admissible, other: _Admissible) -> bool:
    """Whether the user asks for both outright, so that they are to be done one after the other."""
    # Two tools share no arguments that could be compared.
    if one.reading.tool != other.reading.tool:
        return one.requested and other.requested
    pointers = one.decisive.keys() | other.decisive.keys()
    differing = {pointer for pointer in pointers if one.decisive.get(pointer) != other.decisive.get(pointer)}
    return bool(differing & one.stated and differing & other.stated)


def _is_justified(case: Case, document: ToolDoc, grounded: tuple[Grounded, ...]) -> bool:
    """Whether the call fits the tool's schema and no value that must have a source is without one."""
    if schema_problems(document, case.action.arguments):
        return False
    classes = DerivableParameters.by_rule(document)
    # Open classes count in the candidate's favour: it is a rival, and a rival left out goes unnoticed.
    ungrounded = [leaf for leaf in grounded if leaf.how is Grounding.UNGROUNDED]
    return not any(leaf.against or classes.derivable(leaf.pointer) for leaf in ungrounded)


def _typed(value: JsonValue, schema: JsonValue) -> JsonValue:
    """A candidate's value as the schema types it: lists and objects come as JSON text, and digits as a number."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    kinds = kind if isinstance(kind, list) else [kind]
    if "string" in kinds and isinstance(value, int | float) and not isinstance(value, bool):
        return value if {"number", "integer"} & set(kinds) else str(value)
    if not isinstance(value, str) or "string" in kinds or None in kinds:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        # Not what the schema asks for: it then fails the schema like any other wrong value.
        return value


def _key(context: Context, tool: str, arguments: dict[str, JsonValue]) -> str | None:
    """The digest of the call without its generative parameters; None for an undocumented tool or without a digest."""
    document = context.tool(tool)
    try:
        return call_digest(tool, _decisive(document, arguments)) if document else None
    except NotCanonicalError:
        return None


def _decisive(document: ToolDoc, arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The arguments that are not generated, by JSON Pointer."""
    classes = DerivableParameters.by_rule(document)
    return {pointer: value for pointer, value in leaves(arguments) if classes.derivable(pointer) is not False}
