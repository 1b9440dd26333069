"""Values that the agent proposed in words and the user agreed to."""

from collections.abc import Sequence
from dataclasses import replace

from reviews.provenance.core.context import Span
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.evidence import Accepted
from reviews.provenance.grounding.links.stated import say
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.leaf import Leaf

# Characters of the answer that are quoted.
_LONGEST_QUOTE = 80


def confirmed(leaf: Leaf, accepted: Sequence[Accepted]) -> Found | None:
    """The value as a proposal says it that the user agreed to without reservation."""
    for each in accepted:
        found = say(leaf, each.text) if each.proposal.whole else None
        if found:
            quote = each.answer.text[:_LONGEST_QUOTE]
            answer = Span(each.answer.id, 0, len(quote), quote)
            note = f"The agent proposed it in {where(each.text.source.id)}; the user said “{shortened(quote, 60)}”."
            # What was agreed to before the user spoke of something else has been done, or was about another step.
            return replace(found, spans=(*found.spans, answer), note=note, open=not each.proposal.latest)
    return None
