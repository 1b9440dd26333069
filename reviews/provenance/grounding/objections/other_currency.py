"""The user's amounts are in another currency than the one that is given: "45 dólares" sent as EUR."""

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.decide import Why
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.links.currency import amounts_with_currency, is_currency, meant_by, named
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.leaf import Leaf

WHY = Why.OPTION


def against(leaf: Leaf, evidence: Evidence, budget: Budget) -> Found | None:
    """A currency that no message names, where every amount of the last one says another."""
    if not is_currency(leaf) or any(named(leaf, text) for text in evidence.spoken):
        return None
    budget.spend()
    for text in evidence.spoken[:1]:
        amounts = list(amounts_with_currency(text))
        if not amounts or any(leaf.text.strip() in meant_by(codes, leaf) for *_, codes in amounts):
            return None
        # An amount in what is no option chooses none of them.
        if leaf.choices and any(codes.isdisjoint(leaf.choices) for *_, codes in amounts):
            return None
        start, end, codes = amounts[0]
        span = text.span(start, end)
        meant = ", ".join(sorted(meant_by(codes, leaf)))
        note = f"The user's “{shortened(span.quote, 40)}” is in {shortened(meant, 40)}, not {leaf.text[:8]}."
        return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None
