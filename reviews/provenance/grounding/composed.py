"""Where the facts of a text stand that the agent words itself: amounts, days and identifiers, each by itself."""

from collections.abc import Iterator
from itertools import chain, islice

from reviews.provenance.core.context import Span
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.search import propose_terms
from reviews.provenance.terms.terms import Documented, spans_of
from reviews.provenance.text.fold import fold
from reviews.provenance.values.identifiers import opaque_in
from reviews.provenance.values.money import amounts_in

# Facts of one text that are traced, each through every source.
_MAX_FACTS = 16
# Characters of a text in which facts are looked for.
_MAX_READ = 20_000


def facts_of(leaf: Leaf, call: ProposedCall) -> tuple[Span, ...]:
    """One span for each fact that the context gives. Raises `OutOfBudgetError`."""
    if not isinstance(leaf.value, str):
        return ()
    spans = (_first_span(fact, call) for fact in islice(_facts_in(leaf.value[:_MAX_READ]), _MAX_FACTS))
    return tuple(dict.fromkeys(span for span in spans if span))


def _facts_in(text: str) -> Iterator[Leaf]:
    folded = fold(text)
    amounts = (Leaf(float(amount.value), "/amount") for amount in amounts_in(folded))
    codes = (Leaf(folded[mention.start : mention.end]) for mention in opaque_in(folded))
    return chain(amounts, codes)


def _first_span(fact: Leaf, call: ProposedCall) -> Span | None:
    terms = (term for term in propose_terms(fact, call.asking, call.evidence) if not isinstance(term, Documented))
    return next((span for term in terms for span in spans_of(term)), None)
