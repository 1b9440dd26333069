"""Stage 3: does the context leave exactly one action? (Paper, 4.2.5 and 4.3.3.)"""

from typing import Final

from reviews.provenance.core.context import Case, JsonValue
from reviews.provenance.core.findings import Grounding, Interpretation, Misalignment, Relation, StageResult
from reviews.provenance.core.pointers import name_of, replaced
from reviews.provenance.detectors.lookups import is_lookup
from reviews.provenance.detectors.provenance_guard.candidates import admitted, rivals_of
from reviews.provenance.detectors.provenance_guard.proof import is_proven
from reviews.provenance.detectors.provenance_guard.record_choices import (
    Choice,
    RecordChoices,
    competing_leaves,
    rival_records,
)
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.provenance_guard import Candidates

# Readings offered to a reviewer: with more, nobody reads them all, and the request has to be made clearer instead.
MOST_READINGS: Final = 10
# Beyond this a float no longer holds every whole number (2 to the 53rd), so a rewritten value could lose digits.
_MOST_EXACT: Final = 2**53 - 1
# Characters of a record's label and of a value that name a reading: it has to fit on a button.
_MOST_LABEL: Final = 120
_MOST_VALUE: Final = 80


async def check_interpretation(case: Case, stage: Stage, ground: Ground, choices: RecordChoices) -> StageResult:
    """Whether competing values leave one record, then whether a blind candidate competes with the proposal.

    Raises what the judge raises.
    """
    document = case.context.tool(case.action.tool)
    if document is None or is_lookup(document):
        # A look-up takes no decision that another reading could overturn.
        return stage.concluded(Misalignment.INTERPRETATION)
    competing = competing_leaves(case, ground(case))
    choice = await choices.choose(case, competing, stage) if competing else None
    if competing and (choice is None or not choice.record.is_proposed):
        # Where another record is meant, the stage of parameters names the values.
        for leaf in competing if choice is None else ():
            rivals = (span for rival in leaf.competing for span in rival.spans)
            stage.find(
                Relation.DERIVED_FROM, leaf.pointer, False, leaf.note,
                evidence=tuple(dict.fromkeys((*leaf.spans, *rivals))), grounding=Grounding.COMPETING,
            )  # fmt: skip
        return stage.rejected(Misalignment.INTERPRETATION, _readings(case, competing, choice))
    reply = await stage.ask(Candidates(case.context))
    if isinstance(reply, Unknown):
        return without_candidates(stage, reply, proven=is_proven(case, document, ground(case)))
    rivals_named = await admitted(case, rivals_of(case, reply.answer.candidates, ground), stage)
    if rivals_named:
        return stage.rejected(Misalignment.INTERPRETATION, rivals_named[:MOST_READINGS])
    return stage.concluded(Misalignment.INTERPRETATION)


def without_candidates(stage: Stage, reply: Unknown, *, proven: bool = False) -> StageResult:
    """Nobody names candidates: a person looks, unless rules have `proven` the call or the profile lets it pass."""
    if proven and not reply.unparsable:
        return stage.concluded(Misalignment.INTERPRETATION)
    if not reply.unparsable and stage.options.unknown == "review":
        return stage.undetermined(f"Whether another reading competes could not be established: {reply.reason}")
    stage.leave_open("whether another reading competes")
    return stage.concluded(Misalignment.INTERPRETATION)


def _readings(case: Case, competing: tuple[Grounded, ...], choice: Choice | None) -> tuple[Interpretation, ...]:
    """One reading for each other record, the one that is meant first: everything it competes for, changed together."""
    records = rival_records(competing)
    if choice is not None:
        records = tuple(sorted(records, key=lambda record: record.label != choice.record.label))
    proposed = {leaf.pointer: leaf.value for leaf in competing}
    readings = []
    for record in records[:MOST_READINGS]:
        values = {pointer: _typed_like(proposed[pointer], rival.value) for pointer, rival in record.rivals.items()}
        listed = ", ".join(f"{name_of(pointer)} = {value[:_MOST_VALUE]}" for pointer, value in record.values.items())
        readings.append(
            Interpretation(
                f"{record.label[:_MOST_LABEL]}: {listed}",
                case.action.tool,
                replaced(case.action.arguments, values),
                record.spans,
            )
        )
    return tuple(readings)


def _typed_like(proposed: JsonValue, text: str) -> JsonValue:
    """A source's spelling as the JSON type of the proposed value, where that type can carry it exactly."""
    # A boolean is an int to Python, and no record spells one as a number.
    if isinstance(proposed, bool) or not isinstance(proposed, int | float):
        return text
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return text
    # Written so that NaN, which compares as False with everything, stays text too.
    if not abs(number) <= _MOST_EXACT:
        return text
    return int(number) if isinstance(proposed, int) and number.is_integer() else number
