"""Other admissible readings of the request, as one-click choices."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from reviews.models import Action, Interpretation
from reviews.provenance.context import JsonValue, leaves
from reviews.web.casefile import words
from reviews.web.casefile.arguments import text_of
from reviews.web.casefile.evidence import Evidence, span_from
from reviews.web.highlighting import Tone

KEYS = 9
"""Readings that have a key of their own."""
LONGEST_VALUE = 60


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


def readings_of(action: Action, interpretations: Iterable[Interpretation], evidence: Evidence) -> list[Reading]:
    """The readings, numbered from 1."""
    return [
        _reading(action, number, interpretation, evidence)
        for number, interpretation in enumerate(interpretations, start=1)
    ]


def _reading(action: Action, number: int, interpretation: Interpretation, evidence: Evidence) -> Reading:
    ref = f"r{number}"
    pointed = evidence.point(map(span_from, interpretation.evidence), ref=ref, tone=Tone.COMPETING)
    return Reading(
        id=interpretation.pk,
        number=number,
        sentence=interpretation.reading,
        tool=interpretation.tool,
        other_tool=interpretation.tool != action.tool,
        values=tuple(_values(action, interpretation)),
        ref=ref if pointed else "",
        is_proposed=(interpretation.tool, interpretation.arguments) == (action.tool, action.arguments),
    )


def _values(action: Action, interpretation: Interpretation) -> Iterable[Value]:
    proposed: dict[str, JsonValue] = dict(leaves(action.arguments))
    for pointer, value in leaves(interpretation.arguments):
        text = text_of(value)
        shown = text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
        yield Value(words.path_of(pointer), shown, differs=pointer not in proposed or proposed[pointer] != value)
