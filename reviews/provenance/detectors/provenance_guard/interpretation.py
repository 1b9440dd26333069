"""Stage 3: does the context leave exactly one action? (Paper, 4.2.5 and 4.3.3.)"""

from typing import Final

from reviews.provenance.core.context import Case, JsonValue
from reviews.provenance.core.findings import Grounding, Interpretation, Misalignment, Relation, StageResult
from reviews.provenance.core.pointers import name_of, replaced
from reviews.provenance.detectors.parameter_classes import DerivableParameters
from reviews.provenance.detectors.provenance_guard.candidates import competing_readings
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.grounding import Competing, Grounded
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.provenance_guard import Candidates

# Readings offered to a reviewer: with more, nobody reads them all, and the request has to be made clearer instead.
MOST_READINGS: Final = 10
# Beyond this a float no longer holds every whole number (2 to the 53rd), so a rewritten value could lose digits.
_MOST_EXACT: Final = 2**53 - 1
# Characters of a record's label and of a value that name a reading: it has to fit on a button.
_MOST_LABEL: Final = 120
_MOST_VALUE: Final = 80


async def check_interpretation(case: Case, stage: Stage, ground: Ground) -> StageResult:
    """Competing values need no judge; else the judge names candidates without seeing the proposal.

    Raises what the judge raises.
    """
    competing = _competing(case, ground)
    if competing:
        for leaf in competing:
            rivals = (span for rival in leaf.competing for span in rival.spans)
            stage.find(
                Relation.DERIVED_FROM, leaf.pointer, False, leaf.note,
                evidence=tuple(dict.fromkeys((*leaf.spans, *rivals))), grounding=Grounding.COMPETING,
            )  # fmt: skip
        return stage.rejected(Misalignment.INTERPRETATION, _readings_of_records(case, competing))
    reply = await stage.ask(Candidates(case.context))
    if isinstance(reply, Unknown):
        return without_candidates(stage, reply)
    readings = competing_readings(case.context, reply.answer.candidates, ground)
    if readings:
        return stage.rejected(Misalignment.INTERPRETATION, readings[:MOST_READINGS])
    return stage.concluded(Misalignment.INTERPRETATION)


def without_candidates(stage: Stage, reply: Unknown) -> StageResult:
    """Nobody names candidates: a person looks, unless the profile lets what nobody could establish pass."""
    if not reply.unparsable and stage.options.unknown == "review":
        return stage.undetermined(f"Whether another reading competes could not be established: {reply.reason}")
    return stage.concluded(Misalignment.INTERPRETATION)


def _competing(case: Case, ground: Ground) -> tuple[Grounded, ...]:
    """The values that must have a source and share it with others that answer the request equally well."""
    document = case.context.tool(case.action.tool)
    if document is None:
        return ()
    classes = DerivableParameters.by_rule(document)
    competing = (leaf for leaf in ground(case) if leaf.how is Grounding.COMPETING)
    return tuple(leaf for leaf in competing if classes.derivable(leaf.pointer) is not False)


def _readings_of_records(case: Case, leaves: tuple[Grounded, ...]) -> tuple[Interpretation, ...]:
    """One reading for each other record: everything it competes for, changed together."""
    by_record: dict[str, dict[str, tuple[Grounded, Competing]]] = {}
    for leaf in leaves:
        for rival in leaf.competing:
            by_record.setdefault(rival.label or rival.value, {}).setdefault(leaf.pointer, (leaf, rival))
    readings = []
    for label, changes in list(by_record.items())[:MOST_READINGS]:
        values = {pointer: _typed_like(leaf.value, rival.value) for pointer, (leaf, rival) in changes.items()}
        listed = ", ".join(
            f"{name_of(pointer)} = {rival.value[:_MOST_VALUE]}" for pointer, (_, rival) in changes.items()
        )
        readings.append(
            Interpretation(
                f"{label[:_MOST_LABEL]}: {listed}",
                case.action.tool,
                replaced(case.action.arguments, values),
                tuple(span for _, rival in changes.values() for span in rival.spans),
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
