"""Other admissible readings of the request, as one-click choices."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.arguments import text_of
from reviews.desk.review.case.evidence import Evidence, span_from
from reviews.desk.text.highlighting import Tone
from reviews.models import Interpretation
from reviews.models.key_order import ordered_as
from reviews.provenance.core.context import Case, leaves
from reviews.provenance.core.shortening import shorten_text

# Readings that have a key of their own: the digits 1 to 9.
KEYS: Final = 9
# Characters of a value, and values of a reading: together a reading stays within about three lines. What sets readings
# apart is nearly always one or two short values.
MAX_VALUE_LENGTH: Final = 60
MAX_VALUES: Final = 8


@dataclass(frozen=True)
class ReadingValue:
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
    values: tuple[ReadingValue, ...]
    ref: str
    is_proposed: bool
    """It is what the agent proposes: taking it is approving."""

    @property
    def key(self) -> str:
        """The key that takes it; empty when keys have run out."""
        return str(self.number) if self.number <= KEYS else ""


def readings_of(case: Case, interpretations: Iterable[Interpretation], evidence: Evidence) -> list[Reading]:
    """The readings, numbered from 1, each with the values that set it apart."""
    stored, proposed = list(interpretations), case.action
    calls = [dict(leaves(dict(arguments))) for arguments in (proposed.arguments, *(row.arguments for row in stored))]
    # Pointers at which the readings and the proposed call are not all alike.
    telling = {
        pointer
        for pointer in {pointer for call in calls for pointer in call}
        if any(pointer not in call or call[pointer] != calls[0].get(pointer) for call in calls)
    }
    readings = []
    for number, interpretation in enumerate(stored, start=1):
        spans = map(span_from, interpretation.evidence)
        pointed = evidence.point(spans, ref=f"r{number}", tone=Tone.COMPETING)
        reading = Reading(
            id=interpretation.pk,
            number=number,
            sentence=interpretation.reading,
            tool=interpretation.tool,
            other_tool=interpretation.tool != proposed.tool,
            values=_values(case, interpretation, telling),
            ref=f"r{number}" if pointed else "",
            is_proposed=(interpretation.tool, interpretation.arguments) == (proposed.tool, proposed.arguments),
        )
        readings.append(reading)
    return readings


def _values(case: Case, interpretation: Interpretation, telling: set[str]) -> tuple[ReadingValue, ...]:
    """The values at the telling pointers, in the order of the proposed call."""
    proposed = dict(leaves(dict(case.action.arguments)))
    ordered = ordered_as(interpretation.arguments, case.action.arguments)
    # Under another tool even an equal value means something else, so all of them are listed.
    all_tell = interpretation.tool != case.action.tool
    listed = [(pointer, value) for pointer, value in leaves(ordered) if all_tell or pointer in telling]
    return tuple(
        ReadingValue(
            path=vocabulary.path_of(pointer),
            text=shorten_text(text_of(value), MAX_VALUE_LENGTH),
            differs=pointer not in proposed or proposed[pointer] != value,
        )
        for pointer, value in listed[:MAX_VALUES]
    )
