"""The sources of one context as documents, each read once, whatever is asked of it for however many values."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain

from reviews.provenance.core.context import Context, SourceId, Span
from reviews.provenance.data.document import Document, Pattern
from reviews.provenance.text.boundaries import Place
from reviews.provenance.values.locales import all_meanings
from reviews.provenance.values.numbers import number_of

# A code: figures with letters or a sign before or between them, or what a line begins with.
_CODE = re.compile(r"(?<![\w.,:/@+-])#?[^\W_]+(?:[-_][^\W_]+)*(?![\w@]|[.,:/@+-]\w)")
_MARK = re.compile(r"[ \t]*(?:[-*•]|\d{1,2}[.)])?[ \t]*")
_DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# Records of a listing, the document itself among them: with one row it could be a letter.
_MIN_ROWS = 2
# Lines of a list that are looked at.
_MAX_LINES = 2_000


class QuotedFields:
    """What detectors ask of the records around a quoted value."""

    def __init__(self, context: Context) -> None:
        texts = context.sources
        self._document_of = cache(lambda source: Document(texts[source].text))
        self._listed_codes_of = cache(lambda source: _listed_codes(texts[source].text))
        self._values_of = cache(self._read_values)

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

        One "name: value" below the other is how invoices are written, too. A field that is one number is that number,
        whatever its unit; and a list for people, too, names each of its things by a code of one form.
        """
        document = self._document_of(span.source)
        if document.is_key(span.start, span.end):
            return True
        scalar = document.scalar_at(span.start, span.end)
        value = "" if scalar is None else document.value_of(scalar).strip()
        is_whole = value == span.quote.strip() or number_of(value) == number_of(span.quote) is not None
        if document.is_structured:
            return is_whole
        is_listed = (span.start, span.end) in self._listed_codes_of(span.source)
        return (is_whole and len(document.parents) > _MIN_ROWS) or is_listed

    def _read_values(self, source: SourceId, kind: Pattern) -> Mapping[Pattern, set[str]]:
        """By field the values of all records of this kind."""
        document = self._document_of(source)
        scalars = chain.from_iterable(map(document.fields_of, document.records_of_kind(kind)))
        return all_meanings((document.field_of(scalar), document.value_of(scalar)) for scalar in scalars)


def _listed_codes(text: str) -> frozenset[Place]:
    """Where a list has a code for each of its things: the one of its form on its line, as on most lines, no two alike.

    A letter says more than its codes. Where every line is one token, each is a thing: a listing of paths.
    """
    lines = text.splitlines(keepends=True)[:_MAX_LINES]
    if text.isascii() and len(lines) >= _MIN_ROWS and not any(len(line.split()) > 1 for line in lines):
        return frozenset(hit.span() for hit in re.finditer(r"\S+", text))
    by_form, at = defaultdict[str, list[tuple[str, Place]]](list), 0
    for line in lines:
        codes = [(hit[0], (at + hit.start(), at + hit.end())) for hit in _codes_in(line)]
        forms = [_form_of(code) for code, _ in codes]
        count = Counter(forms)
        for form, code in zip(forms, codes, strict=True):
            if count[form] == 1:
                by_form[form].append(code)
        at += len(line)
    min_codes = max(_MIN_ROWS, sum(bool(line.strip()) for line in lines) / 2)
    lists = (codes for codes in by_form.values() if len(codes) >= min_codes)
    return frozenset(place for codes in lists if len(dict(codes)) == len(codes) for _, place in codes)


def _codes_in(line: str) -> Iterator[re.Match[str]]:
    begins = _MARK.match(line)
    start = begins.end() if begins else 0
    for hit in _CODE.finditer(line):
        is_code = any(map(str.isdigit, hit[0])) and not _DATED.fullmatch(hit[0])
        if is_code and (not hit[0].isdigit() or hit.start() == start):
            yield hit


def _form_of(code: str) -> str:
    """Runs of letters and of figures as such: D-7 and D-12 are of one form; of figures alone each, 1200 and 6815."""
    return re.sub(r"[0-9]", "0", code) if code.isdigit() else re.sub(r"[0-9]+", "0", re.sub(r"[^\W\d_]+", "a", code))
