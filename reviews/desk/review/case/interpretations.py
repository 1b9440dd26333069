"""Ways to put the call right, as one-key choices: a better value, other readings of the request, a question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from reviews.desk.review.case import mending, vocabulary
from reviews.desk.review.case.arguments import Argument, Arguments, write_value
from reviews.desk.review.case.evidence import Evidence, read_span
from reviews.desk.text.highlighting import Tone
from reviews.models import Interpretation
from reviews.models.key_order import ordered_as
from reviews.provenance.core.context import Case, JsonValue, leaves
from reviews.provenance.core.pointers import name_of, replace_values
from reviews.provenance.core.shortening import shorten_text

# Readings that have a key of their own: the digits 1 to 9.
KEYS: Final = 9
# Characters of a value, and values of a reading: together a reading stays within about three lines. What sets readings
# apart is nearly always one or two short values.
MAX_VALUE_LENGTH: Final = 60
MAX_VALUES: Final = 8
# Values that one key puts right: with more of them wrong the call is to be rejected.
MAX_REPAIRS: Final = 3
# Values that a question to the user names: with more, the user should be asked openly.
MAX_ASKED: Final = 4


@dataclass(frozen=True)
class ReadingValue:
    """One argument of a reading."""

    path: str
    text: str
    differs: bool
    """From what the agent proposes."""


@dataclass(frozen=True)
class Reading:
    """One choice."""

    sentence: str
    tool: str
    other_tool: bool
    values: tuple[ReadingValue, ...]
    arguments: Mapping[str, JsonValue]
    """The whole call."""
    id: UUID | None = None
    """Of the interpretation; None for what a better value mends."""
    mends: str = ""
    """Pointer of the value that is put right."""
    record: str = ""
    """The record that is taken instead."""
    number: int = 0
    """From 1, in the order of the list."""
    ref: str = ""
    is_proposed: bool = False
    """It is what the agent proposes: taking it is approving."""

    @property
    def address(self) -> str:
        """What the address of the editor says to open with it."""
        if self.record:
            return urlencode({"record": self.record})
        return urlencode({"reading": str(self.id)} if self.id else {"mend": self.mends})

    @property
    def key(self) -> str:
        """The key that takes it; empty when keys have run out."""
        return str(self.number) if self.number <= KEYS else ""


@dataclass(frozen=True)
class Question:
    """The choice to ask the user."""

    number: int
    words: str
    message: str
    """What the agent is told to ask."""

    @property
    def key(self) -> str:
        """The key that takes it; empty when keys have run out."""
        return str(self.number) if self.number <= KEYS else ""


def list_readings(
    case: Case, interpretations: Iterable[Interpretation], arguments: Arguments, deed: str, evidence: Evidence
) -> list[Reading]:
    """The choices, numbered from 1: what mends the worst values, then the readings with what tells them apart.

    Two values that the request says each for the other's parameter are put right together.

    `deed` is what the call would do.
    """
    stored = [row for row in interpretations if _has_same_types(case, row)]
    names = {span["quote"] for row in stored for span in row.evidence}
    known_calls = [dict(row.arguments) for row in stored]
    readings = list(_list_exchanges(case, arguments))
    readings += [
        build_repair(case, (argument,), {argument.pointer: value}, mending.word_repair(argument, deed))
        for argument, value in _find_better_values(case, arguments, names)
        if replace_values(case.action.arguments, {argument.pointer: value}) not in known_calls
    ]
    readings += _list_alternatives(case, stored, evidence, start=len(readings) + 1)
    return [replace(reading, number=number) for number, reading in enumerate(readings, start=1)]


def ask_which_value(
    readings: list[Reading], argument: Argument | None, tool_in_doubt: str = "", records: Sequence[str] = ()
) -> Question | None:
    """What to ask the user about the argument or the tool in doubt; None where nothing tells what is in doubt.

    `records` are those that the value may have been chosen among, in words, the proposed one first: to a user an
    identifier says nothing.
    """
    if argument is None:
        message = f"Ask the user whether “{tool_in_doubt}” is what is wanted."
        return Question(len(readings) + 1, "Ask the user about the tool", message) if tool_in_doubt else None
    name = name_of(argument.pointer)
    if argument.grounding == vocabulary.PageOrigin.INJECTED:
        # Nobody is asked whether what an attacker wrote is right.
        message = f"Ask the user what “{name}” should be."
        return Question(len(readings) + 1, f"Ask the user about “{name}”", message)
    rivals = [
        value.text for reading in readings for value in reading.values if value.path == argument.path and value.differs
    ]
    options = list(dict.fromkeys([shorten_text(write_value(argument.json), MAX_VALUE_LENGTH), *rivals]))[:MAX_ASKED]
    is_among_records = len(options) == 1 and len(records) > 1
    if is_among_records:
        options = list(records[:MAX_ASKED])
    if len(options) == 1:
        message = f"Ask the user what “{name}” should be, and whether “{options[0]}” is right."
        return Question(len(readings) + 1, f"Ask the user about “{name}”", message)
    quoted = [f"“{option}”" for option in options]
    if is_among_records and len(options) < len(records):
        quoted.append("another one")
    message = f"Ask the user which “{name}” is meant: {', '.join(quoted[:-1])} or {quoted[-1]}."
    return Question(len(readings) + 1, "Ask the user which one", message)


def _list_exchanges(case: Case, arguments: Arguments) -> Iterator[Reading]:
    """The call with its two exchanged values where the request or a record has them.

    None for more: who knows whose is whose.
    """
    exchanged = [row for row in arguments.listed if row.grounding == vocabulary.PageOrigin.EXCHANGED]
    recorded = [row for row in arguments.listed if row.origin.is_anothers_field]
    match exchanged or recorded:
        case [first, second] if exchanged or (_is_meant_by(first, second) and _is_meant_by(second, first)):
            values = {first.pointer: second.json, second.pointer: first.json}
            sentence = f"Exchange “{name_of(first.pointer)}” and “{name_of(second.pointer)}”"
            yield build_repair(case, (first, second), values, sentence)


def _is_meant_by(row: Argument, counterpart: Argument) -> bool:
    """Whether a row's value is what a record has for its counterpart."""
    return counterpart.origin.nearest is not None and counterpart.origin.nearest.quote == row.json


