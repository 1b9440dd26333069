"""What grounding answers: how a value was traced, and to which characters."""

from dataclasses import dataclass

from reviews.provenance.core.context import JsonValue, SourceKind, Span
from reviews.provenance.core.findings import Grounding


@dataclass(frozen=True)
class Competing:
    """Another value that answers the same reference."""

    value: str
    """As the source spells it."""
    spans: tuple[Span, ...]
    label: str
    """What a person would call it, such as the record's name."""


@dataclass(frozen=True)
class Found:
    """A method's answer, before it is tied to an argument."""

    how: Grounding
    spans: tuple[Span, ...]
    note: str
    competing: tuple[Competing, ...] = ()
    nearest: Span | None = None
    against: tuple[Span, ...] = ()
    """What the context says that the value goes against."""
    open: bool = False
    """Whether rules cannot tell that the source speaks of this value for this parameter."""


@dataclass(frozen=True)
class Grounded:
    """Where one argument leaf comes from."""

    pointer: str
    """JSON Pointer of the leaf."""
    value: JsonValue
    how: Grounding
    spans: tuple[Span, ...]
    """The evidence; every span verifies against the context."""
    note: str
    """One plain sentence for a person."""
    nearest: Span | None = None
    """For a value without source: the most similar thing the context does say."""
    competing: tuple[Competing, ...] = ()
    """Other values that answer the same reference equally well, or better."""
    against: tuple[Span, ...] = ()
    """For a value without source: what the context says instead (another option, other words). Rules that find
    this have answered, whatever the parameter's class: the value is wrong."""
    trust: float = 0.0
    """The lowest trust among the sources of the spans; 0 without spans."""
    kinds: frozenset[SourceKind] = frozenset()
    """What wrote the sources of the spans."""
    open: bool = False
    """Whether rules cannot tell: the value may stand in the spans, but nothing shows that it is the one that is meant,
    or it may have a source that rules cannot read. A judge may settle it; unsettled, it is unknown."""
    facts: tuple[Span, ...] = ()
    """For a text without a source of its own: where the amounts and days that it tells stand."""
