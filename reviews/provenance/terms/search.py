"""Proposes terms for a value, cheaply and without language. A proposal is evidence for a judge, never a proof."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from reviews.provenance.core.context import SourceKind, Span, leaves
from reviews.provenance.data.sources import Asking, Evidence, SourceText
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.mentions import mentions_of, same_value
from reviews.provenance.terms.terms import Confirmed, Documented, Field, Stated, Term

MAX_CANDIDATES: Final = 8
"""Terms that are proposed for one value: a judge reads them all, and the best stand first."""
# Places of one source that are proposed: what a listing repeats is one piece of evidence.
_MAX_OF_SOURCE: Final = 3


def propose_terms(leaf: Leaf, asking: Asking, evidence: Evidence) -> tuple[Term, ...]:
    """The terms that give the value, the most telling first. Raises `OutOfBudgetError`."""
    return tuple(islice(_propose_terms(leaf, asking, evidence), MAX_CANDIDATES)) if leaf.text else ()


def _propose_terms(leaf: Leaf, asking: Asking, evidence: Evidence) -> Iterator[Term]:
    yield from _stated_terms(leaf, asking.message)
    for offer, answer in asking.offers:
        for mention in islice(mentions_of(leaf, offer), _MAX_OF_SOURCE):
            yield Confirmed(offer.span(mention.start, mention.end), answer.raw_span(0, len(answer.source.text)))
    for text in (*evidence.user_messages, *evidence.instructions):
        if text is not asking.message:
            yield from _stated_terms(leaf, text)
    for text in evidence.data:
        yield from islice(fields_with(leaf, text), _MAX_OF_SOURCE)
    if leaf.tool is not None and (document := evidence.document_of(leaf.tool.name)):
        for mention in islice(mentions_of(leaf, document), 1):
            yield Documented(document.span(mention.start, mention.end))


def _stated_terms(leaf: Leaf, text: SourceText) -> Iterator[Stated]:
    for mention in islice(mentions_of(leaf, text), _MAX_OF_SOURCE):
        yield Stated(text.span(mention.start, mention.end))


def fields_with(leaf: Leaf, text: SourceText) -> Iterator[Field]:
    """The places of a result that give the value: whole fields first, then parts of longer texts."""
    parts: list[Field] = []
    for mention in mentions_of(leaf, text):
        span = text.span(mention.start, mention.end)
        if field := whole_field(leaf, span, text):
            yield Field(field)
        elif not is_echoed(leaf, text):
            parts.append(Field(span))
    yield from parts


def whole_field(leaf: Leaf, span: Span, text: SourceText) -> Span | None:
    """The field of a tool's result that the span lies in, if it reads as the value from end to end."""
    scalar = text.document.scalar_at(span.start, span.end) if text.source.kind is SourceKind.TOOL_OUTPUT else None
    if scalar is None or not same_value(leaf, text.document.value_of(scalar)):
        return None
    return text.raw_span(text.document.starts[scalar], text.document.ends[scalar])


def is_echoed(leaf: Leaf, text: SourceText) -> bool:
    """Whether the result only repeats what it was looked up with: the agent's own words prove nothing."""
    arguments = leaves(dict(text.step.arguments)) if text.step else ()
    return any(same_value(leaf, str(value)) for _, value in arguments)
