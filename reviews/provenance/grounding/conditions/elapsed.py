"""Whether what was looked up shows that nothing happened for so many days."""

import re
from datetime import date, timedelta

from reviews.provenance.core.context import leaves
from reviews.provenance.grounding.conditions.claims import Elapsed
from reviews.provenance.grounding.conditions.lookups import Lookup, Lookups
from reviews.provenance.grounding.conditions.numbers import Answer
from reviews.provenance.grounding.conditions.scope import Request
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.mentions import References
from reviews.provenance.text.fold import words_of
from reviews.provenance.values.moment import moment_of

# Parameters that bound a look-up from above: one that ends early may have missed what came later.
_UPPER = frozenset("end to until till max before latest upper".split())
# Fields that say whom a record is about.
_PERSON = re.compile(r"name|email|participant|attendee|sender|recipient|customer|client|contact|person|user|with", re.I)


def answer_by_dates(claim: Elapsed, request: Request, lookups: Lookups) -> Answer | None:
    """False when a record within the time is about somebody the request names, or every lookup stops before it."""
    now = request.text.now
    if now is None:
        return None
    today, first = now.date(), now.date() - timedelta(days=claim.days)
    names = frozenset(References((request.text,)).mentions)
    for lookup in lookups.all:
        if found := _recent_entry(lookup, names, first, today):
            return found
    ends = [end for lookup in lookups.all if (end := _upper_bound(lookup))]
    if ends and max(ends) <= first and len(ends) == sum(map(_is_dated, lookups.all)):
        return Answer(False, f"Everything looked up ends on {max(ends)}, before these {claim.days} days.", ())
    return None


def _recent_entry(lookup: Lookup, names: frozenset[str], first: date, today: date) -> Answer | None:
    """An entry of these days about somebody who is named."""
    for record in (record for group in lookup.text.groups for record in group):
        dated = ((item, moment[0]) for item in record.fields if (moment := moment_of(item.text)) and moment[0])
        item, day = next(((item, day) for item, day in dated if first < day <= today), (None, None))
        people = (each for each in record.fields if _PERSON.search(each.key) or "@" in each.text)
        if item and day and any(names.intersection(words_of(each.text)) for each in people):
            note = f"There is an entry of {day}, {(today - day).days} days ago."
            return Answer(False, note, (lookup.text.raw_span(item.start, item.end),))
    return None


def _is_dated(lookup: Lookup) -> bool:
    """Whether a lookup is of things in time at all."""
    fields = (item for group in lookup.text.groups for record in group for item in record.fields)
    return _upper_bound(lookup) is not None or any(moment_of(item.text) for item in fields)


def _upper_bound(lookup: Lookup) -> date | None:
    for pointer, value in leaves(dict(lookup.step.arguments)):
        leaf = Leaf(value, pointer)
        if _UPPER.intersection(words_of(leaf.name)) and (moment := moment_of(value)):
            return moment[0]
    return None
