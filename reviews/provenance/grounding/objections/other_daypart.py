"""The user names a part of the day, and the value is a time outside it: 8:30 where the afternoon is asked for."""

import re

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.decide import Why
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.comparisons import daypart_words, in_daypart
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.values.moment import moment_of

# Characters before a part of the day in which a greeting makes it one: "good morning", "buenas tardes".
_REACH = 12
_GREETING = re.compile(r"(?:good|guten?|bonne?|buen[ao]s?|bo[ma]s?|buon[ao]?|goede[nr]?)\s*$")
# A time of another zone is not the one that the user reads on the clock.
_ZONED = re.compile(r"(?:z|[+-]\d\d:?\d\d)$", re.I)
# Characters of a mention that may be no time at all.
_BARE_HOUR = 2

WHY = Why.DAYPART


def against(leaf: Leaf, evidence: Evidence, budget: Budget) -> Found | None:
    """A time of day outside the one part of the day that the last message names, where the user says no hour."""
    meant = moment_of(leaf.value) if isinstance(leaf.value, str) and not _ZONED.search(leaf.text) else None
    if meant is None or meant[1] is None or not evidence.spoken:
        return None
    budget.spend()
    hours = (m for text in evidence.spoken for m in text.moments if m.clock and m.end - m.start > _BARE_HOUR)
    if any(True for _ in hours):
        return None
    text = evidence.spoken[0]
    folded = text.folded.text
    named = [each for each in daypart_words(folded) if not _GREETING.search(folded[max(0, each[0] - _REACH) : each[0]])]
    if len({part for _, _, part in named}) != 1 or in_daypart(named[0][2], meant[1]):
        return None
    span = text.span(named[0][0], named[0][1])
    note = f"The user says “{shortened(span.quote, 40)}”; “{shortened(leaf.text, 40)}” is at another time of day."
    return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
