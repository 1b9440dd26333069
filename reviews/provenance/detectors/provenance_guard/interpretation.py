"""Stage 3: does the context leave exactly one action? (Paper, 4.2.5 and 4.3.3.)"""

from itertools import islice
from typing import Final

from reviews.provenance.core.context import Case, JsonValue
from reviews.provenance.core.findings import Interpretation, Misalignment, StageResult
from reviews.provenance.core.pointers import name_of, replace_values
from reviews.provenance.detectors.provenance_guard.candidates import ask_admissible, rivals_of
from reviews.provenance.detectors.provenance_guard.shared_call import SharedCall
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.doubts.doubt import Rival
from reviews.provenance.grounding import GroundedCall
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.provenance_guard import Candidates

# Readings offered to a reviewer: with more, nobody reads them all, and the request has to be made clearer instead.
MAX_READINGS: Final = 10
# Beyond this a float no longer holds every whole number (2 to the 53rd), so a rewritten value could lose digits.
_MAX_EXACT: Final = 2**53 - 1
# Characters of a record's label and of a value that name a reading: it has to fit on a button.
_MAX_LABEL: Final = 120
_MAX_VALUE: Final = 80


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
    competing = await ask_admissible(case, rivals_of(call, reply.answer.candidates), stage)
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
    """What a person may take instead: another record's values, all together, or the value that the request says."""
    proposed = {leaf.pointer: leaf.value for leaf in call.leaves}
    by_label: dict[str, dict[str, Rival]] = {}
    for leaf in call.leaves:
        for rival in leaf.competing if leaf.holds is None else ():
            by_label.setdefault(rival.label, {}).setdefault(leaf.pointer, rival)
    readings = []
    for label, rivals in islice(by_label.items(), MAX_READINGS):
        values = {pointer: _typed_like(proposed[pointer], rival.value) for pointer, rival in rivals.items()}
        listed = ", ".join(f"{name_of(pointer)} = {str(value)[:_MAX_VALUE]}" for pointer, value in values.items())
        spans = tuple(dict.fromkeys(span for rival in rivals.values() for span in rival.spans))
        arguments = replace_values(case.action.arguments, values)
        readings.append(Interpretation(f"{label[:_MAX_LABEL]}: {listed}", case.action.tool, arguments, spans))
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
    if not abs(number) <= _MAX_EXACT:
        return text
    return int(number) if isinstance(proposed, int) and number.is_integer() else number
