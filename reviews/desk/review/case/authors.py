"""Who wrote what a value rests on: a reviewer trusts the user's own words more than a tool's output."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from reviews.desk.review.case import vocabulary
from reviews.provenance.core.context import Context, Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.trust import SourceKind


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
        """Name of its icon."""
        return vocabulary.WRITER_ICONS.get(self.kind, vocabulary.OTHERS_ICON)


@dataclass(frozen=True)
class Writers:
    """Everybody whose words a value rests on, the most trusted first."""

    listed: tuple[Writer, ...] = ()
    trust: float | None = None
    """The lowest trust among them, 0 to 1. None when the value rests on nothing."""
    untrusted_only: bool = False
    """Nothing that the user or whoever runs the agent wrote supports the value."""


NOBODY = Writers()


def list_writers(context: Context, spans: Iterable[Span], grounding: str) -> Writers:
    """Who wrote these spans. What is generated has the agent as its only writer."""
    if grounding == Grounding.GENERATED:
        return Writers((Writer(SourceKind.AGENT_MESSAGE),))
    # Of two places of one kind, the place of the more trusted source is named first, as the kinds are.
    sources = sorted((context.sources[span.source] for span in spans), key=lambda source: -source.trust)
    places: defaultdict[SourceKind, list[str]] = defaultdict(list)
    for source in sources:
        place = vocabulary.name_place(source.id)
        # The tag already reads `user's words` or `system prompt`: its only place would repeat that.
        tells_more = place not in ("request", vocabulary.WRITERS[source.kind])
        places[source.kind] += [place] if tells_more and place not in places[source.kind] else []
    return Writers(
        listed=tuple(Writer(kind, tuple(place_names)) for kind, place_names in places.items()),
        # A mix is only as trusted as its worst part: one injected word is enough.
        trust=min((source.trust for source in sources), default=None),
        untrusted_only=bool(places) and not places.keys() & vocabulary.TRUSTED,
    )
