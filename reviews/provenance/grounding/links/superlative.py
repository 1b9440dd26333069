"""An option that the request chooses by comparison: "the most popular source", among those that were looked up."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from reviews.provenance.core.context import Span, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.series import Series
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import words_of
from reviews.provenance.values.moment import moment_of

# "Most of" and "at least" compare nothing.
_MOST = re.compile(r"\b(?:most (?!of\b)|highest|largest|biggest|greatest|busiest|top\b)\w*")
_LEAST = re.compile(r"\b(?:least\b(?<!at least)|fewest|lowest|smallest)")
# Characters of a message that are read for this.
_READ = 20_000


def compared(leaf: Leaf, call: Call) -> Found | None:
    """The option with the highest or lowest total, of those whose numbers over the same days were looked up.

    Against that total when another of them was taken; None when the request compares nothing or the data do not tell.
    """
    superlative = next(_superlatives(call), None) if leaf.choices else None
    rivals = _rivals(leaf, call) if superlative else {}
    if superlative is None or leaf.text not in rivals or len(rivals) < 2:  # noqa: PLR2004
        return None
    span, most = superlative
    totals = {option: sum((point.value for point in series.points), Decimal(0)) for option, series in rivals.items()}
    best = (max if most else min)(totals.values())
    winners = [option for option, total in totals.items() if total == best]
    if len(winners) > 1 or len({tuple(point.day for point in series.points) for series in rivals.values()}) > 1:
        return None
    points = rivals[winners[0]].points
    note = f"“{span.quote.strip()}” is {winners[0][:40]} with {best:f} in all."
    if leaf.text == winners[0]:
        return Found(Grounding.DERIVE, (span, points[0].span, points[-1].span), note)
    return Found(Grounding.UNGROUNDED, (), note, nearest=points[0].span, against=(span, points[0].span))


def _superlatives(call: Call) -> Iterator[tuple[Span, bool]]:
    for text in call.messages:
        for pattern, most in ((_MOST, True), (_LEAST, False)):
            yield from ((text.span(*hit.span()), most) for hit in pattern.finditer(text.folded.text[:_READ]))


def _rivals(leaf: Leaf, call: Call) -> Mapping[str, Series]:
    """The series of each option: that of the one lookup whose arguments name it."""
    found: dict[str, Series] = {}
    for text, series in call.series:
        step = call.steps.get(text.source.id)
        arguments = [value for _, value in leaves(dict(step.arguments))] if step else []
        words = {word for value in arguments if not moment_of(value) for word in words_of(Leaf(value).text[:200])}
        named = [option for option in leaf.choices if words and words <= set(words_of(option))]
        if len(named) == 1:
            found[named[0]] = series
    return found
