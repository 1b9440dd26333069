"""Stage 3: does the context leave exactly one action? (Paper, 4.2.5 and 4.3.3.)"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final

from reviews.provenance.argument_grounding import GroundedCall
from reviews.provenance.core.bounds import MAX_EXACT
from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Grounding, Interpretation, Misalignment, StageResult
from reviews.provenance.core.pointers import keys_of, name_of, pointer_to, replace_values
from reviews.provenance.core.schema_keywords import SchemaBudgetError
from reviews.provenance.core.tool_schema import schema_problems
from reviews.provenance.core.trust import WISHES
from reviews.provenance.detectors.judge_quotes import locate_quotes
from reviews.provenance.detectors.provenance_guard.shared_call import SharedCall
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.doubts.doubt import Rival
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.blocks import request_of
from reviews.provenance.judges.questions.provenance_guard import Admissibility, Candidate, Candidates
from reviews.provenance.terms.argument_leaf import leaf_at, types_of
from reviews.provenance.terms.call_equivalence import differing_paths, key_of_call, shares_values
from reviews.provenance.terms.derivability import DerivableParameters, parameter_paths, path_of
from reviews.provenance.values.numbers import number_of

# Readings offered to a reviewer: with more, nobody reads them all, and the request has to be made clearer instead.
MAX_READINGS: Final = 10
# Characters of a record's label and of a value that name a reading: it has to fit on a button.
_MAX_LABEL: Final = 120
_MAX_VALUE: Final = 80
# More than a request can mean; a model that lists more is running wild, and each candidate costs a trace.
MAX_CANDIDATES: Final = 20
# Characters of a reading: one sentence.
_MAX_READING: Final = 300
_CHOICE: Final = re.compile(r"\b(?:or|either)\b", re.I)
# How JSON Schema calls what a judge writes as JSON text.
_STRUCTURES: Final[dict[type, str]] = {list: "array", dict: "object"}
# No call has this key: the proposed one is kept once, however the judge spells it.
_PROPOSED: Final = ""


async def check_interpretation(call: SharedCall, stage: Stage) -> StageResult:
    """Whether a candidate that a judge names blind competes with the proposal.

    Values of other records that the same words name are readings for a person; they refute nothing.
    """
    if call.is_lookup:
        # A look-up takes no decision that another reading could overturn.
        return stage.concluded(Misalignment.INTERPRETATION)
    case, grounded = call.case, call.grounded
    reply = await stage.ask(Candidates(case.context))
    if isinstance(reply, Unknown):
        return without_candidates(stage, reply, proven=grounded.is_proven, readings=readings_of(case, grounded))
    competing = await ask_admissible(case, contenders_of(call, reply.answer.candidates), stage)
    if competing:
        return stage.rejected(Misalignment.INTERPRETATION, competing[:MAX_READINGS])
    return stage.concluded(Misalignment.INTERPRETATION)


def without_candidates(
    stage: Stage, reply: Unknown, *, proven: bool = False, readings: tuple[Interpretation, ...] = ()
) -> StageResult:
    """Nobody names candidates: a person looks, unless rules have `proven` the call or the profile lets it pass."""
    if proven and not reply.unparsable:
        return stage.concluded(Misalignment.INTERPRETATION)
    if not reply.unparsable and stage.options.unknown == "review":
        reason = f"Whether another reading competes could not be established: {reply.reason}"
        return stage.undetermined(reason, readings)
    stage.leave_open("whether another reading competes")
    return stage.concluded(Misalignment.INTERPRETATION)


def readings_of(case: Case, call: GroundedCall) -> tuple[Interpretation, ...]:
    """What a person may take instead: another record's values, all together, or the value that the request says.

    None that several entries of one list would get: which of them is wrong cannot be told.
    """
    proposed = {leaf.pointer: leaf.value for leaf in call.leaves}
    by_label: dict[str, dict[str, Rival]] = {}
    for leaf in call.leaves:
        for rival in leaf.competing if leaf.holds is None else ():
            by_label.setdefault(rival.label, {}).setdefault(leaf.pointer, rival)
    telling = ((label, rivals) for label, rivals in by_label.items() if len(set(map(path_of, rivals))) == len(rivals))
    readings = []
    for label, rivals in islice(telling, MAX_READINGS):
        values = {pointer: _typed_like(proposed[pointer], rival.value) for pointer, rival in rivals.items()}
        listed = ", ".join(_word_replacement(pointer, proposed[pointer], value) for pointer, value in values.items())
        spans = tuple(dict.fromkeys(span for rival in rivals.values() for span in rival.spans))
        arguments = replace_values(case.action.arguments, values)
        readings.append(Interpretation(f"{label[:_MAX_LABEL]}: {listed}", case.action.tool, arguments, spans))
    return tuple(readings)


def _word_replacement(pointer: str, proposed: JsonValue, value: JsonValue) -> str:
    """Such as `to = b@example.org`; of a list's entry its position, and what it replaces."""
    if path_of(pointer) == pointer:
        return f"{name_of(pointer)} = {str(value)[:_MAX_VALUE]}"
    return f"{'/'.join(keys_of(pointer))}: {str(proposed)[:_MAX_VALUE]} → {str(value)[:_MAX_VALUE]}"


