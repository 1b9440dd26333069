"""The sources of one context as documents, each read once, whatever is asked of it for however many values."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

from reviews.provenance.core.context import Context, SourceId, Span
from reviews.provenance.data.document import Document, Pattern

# Records of a listing, the document itself among them: with one row it could be a letter.
_MIN_ROWS = 2


class QuotedFields:
    """What detectors ask of the records around a quoted value."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._documents: dict[SourceId, Document] = {}
        self._values: dict[tuple[SourceId, Pattern], dict[Pattern, set[str]]] = {}

    def has_rival(self, span: Span) -> bool:
        """Whether another record of the same listing has another value in this field."""
        document = self._document_of(span.source)
        scalar = document.scalar_at(span.start, span.end)
        if scalar is None:
            return False
        values = self._values_of(span.source, document.kind_of(document.record_of(scalar)))
        return bool(values[document.field_of(scalar)] - {document.value_of(scalar)})

    def is_whole_field(self, span: Span) -> bool:
        """Whether the span is a whole value or key of JSON and the like, or a value of a listing of several rows.

        One "name: value" below the other is how invoices are written, too.
        """
        document = self._document_of(span.source)
        if document.is_key(span.start, span.end):
            return True
        scalar = document.scalar_at(span.start, span.end)
        is_whole = scalar is not None and document.value_of(scalar).strip() == span.quote.strip()
        return is_whole and (len(document.parents) > _MIN_ROWS or document.is_structured)

    def _document_of(self, source: SourceId) -> Document:
        if source not in self._documents:
            self._documents[source] = Document(self._context.sources[source].text)
        return self._documents[source]

    def _values_of(self, source: SourceId, kind: Pattern) -> dict[Pattern, set[str]]:
        """By field the values of all records of this kind."""
        if (source, kind) not in self._values:
            document, values = self._documents[source], defaultdict[Pattern, set[str]](set)
            scalars: Iterable[int] = chain.from_iterable(map(document.fields_of, document.records_of_kind(kind)))
            for scalar in scalars:
                values[document.field_of(scalar)].add(document.value_of(scalar))
            self._values[source, kind] = values
        return self._values[source, kind]
