"""A value without any source: what the operator reads of it, and whether that may be proof against it."""

import re

from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.links import options
from reviews.provenance.grounding.links.moment import days_on
from reviews.provenance.grounding.links.nearest import nearest
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.asked_for import explores
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.values.moment import moment_of

# Characters of a bare number, which may be an hour or anything else.
_BARE_HOUR = 2
# Codes of languages, countries, currencies and airports have two to four capitals.
_CODE = re.compile(r"[A-Z]{2,4}")


def without_source(leaf: Leaf, evidence: Evidence) -> Found:
    """What is said of a value that nothing speaks for: what is nearest, and whether that proves anything."""
    closest = nearest(leaf, evidence.texts)
    note = f"“{shortened(leaf.text, 60)}” appears nowhere"
    note += f"; {where(closest.source)} says “{shortened(closest.quote, 60)}”." if closest else "."
    if not leaf.text:
        note = "Nobody asked for this setting."
    elif options.outside(leaf):
        note = f"Not one of the options the tool lists: {shortened(', '.join(leaf.choices), 120)}."
    elif leaf.choices:
        note = f"Nobody asked for “{leaf.text[:60]}” of the options {shortened(', '.join(leaf.choices), 120)}."
    # Looking around explores: that a value has no source yet proves nothing against it.
    explored = leaf.tool is not None and explores(leaf.tool)
    # A code stands for something that the context may well say: an airport, a country, a currency.
    coded = _CODE.fullmatch(leaf.text) is not None
    unknown = not options.outside(leaf) and (explored or coded or _only_day_said(leaf, evidence))
    return Found(Grounding.UNGROUNDED, (), note, nearest=None if coded else closest, open=unknown)


def _only_day_said(leaf: Leaf, evidence: Evidence) -> bool:
    """Whether the user says the value's day, and no time of day anywhere: the hour is the agent's to choose."""
    meant = moment_of(leaf.value)
    if meant is None or meant[0] is None or meant[1] is None:
        return False
    spoken = evidence.spoken
    hours = any(m.clock is not None and m.end - m.start > _BARE_HOUR for text in spoken for m in text.moments)
    return not hours and any(days_on(text, meant[0]) for text in spoken)