def _find_better_values(case: Case, arguments: Arguments, names: set[str]) -> list[tuple[Argument, JsonValue]]:
    """The values that can be put right, that of the headline first; what the readings' records are called is none."""
    rows = sorted(arguments.listed, key=lambda row: (row != arguments.selected, row.origin.rank, row.number))
    tool = case.context.tool(case.action.tool)
    values = ((row, mending.find_better_value(row, case.context, names, tool)) for row in rows)
    better = [(row, value) for row, value in values if value is not None and value != row.json]
    # What the request says once is meant for one value: of two that it is nearest to, for the first.
    by_place = {pair[0].origin.nearest: pair for pair in reversed(better)}
    return [pair for pair in better if by_place[pair[0].origin.nearest] is pair][:MAX_REPAIRS]


def build_repair(case: Case, rows: Sequence[Argument], values: Mapping[str, JsonValue], sentence: str) -> Reading:
    """The call with better values, by pointer, in these rows."""
    texts = {pointer: shorten_text(write_value(value), MAX_VALUE_LENGTH) for pointer, value in values.items()}
    return Reading(
        sentence=sentence,
        tool=case.action.tool,
        other_tool=False,
        values=tuple(ReadingValue(row.path, texts[row.pointer], differs=True) for row in rows),
        arguments=replace_values(case.action.arguments, values),
        mends=rows[0].pointer,
        ref=rows[0].ref,
    )


def _has_same_types(case: Case, row: Interpretation) -> bool:
    """Whether no value of the reading is of another JSON type than the proposed one: no tool would take that."""
    if row.tool != case.action.tool:
        return True
    proposed, values = dict(leaves(dict(case.action.arguments))), dict(leaves(row.arguments))
    return all(
        isinstance(value, str) == isinstance(proposed[pointer], str)
        for pointer, value in values.items()
        if pointer in proposed and value is not None and proposed[pointer] is not None
    )


def _list_alternatives(
    case: Case, stored: list[Interpretation], evidence: Evidence, *, start: int
) -> Iterator[Reading]:
    """The readings that the detectors found, numbered from `start`."""
    if not stored:
        return
    proposed = case.action
    calls = [dict(leaves(dict(arguments))) for arguments in (proposed.arguments, *(row.arguments for row in stored))]
    # Pointers at which the readings and the proposed call are not all alike.
    telling = {
        pointer
        for pointer in {pointer for call in calls for pointer in call}
        if any(pointer not in call or call[pointer] != calls[0].get(pointer) for call in calls)
    }
    for number, interpretation in enumerate(stored, start=start):
        spans = map(read_span, interpretation.evidence)
        # With a mark of its own: what another reading rests on is not what the proposed value rests on.
        pointed = evidence.point(spans, ref=f"r{number}", label=f"or {number}", tone=Tone.COMPETING)
        yield Reading(
            id=interpretation.pk,
            sentence=interpretation.reading,
            tool=interpretation.tool,
            other_tool=interpretation.tool != proposed.tool,
            values=_list_values(case, interpretation, telling),
            arguments=interpretation.arguments,
            ref=f"r{number}" if pointed else "",
            is_proposed=(interpretation.tool, interpretation.arguments) == (proposed.tool, dict(proposed.arguments)),
        )


def _list_values(case: Case, interpretation: Interpretation, telling: set[str]) -> tuple[ReadingValue, ...]:
    """The values at the telling pointers, in the order of the proposed call."""
    proposed = dict(leaves(dict(case.action.arguments)))
    ordered = ordered_as(interpretation.arguments, case.action.arguments)
    # Under another tool even an equal value means something else, so all of them are listed.
    all_tell = interpretation.tool != case.action.tool
    listed = [(pointer, value) for pointer, value in leaves(ordered) if all_tell or pointer in telling]
    return tuple(
        ReadingValue(
            path=vocabulary.name_path(pointer, ordered),
            text=shorten_text(write_value(value), MAX_VALUE_LENGTH),
            differs=pointer not in proposed or proposed[pointer] != value,
        )
        for pointer, value in listed[:MAX_VALUES]
    )
