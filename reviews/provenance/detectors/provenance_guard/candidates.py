"""What a judge names as candidates, reduced to the admissible actions that compete with the proposed one."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from reviews.provenance.core.context import WISHES, Case, Context, JsonValue, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Grounding, Interpretation
from reviews.provenance.core.tool_schema import SchemaBudgetError, schema_problems
from reviews.provenance.detectors.provenance_guard.shared_call import SharedCall
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.value_findings import locate_quotes
from reviews.provenance.grounding import Grounded, GroundedCall
from reviews.provenance.judges.base import Answered
from reviews.provenance.judges.questions.blocks import request_of
from reviews.provenance.judges.questions.provenance_guard import Admissibility, Candidate
from reviews.provenance.terms.derivability import DerivableParameters, parameter_paths, path_of
from reviews.provenance.terms.spellings import differing_paths, key_of_call

# More than a request can mean; a model that lists more is running wild, and each candidate costs a trace.
MAX_CANDIDATES: Final = 20
# Characters of a reading: one sentence.
_MAX_READING: Final = 300
_CHOICE: Final = re.compile(r"\b(?:or|either)\b", re.I)
# No call has this key: the proposed one is kept once, however the judge spells it.
_PROPOSED: Final = ""


@dataclass(frozen=True)
class Rival:
    """A candidate that no rule excludes, for the same step as the proposed call."""

    reading: Interpretation
    has_open_values: bool = False
    """Whether it holds a value that must have a source and that no rule could trace."""
    is_proposed: bool = False
    """Whether it is the proposed call itself, named by the judge as well: offered beside its rivals."""


def rivals_of(call: SharedCall, candidates: list[Candidate]) -> tuple[Rival, ...]:
    """The candidates that compete with the proposed call, which is itself admissible once it has passed its stages.

    One that decides nothing else is the call itself, and what has been done already is none. Two calls that the
    user asks for outright, each with values stated for it or with different tools, are steps to be done one after
    the other: they do not compete, unless the user leaves a choice.
    """
    context, action = call.case.context, call.case.action
    leaves_choice = any(_CHOICE.search(text) for text in request_of(context))
    done = {
        key_of_call(document, step.arguments)
        for step in context.history
        if isinstance(step, Step) and (document := context.tool(step.tool))
    }
    rivals: dict[str, Rival] = {}
    for key, reading, document in changing_calls(context, candidates):
        if reading.tool == action.tool and not differing_paths(document, action.arguments, reading.arguments):
            rivals.setdefault(_PROPOSED, Rival(reading, is_proposed=True))
            continue
        if key in done or key in rivals:
            continue
        candidate = ProposedAction(reading.tool, reading.arguments)
        traced = call.trace(candidate)
        if not leaves_choice and _are_steps(call, candidate, traced):
            continue
        has_open_values = _has_open_values(document, candidate, traced)
        # Quotes that stand in the context are the least that speaks for a value which no rule could trace.
        if has_open_values is not None and (not has_open_values or reading.evidence):
            rivals[key] = Rival(reading, has_open_values=has_open_values)
    return tuple(rivals.values())


def changing_calls(context: Context, candidates: list[Candidate]) -> Iterator[tuple[str, Interpretation, ToolDoc]]:
    """The candidates that may be admissible, with the key that tells calls apart and the tool's document.

    Without a document there is no RelevantTo(d_t, s); and reading changes nothing, so it competes with nothing. Their
    arguments are as the tools' schemas type them.
    """
    for candidate in candidates[:MAX_CANDIDATES]:
        document = context.tool(candidate.tool)
        if document is None or not document.environment_changing:
            continue
        arguments = {
            argument.name: _coerce_type(argument.value, document.properties.get(argument.name))
            for argument in candidate.arguments
        }
        reading = " ".join(candidate.reading.split())[:_MAX_READING]
        evidence = locate_quotes(context, candidate.quotes) or ()
        yield key_of_call(document, arguments), Interpretation(reading, candidate.tool, arguments, evidence), document


async def ask_admissible(case: Case, rivals: tuple[Rival, ...], stage: Stage) -> tuple[Interpretation, ...]:
    """The readings that compete, if any rival is admissible: one question for all, none where rules left no rival.

    Where nobody answers, what rules could trace stands.
    """
    challengers = [rival for rival in rivals if not rival.is_proposed]
    if not challengers:
        return ()
    # Without the agent's step, and sorted as text, so that nothing tells which of the calls is proposed.
    proposed = ProposedAction(case.action.tool, case.action.arguments)
    other_calls = [ProposedAction(rival.reading.tool, rival.reading.arguments) for rival in challengers]
    calls = tuple(sorted((proposed, *other_calls), key=repr))
    reply = await stage.ask(Admissibility(case.context, calls))
    if isinstance(reply, Answered) and not reply.answer.exclusive:
        return ()
    answers = {row.call: row.is_admissible for row in reply.answer.calls} if isinstance(reply, Answered) else {}
    # For a call that the answer leaves out nobody answered either.
    admissible = [
        rival
        for rival, call in zip(challengers, other_calls, strict=True)
        if answers.get(calls.index(call) + 1, not rival.has_open_values)
    ]
    if not admissible:
        return ()
    return tuple(rival.reading for rival in rivals if rival.is_proposed or rival in admissible)


def _are_steps(call: SharedCall, candidate: ProposedAction, traced: GroundedCall) -> bool:
    """Whether the user asks for both outright, so that they are to be done one after the other."""
    proposed = call.case.action
    # Two tools share no arguments that could be compared.
    if proposed.tool != candidate.tool:
        return call.grounded.request is not None and traced.request is not None
    differing = differing_paths(call.document, proposed.arguments, candidate.arguments)
    # Steps of one tool are about different things. Where only an option differs, it is the same thing done otherwise.
    schemas = parameter_paths(call.document)
    if all("enum" in schemas.get(path, {}) for path in differing):
        return False
    # What the user did not spell out for either may as well be the wrong record's.
    return differing <= _stated_paths(call.grounded) & _stated_paths(traced)


def _stated_paths(call: GroundedCall) -> frozenset[str]:
    """The paths at which the user spells out every value."""
    paths = frozenset(path_of(leaf.pointer) for leaf in call.leaves)
    return paths - {path_of(leaf.pointer) for leaf in call.leaves if not _is_stated(leaf)}


def _is_stated(leaf: Grounded) -> bool:
    return leaf.how in (Grounding.COPY, Grounding.NORMALIZE) and bool(leaf.kinds) and leaf.kinds <= set(WISHES)


def _has_open_values(document: ToolDoc, candidate: ProposedAction, traced: GroundedCall) -> bool | None:
    """Whether a value that must have a source has none that rules could trace; None where rules refute the call."""
    # A schema that is too costly to apply excludes nothing: a rival left out goes unnoticed.
    with suppress(SchemaBudgetError):
        if schema_problems(document, candidate.arguments):
            return None
    if any(leaf.holds is False for leaf in traced.leaves):
        return None
    classes = DerivableParameters.by_rule(document)
    # Open classes count in the candidate's favour: it is a rival, and a rival left out goes unnoticed.
    return any(leaf.how is Grounding.UNGROUNDED and classes.is_derivable(leaf.pointer) for leaf in traced.leaves)


def _coerce_type(value: JsonValue, schema: JsonValue) -> JsonValue:
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
