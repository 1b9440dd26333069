"""Who wrote what a value rests on: a person reads a tool's output otherwise than the user's own words."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from reviews.desk.review.case import vocabulary
from reviews.provenance.core.context import Context, SourceKind, Span
from reviews.provenance.core.findings import Grounding


@dataclass(frozen=True)
class Writer:
    """One kind of source behind a value."""

    kind: SourceKind
    places: tuple[str, ...] = ()
    """Where on the page its words stand; empty where the tag itself says so."""

    @property
    def words(self) -> str:
        """Such as `user's words`."""
        return vocabulary.WRITERS[self.kind]

    @property
    def icon(self) -> str:
        """Its sign in the icon set."""
        return vocabulary.WRITER_ICONS.get(self.kind, vocabulary.OTHERS_ICON)


@dataclass(frozen=True)
class Writers:
    """Everybody whose words a value rests on, the most trusted first."""

    each: tuple[Writer, ...] = ()
    trust: float | None = None
    """The lowest among them, 0 to 1: a mix is only as trusted as its worst part. None when it rests on nothing."""
    untrusted_only: bool = False
    """Nothing that the user or whoever runs the agent wrote supports the value."""


NOBODY = Writers()
_THE_AGENT = Writers((Writer(SourceKind.AGENT_MESSAGE),))


def writers_of(context: Context, spans: Iterable[Span], grounding: str) -> Writers:
    """Who wrote these spans. What is generated has the agent as its only writer."""
    if grounding == Grounding.GENERATED:
        return _THE_AGENT
    places: defaultdict[SourceKind, list[str]] = defaultdict(list)
    sources = [context.sources[span.source] for span in spans]
    for source in sorted(sources, key=lambda source: -source.trust):
        places[source.kind].append(vocabulary.place(source.id))
    return Writers(
        each=tuple(Writer(kind, _told(kind, found)) for kind, found in places.items()),
        trust=min((source.trust for source in sources), default=None),
        untrusted_only=bool(places) and not places.keys() & vocabulary.TRUSTED,
    )


def _told(kind: SourceKind, places: Iterable[str]) -> tuple[str, ...]:
    return tuple(place for place in dict.fromkeys(places) if place not in ("request", vocabulary.WRITERS[kind]))