def _typed_like(proposed: JsonValue, text: str) -> JsonValue:
    """A source's spelling as the JSON type of the proposed value, where that type can carry it exactly."""
    # A boolean is an int to Python, and no record spells one as a number.
    is_number = isinstance(proposed, int | float) and not isinstance(proposed, bool)
    number = number_of(text) if is_number else None
    if number is None or abs(number) > MAX_EXACT:
        return text
    return int(number) if isinstance(proposed, int) and number == int(number) else float(number)


@dataclass(frozen=True)
class Contender:
    """A candidate that no rule excludes, for the same step as the proposed call."""

    reading: Interpretation
    has_open_values: bool = False
    """Whether it holds a value that must have a source and that no rule could trace."""
    is_proposed: bool = False
    """Whether it is the proposed call itself, named by the judge as well: offered beside its rivals."""


def contenders_of(call: SharedCall, candidates: list[Candidate]) -> tuple[Contender, ...]:
    """The candidates that compete with the proposed call, which is itself admissible once it has passed its stages.

    One that decides nothing else is the call itself, and what has been done already is none. Two calls that the
    user asks for outright, each with values stated for it or with different tools, are steps to be done one after
    the other: they do not compete, unless the user leaves a choice.
    """
    context, action = call.case.context, call.case.action
    leaves_choice = any(_CHOICE.search(text) for text in request_of(context))
    candidate_tools = {candidate.tool for candidate in candidates[:MAX_CANDIDATES]}
    classes = {tool.name: DerivableParameters.by_rule(tool) for tool in context.tools if tool.name in candidate_tools}
    done = {
        key_of_call(classes[step.tool], step.arguments)
        for step in context.history
        if isinstance(step, Step) and step.tool in classes
    }
    contenders: dict[str, Contender] = {}
    for key, reading, document in changing_calls(context, candidates):
        if reading.tool == action.tool and not differing_paths(document, action.arguments, reading.arguments):
            contenders.setdefault(_PROPOSED, Contender(reading, is_proposed=True))
            continue
        if key in done or key in contenders:
            continue
        candidate = ProposedAction(reading.tool, reading.arguments)
        traced = call.trace(candidate)
        if not leaves_choice and _are_steps(call, candidate, traced):
            continue
        has_open_values = _has_open_values(document, candidate, traced)
        # Quotes that stand in the context are the least that speaks for a value which no rule could trace.
        if has_open_values is not None and (not has_open_values or reading.evidence):
            contenders[key] = Contender(reading, has_open_values=has_open_values)
    return tuple(contenders.values())


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
            named.name: _coerce_type(named.value, types_of(leaf_at(None, pointer_to(named.name), document).schema))
            for named in candidate.arguments
        }
        reading = " ".join(candidate.reading.split())[:_MAX_READING]
        evidence = locate_quotes(context, candidate.quotes) or ()
        key = key_of_call(DerivableParameters.by_rule(document), arguments)
        yield key, Interpretation(reading, candidate.tool, arguments, evidence), document


async def ask_admissible(case: Case, contenders: tuple[Contender, ...], stage: Stage) -> tuple[Interpretation, ...]:
    """The readings that compete, if any rival is admissible: one question for all, none where rules left no rival.

    Where nobody answers, what rules could trace stands.
    """
    challengers = [contender for contender in contenders if not contender.is_proposed]
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
    return tuple(contender.reading for contender in contenders if contender.is_proposed or contender in admissible)


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
    # Nor where one call takes more of the same, or pairs it otherwise.
    if all(shares_values(call.document, path, proposed.arguments, candidate.arguments) for path in differing):
        return False
    # What the user did not spell out for either may as well be the wrong record's.
    return differing <= _stated_paths(call.grounded) & _stated_paths(traced)


def _stated_paths(call: GroundedCall) -> frozenset[str]:
    """The paths at which the user spells out every value."""
    copied = (leaf for leaf in call.leaves if leaf.how in (Grounding.COPY, Grounding.NORMALIZE) and leaf.kinds)
    stated = {leaf.pointer for leaf in copied if leaf.kinds <= set(WISHES)}
    paths = frozenset(path_of(leaf.pointer) for leaf in call.leaves)
    return paths - {path_of(leaf.pointer) for leaf in call.leaves if leaf.pointer not in stated}


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


def _coerce_type(value: JsonValue, types: frozenset[str]) -> JsonValue:
    """A candidate's value as the schema types it: lists and objects come as JSON text, and digits as a number."""
    if "string" in types and isinstance(value, int | float) and not isinstance(value, bool):
        return value if {"number", "integer"} & types else str(value)
    if not isinstance(value, str) or types == {"string"}:
        return value
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        # Not what the schema asks for: it then fails the schema like any other wrong value.
        return value
    # Where a text is taken as well, or no type is named, digits stay a text.
    is_structure = _STRUCTURES.get(type(read), "") in (types or _STRUCTURES.values())
    return read if is_structure or (types and "string" not in types) else value
