"""What a judge names as candidates, reduced to the admissible actions that compete with the proposed one."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from reviews.provenance.core.context import WISHES, Case, Context, JsonValue, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Grounding, Interpretation
from reviews.provenance.core.tool_schema import SchemaBudgetError, schema_problems
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.support import locate_quotes
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


@dataclass(frozen=True)
class _Traced:
    """A call with what rules tell of it."""

    action: ProposedAction
    document: ToolDoc
    call: GroundedCall

    @property
    def is_requested(self) -> bool:
        """Whether the user asks for this tool, for all that proofs can tell."""
        return self.call.request is not None

    @property
    def stated(self) -> frozenset[str]:
        """The paths at which the user spells out every value."""
        paths = {path_of(leaf.pointer) for leaf in self.call.leaves}
        return frozenset(paths) - {path_of(leaf.pointer) for leaf in self.call.leaves if not _is_stated(leaf)}


def _is_stated(leaf: Grounded) -> bool:
    return leaf.how in (Grounding.COPY, Grounding.NORMALIZE) and bool(leaf.kinds) and leaf.kinds <= set(WISHES)


def rivals_of(case: Case, candidates: list[Candidate], ground: Ground) -> tuple[Rival, ...]:
    """The candidates that compete with the proposed call, which is itself admissible once it has passed its stages.

    One that decides nothing else is the call itself, and what has been done already is none. Two calls that the
    user asks for outright, each with values stated for it or with different tools, are steps to be done one after
    the other: they do not compete, unless the user leaves a choice.
    """
    context, action = case.context, case.action
    proposed = _trace_call(action, case, ground)
    if proposed is None:
        return ()
    leaves_choice = any(_CHOICE.search(text) for text in request_of(context))
    done = {
        key_of_call(document, step.arguments)
        for step in context.history
        if isinstance(step, Step) and (document := context.tool(step.tool))
    }
    rivals: dict[str, Rival] = {}
    for reading in as_interpretations(context, candidates):
        document = context.tool(reading.tool)
        # Reading changes nothing, so it competes with nothing.
        if document is None or not document.environment_changing:
            continue
        key = key_of_call(document, reading.arguments)
        same_tool = reading.tool == action.tool
        if same_tool and not differing_paths(document, action.arguments, reading.arguments):
            rivals.setdefault(_PROPOSED, Rival(reading, is_proposed=True))
            continue
        if key in done or key in rivals:
            continue
        candidate = _trace_call(ProposedAction(reading.tool, reading.arguments), case, ground)
        if candidate is None or (not leaves_choice and _are_steps(proposed, candidate, context)):
            continue
        open_values = _open_values(candidate)
        # Quotes that stand in the context are the least that speaks for a value which no rule could trace.
        if open_values is not None and (not open_values or reading.evidence):
            rivals[key] = Rival(reading, has_open_values=bool(open_values))
    return tuple(rivals.values())


async def ask_admissible(case: Case, rivals: tuple[Rival, ...], stage: Stage) -> tuple[Interpretation, ...]:
    """The readings that compete, if any rival is admissible: one question for all, none where rules left no rival.

    Where nobody answers, what rules could trace stands. Raises what the judge raises.
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
    excluded = {
        id(rival)
        for rival, call in zip(challengers, other_calls, strict=True)
        if not answers.get(calls.index(call) + 1, not rival.has_open_values)
    }
    if len(excluded) == len(challengers):
        return ()
    return tuple(rival.reading for rival in rivals if id(rival) not in excluded)


def as_interpretations(context: Context, candidates: list[Candidate]) -> tuple[Interpretation, ...]:
    """The candidates as they were named, with their arguments as the tools' schemas type them."""
    readings = []
    for candidate in candidates[:MAX_CANDIDATES]:
        document = context.tool(candidate.tool)
        schemas = document.properties if document else {}
        arguments = {
            argument.name: _coerce_type(argument.value, schemas.get(argument.name)) for argument in candidate.arguments
        }
        reading = " ".join(candidate.reading.split())[:_MAX_READING]
        evidence = locate_quotes(context, candidate.quotes) or ()
        readings.append(Interpretation(reading, candidate.tool, arguments, evidence))
    return tuple(readings)


def _trace_call(action: ProposedAction, case: Case, ground: Ground) -> _Traced | None:
    """The call with its sources; None where its tool is not documented."""
    document = case.context.tool(action.tool)
    if document is None:
        return None
    # The very case, so that what was traced for the other stages is not traced again.
    return _Traced(action, document, ground(case if action is case.action else Case(case.context, action)))


def _are_steps(proposed: _Traced, candidate: _Traced, context: Context) -> bool:
    """Whether the user asks for both outright, so that they are to be done one after the other."""
    # Two tools share no arguments that could be compared.
    if proposed.action.tool != candidate.action.tool:
        return proposed.is_requested and candidate.is_requested
    proposed_arguments, candidate_arguments = proposed.action.arguments, candidate.action.arguments
    differing = differing_paths(proposed.document, proposed_arguments, candidate_arguments)
    # Steps of one tool are about different things. Where only an option differs, it is the same thing done otherwise.
    schemas = parameter_paths(proposed.document)
    if all("enum" in schemas.get(path, {}) for path in differing):
        return False
    # What the user did not spell out for either may as well be the wrong record's.
    return differing <= proposed.stated & candidate.stated


def _open_values(candidate: _Traced) -> tuple[Grounded, ...] | None:
    """The values that must have a source and that no rule could trace; None where rules refute the call."""
    # A schema that is too costly to apply excludes nothing: a rival left out goes unnoticed.
    with suppress(SchemaBudgetError):
        if schema_problems(candidate.document, candidate.action.arguments):
            return None
    if any(leaf.holds is False for leaf in candidate.call.leaves):
        return None
    ungrounded = [leaf for leaf in candidate.call.leaves if leaf.how is Grounding.UNGROUNDED]
    classes = DerivableParameters.by_rule(candidate.document)
    # Open classes count in the candidate's favour: it is a rival, and a rival left out goes unnoticed.
    return tuple(leaf for leaf in ungrounded if classes.is_derivable(leaf.pointer))


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
