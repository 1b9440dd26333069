"""Stage 3: does the context leave exactly one action? (Paper, 4.2.5 and 4.3.3.)"""

from collections.abc import Mapping

from reviews.provenance.core.context import Case, JsonValue
from reviews.provenance.core.findings import Grounding, Interpretation, Misalignment, Relation, StageResult
from reviews.provenance.core.pointers import name_of, replaced
from reviews.provenance.detectors.parameter_classes import Classes
from reviews.provenance.detectors.provenance_guard.candidates import readings
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.grounding import Competing, Grounded
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.provenance_guard import Candidates

MOST_READINGS = 10
_MOST_EXACT = 2**53 - 1
"""Larger numbers lose digits; infinity and what is no number are none."""


async def check_interpretation(case: Case, stage: Stage, ground: Ground) -> StageResult:
    """Competing values need no judge; else the judge names candidates without seeing the proposal."""
    competing = _competing(case, ground)
    if competing:
        for leaf in competing:
            _record(leaf, stage)
        return stage.rejected(Misalignment.INTERPRETATION, _readings(case, competing))
    reply = await stage.ask(Candidates(case.context))
    if isinstance(reply, Unknown):
        return without_answer(stage, reply)
    found = readings(case.context, reply.answer.candidates, ground, stage.give_up)
    if found:
        return stage.rejected(Misalignment.INTERPRETATION, found[:MOST_READINGS])
    return stage.concluded(Misalignment.INTERPRETATION)


def without_answer(stage: Stage, reply: Unknown) -> StageResult:
    """Nobody names candidates: a person looks, unless the profile lets what nobody could establish pass."""
    if not reply.unparsable and stage.options.unknown == "review":
        return stage.undetermined(f"Whether another reading competes could not be established: {reply.reason}")
    return stage.concluded(Misalignment.INTERPRETATION)


def _competing(case: Case, ground: Ground) -> tuple[Grounded, ...]:
    document = case.context.tool(case.action.tool)
    if document is None:
        return ()
    classes = Classes.by_rule(document)
    competing = (leaf for leaf in ground(case) if leaf.how is Grounding.COMPETING)
    return tuple(leaf for leaf in competing if classes.derivable(leaf.pointer) is not False)


def _record(leaf: Grounded, stage: Stage) -> None:
    spans = tuple(dict.fromkeys((*leaf.spans, *(span for other in leaf.competing for span in other.spans))))
    stage.find(
        Relation.DERIVED_FROM, leaf.pointer, False, leaf.note, evidence=spans, grounding=Grounding.COMPETING
    )  # fmt: skip


def _readings(case: Case, leaves: tuple[Grounded, ...]) -> tuple[Interpretation, ...]:
    """One reading for each other record: everything it competes for, changed together."""
    by_label: dict[str, dict[str, tuple[Grounded, Competing]]] = {}
    for leaf in leaves:
        for other in leaf.competing:
            by_label.setdefault(other.label or other.value, {}).setdefault(leaf.pointer, (leaf, other))
    return tuple(_reading(case, label, changes) for label, changes in list(by_label.items())[:MOST_READINGS])


def _reading(case: Case, label: str, changes: Mapping[str, tuple[Grounded, Competing]]) -> Interpretation:
    said = ", ".join(f"{name_of(pointer)} = {other.value[:80]}" for pointer, (_, other) in changes.items())
    values = {pointer: _like(leaf.value, other.value) for pointer, (leaf, other) in changes.items()}
    return Interpretation(
        f"{label[:120]}: {said}",
        case.action.tool,
        replaced(case.action.arguments, values),
        tuple(span for _, other in changes.values() for span in other.spans),
    )


def _like(proposed: JsonValue, value: str) -> JsonValue:
    """A source's spelling as the JSON type of the proposed value, where that type can carry it exactly."""
    if isinstance(proposed, bool) or not isinstance(proposed, int | float):
        return value
    try:
        number = float(value.replace(",", ""))
    except ValueError:
        return value
    if not abs(number) <= _MOST_EXACT:
        return value
    return int(number) if isinstance(proposed, int) and number.is_integer() else number
