"""The terms that a judge's own words may mean: data, which code verifies."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations, product
from typing import Final

from reviews.provenance.core.context import Context, Span
from reviews.provenance.core.trust import TRUSTED, SourceKind
from reviews.provenance.detectors.judge_quotes import locate_quotes
from reviews.provenance.judges.questions.call_support import OwnTerm, Query
from reviews.provenance.judges.questions.question_forms import Quote
from reviews.provenance.terms.terms import (
    MAX_INPUTS,
    Computed,
    Condition,
    DayAndTime,
    Documented,
    Field,
    Input,
    OtherArgument,
    Reading,
    Selected,
    Stated,
    Term,
)
from reviews.provenance.values.zones import zone_named

ARGUMENT: Final = "argument"
"""The source of a quote that is the JSON Pointer of another argument of the call."""
# Quotes of which two may be the parts of one moment.
_MAX_PARTS: Final = 4


def terms_of(answer: OwnTerm, context: Context, tool: str, arguments: Mapping[str, OtherArgument]) -> Iterator[Term]:
    """The terms that an answer may mean; none where its quotes do not stand in the context.

    `arguments`: those of the call, by JSON Pointer, whose own terms have been verified.
    """
    if answer.kind == "query":
        if answer.query and (selected := _selected_term(answer.query, context)):
            yield selected
        return
    if answer.kind == "document":
        yield from _documented_terms(answer.quotes, context, tool)
        return
    if answer.kind == "computation":
        inputs = _inputs_of(answer, context, tool, arguments)
        yield from _computed_terms(answer.operation, inputs) if inputs and answer.operation else ()
    if answer.kind == "quote":
        quoted = tuple(_quoted_terms(answer.quotes[:MAX_INPUTS], context))
        yield from quoted
        # What says no value to code may still say one to who reads it.
        sources = [Reading(term.span) if isinstance(term, Stated) else term for term in quoted]
        yield from (term for term in sources if isinstance(term, Reading))
        yield from (DayAndTime(day, clock) for day, clock in permutations(sources[:_MAX_PARTS], 2))
        for zone in (term for term in quoted[:_MAX_PARTS] if isinstance(term, Stated) and zone_named(term.span.quote)):
            parts = [term for term in (*quoted, *sources)[: 2 * _MAX_PARTS] if term.span != zone.span]
            yield from (DayAndTime(day, clock, zone) for day, clock in product(parts, parts))


def rests_on_arguments(answer: OwnTerm) -> bool:
    """Whether other arguments are among what it quotes."""
    return any(quote.source == ARGUMENT for quote in answer.quotes)


def _computed_terms(operation: str, inputs: Sequence[Input]) -> Iterator[Computed | DayAndTime]:
    yield Computed(operation, tuple(inputs))
    match operation, inputs:
        case (("time_after" | "time_before"), [Stated() as day, *operands]) if len(operands) > 1:
            # Words for a day that only people read: the time of day is moved on it.
            yield DayAndTime(Reading(day.span), Computed(operation, tuple(operands)))


def _inputs_of(answer: OwnTerm, context: Context, tool: str, arguments: Mapping[str, OtherArgument]) -> Sequence[Input]:
    """The inputs of a computation, also of the tool's own document: its "0 to 100" where half is asked for."""
    inputs: list[Input] = []
    quotes = answer.quotes[:MAX_INPUTS]
    for quote in quotes:
        if quote.source == ARGUMENT:
            inputs += [arguments[quote.quote]] if quote.quote in arguments else []
            continue
        is_documented = quote.source == f"tool/{tool}"
        terms = _documented_terms([quote], context, tool) if is_documented else _quoted_terms([quote], context)
        inputs += islice(terms, 1)
    return inputs if len(inputs) == len(quotes) else ()


def _quoted_terms(quotes: Sequence[Quote], context: Context) -> Iterator[Stated | Field]:
    for span in locate_quotes(context, quotes) or ():
        yield Stated(span) if context.sources[span.source].kind in TRUSTED else Field(span)


def _documented_terms(quotes: Sequence[Quote], context: Context, tool: str) -> Iterator[Documented]:
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
        query.source,
        query.records,
        query.field,
        tuple(conditions),
        query.order_by or "",
        query.descending,
        query.take,
        query.total,
    )
