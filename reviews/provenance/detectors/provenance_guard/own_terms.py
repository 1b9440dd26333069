"""A judge's answer as terms: what it names becomes a claim about characters, which `verify` then tests."""

from collections.abc import Iterator, Sequence

from reviews.provenance.core.context import TRUSTED, Context, SourceKind, Span
from reviews.provenance.detectors.support import locate_quotes
from reviews.provenance.judges.questions.asking import Quote
from reviews.provenance.judges.questions.call_support import OwnTerm, Query
from reviews.provenance.terms.terms import (
    MAX_INPUTS,
    Computed,
    Condition,
    Documented,
    Field,
    Selected,
    Stated,
    Term,
)


def terms_of(answer: OwnTerm, context: Context, tool: str) -> Iterator[Term]:
    """The terms that an answer may mean; none where its quotes do not stand in the context."""
    if answer.kind == "query":
        if answer.query and (selected := _selected_term(answer.query, context)):
            yield selected
        return
    if answer.kind == "document":
        yield from _documented_terms(answer.quotes, context, tool)
        return
    spans = locate_quotes(context, answer.quotes[:MAX_INPUTS]) or ()
    inputs = tuple(Stated(span) if context.sources[span.source].kind in TRUSTED else Field(span) for span in spans)
    if answer.kind == "quote":
        yield from inputs
    elif inputs and answer.operation:
        yield Computed(answer.operation, inputs)


def _documented_terms(quotes: Sequence[Quote], context: Context, tool: str) -> Iterator[Term]:
    sources = [context.sources.get(f"tool/{tool}")]
    sources += [source for source in context.sources.values() if source.kind is SourceKind.SYSTEM_PROMPT]
    for quote in quotes[:MAX_INPUTS]:
        for source in filter(None, sources):
            at = source.text.find(quote.quote) if quote.quote.strip() else -1
            if at >= 0:
                yield Documented(Span(source.id, at, at + len(quote.quote), quote.quote))


def _selected_term(query: Query, context: Context) -> Selected | None:
    conditions = []
    for where in query.where[:MAX_INPUTS]:
        spans = locate_quotes(context, [where.quote])
        if not spans:
            return None
        conditions.append(Condition(where.field, where.comparison, where.value, Stated(spans[0])))
    return Selected(
        query.source, query.records, query.field, tuple(conditions), query.order_by or "", query.descending, query.take
    )
