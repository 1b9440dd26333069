"""Marks in the sources: every span that something on the page points at, gathered by source."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from reviews.desk.review.case import vocabulary
from reviews.desk.text.highlighting import Mark, Tone
from reviews.provenance.core.context import Context, JsonValue, SourceId, Span


class Evidence:
    """Marks by source. A span whose quote does not stand where it says is left out: nothing false is highlighted."""

    def __init__(
        self,
        context: Context,
        arguments: Mapping[str, JsonValue] = MappingProxyType({}),
        *,
        as_letters: bool = True,
    ) -> None:
        """`as_letters`: whether JSON is shown with letters in place of escapes; not where people mark its words."""
        self.context, self.as_letters = context, as_letters
        self._arguments = dict(arguments)
        self._marks: defaultdict[SourceId, list[Mark]] = defaultdict(list)
        # Ids on the page are numbers: a source's own name is what an agent wrote.
        self._numbers = {source: number for number, source in enumerate(context.sources, start=1)}

    def name_path(self, pointer: str) -> str:
        """A place of the call that all this is about, in words."""
        return vocabulary.name_path(pointer, self._arguments)

    def point(self, spans: Iterable[Span], *, ref: str, label: str = "", tone: Tone = Tone.COPY) -> tuple[Span, ...]:
        """Mark these spans for `ref`; returns those that could be verified."""
        verified = tuple(span for span in spans if self.context.verifies(span))
        for span in verified:
            self._marks[span.source].append(Mark(span.start, span.end, ref, label, tone))
        return verified

    def strike(self, spans: Iterable[Span]) -> None:
        """Mark these spans as anomalous, wherever the page shows their texts."""
        for span in spans:
            if self.context.verifies(span):
                mark = Mark(span.start, span.end, self.ref_of(span.source), tone=Tone.NONE, struck=True)
                self._marks[span.source].append(mark)

    def marks(self, source: SourceId) -> list[Mark]:
        """What points into this source."""
        return self._marks.get(source, [])

    def anchor_of(self, source: SourceId) -> str:
        """The id of the source's text on the page."""
        return f"text-{self._numbers.get(source, 0)}"

    def ref_of(self, source: SourceId) -> str:
        """What ties marks to the source as a whole."""
        return f"g{self._numbers.get(source, 0)}"


def read_span(stored: Mapping[str, Any]) -> Span:
    """A span as findings keep it."""
    return Span(stored["source"], stored["start"], stored["end"], stored["quote"])
