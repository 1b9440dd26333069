"""Other admissible readings of the request, as one-click choices."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.arguments import in_document_order, text_of
from reviews.desk.review.case.evidence import Evidence, span_from
from reviews.desk.text.highlighting import Tone
from reviews.models import Interpretation
from reviews.provenance.core.context import Case, JsonValue, leaves
from reviews.provenance.core.shortening import shortened

KEYS = 9
"""Readings that have a key of their own."""
LONGEST_VALUE = 60
VALUES = 8


@dataclass(frozen=True)
class Value:
    """One argument of a reading."""

    path: str
    text: str
    differs: bool
    """From what the agent proposes."""


@dataclass(frozen=True)
class Reading:
    """One reading."""

    id: UUID
    number: int
    sentence: str
    tool: str
    other_tool: bool
    values: tuple[Value, ...]
    ref: str
    is_proposed: bool
    """It is what the agent proposes: taking it is approving."""

    @property
    def key(self) -> str:
        """The key that takes it; empty when keys have run out."""
        return str(self.number) if self.number <= KEYS else ""


def readings_of(case: Case, interpretations: Iterable[Interpretation], evidence: Evidence) -> list[Reading]:
    """The readings, numbered from 1, each with what sets it apart."""
    readings = list(interpretations)
    telling = _telling(case, readings)
    return [_reading(case, number, each, telling, evidence) for number, each in enumerate(readings, start=1)]


def _reading(case: Case, number: int, interpretation: Interpretation, telling: set[str], evidence: Evidence) -> Reading:
    ref, proposed = f"r{number}", case.action
    pointed = evidence.point(map(span_from, interpretation.evidence), ref=ref, tone=Tone.COMPETING)
    return Reading(
        id=interpretation.pk,
        number=number,
        sentence=interpretation.reading,
        tool=interpretation.tool,
        other_tool=interpretation.tool != proposed.tool,
        values=tuple(_values(case, interpretation, telling)),
        ref=ref if pointed else "",
        is_proposed=(interpretation.tool, interpretation.arguments) == (proposed.tool, proposed.arguments),
    )


def _telling(case: Case, readings: Sequence[Interpretation]) -> set[str]:
    """Pointers at which the readings and the proposed call are not all alike."""
    calls = [dict(leaves(dict(arguments))) for arguments in (case.action.arguments, *(r.arguments for r in readings))]
    pointers = {pointer for call in calls for pointer in call}
    return {at for at in pointers if any(at not in call or call[at] != calls[0].get(at) for call in calls)}


def _values(case: Case, interpretation: Interpretation, telling: set[str]) -> Iterable[Value]:
    proposed: dict[str, JsonValue] = dict(leaves(dict(case.action.arguments)))
    ordered = in_document_order(case.context.tool(interpretation.tool), interpretation.arguments)
    whole = interpretation.tool != case.action.tool
    shown = [(at, value) for at, value in leaves(ordered) if whole or at in telling]
    for pointer, value in shown[:VALUES]:
        differs = pointer not in proposed or proposed[pointer] != value
        yield Value(vocabulary.path_of(pointer), shortened(text_of(value), LONGEST_VALUE), differs)
