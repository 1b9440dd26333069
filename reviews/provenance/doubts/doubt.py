"""What a doubt tells: a question about a value that nothing proves, with what to look at."""

from dataclasses import dataclass

from reviews.provenance.core.context import Span


@dataclass(frozen=True, slots=True)
class Rival:
    """The value of another record that the same words name."""

    value: str
    """As the source spells it."""
    spans: tuple[Span, ...]
    label: str
    """What a person would call the record."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a value stays unproven."""

    rule: str
    """The module that gives it."""
    note: str
    """One question or sentence for a person."""
    nearest: Span | None = None
    """What the context says instead, or the most similar thing it says."""
    rivals: tuple[Rival, ...] = ()
    spans: tuple[Span, ...] = ()
    """Words that may say the value all the same."""
