"""Whether what was looked up shows that nothing happened for so many days."""

import re
from datetime import date, timedelta

from reviews.provenance.core.context import leaves
from reviews.provenance.grounding.conditions.claims import Elapsed
from reviews.provenance.grounding.conditions.lookups import Lookup, Lookups
from reviews.provenance.grounding.conditions.numbers import Shown
from reviews.provenance.grounding.conditions.scope import Request
from reviews.provenance.records.records import Record
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.mentions import References
from reviews.provenance.text.fold import words_of
from reviews.provenance.values.moment import moment_of

# Parameters that bound a look-up from above: one that ends early may have missed what came later.
_UPPER = frozenset("end to until till max before latest upper".split())
# Fields that say whom a record is about.
_PERSON = re.compile(r"name|email|participant|attendee|sender|recipient|customer|client|contact|person|user|with", re.I)


def shown_since(claim: Elapsed, request: Request, lookups: Lookups) -> Shown | None:
    """False when a record within the time is about somebody the request names, or every lookup stops before it."""
    now = request.text.now
    if now is None:
        return None
    today, first = now.date(), now.date() - timedelta(days=claim.days)
    names = frozenset(References((request.text,)).mentions)
    for lookup in lookups.all:
        if found := _recent(lookup, names, first, today):
            return found
    ends = [end for lookup in lookups.all if (end := _upper_bound(lookup))]
    if ends and max(ends) <= first and len(ends) == sum(map(_dated, lookups.all)):
        return Shown(False, f"Everything looked up ends on {max(ends)}, before these {claim.days} days.", ())
    return None


def _recent(lookup: Lookup, names: frozenset[str], first: date, today: date) -> Shown | None:
    for group in lookup.text.groups:
        for record in group:
            for item in record.fields:
                meant = moment_of(item.text)
                if meant and meant[0] and first < meant[0] <= today and _about(record, names):
                    span = lookup.text.raw_span(item.start, item.end)
                    return Shown(
                        False, f"There is an entry of {meant[0]}, {(today - meant[0]).days} days ago.", (span,)
                    )
    return None


def _about(record: Record, names: frozenset[str]) -> bool:
    fields = (item for item in record.fields if _PERSON.search(item.key) or "@" in item.text)
    return any(names.intersection(words_of(item.text)) for item in fields)


def _dated(lookup: Lookup) -> bool:
    """Whether a lookup is of things in time at all."""
    fields = (item for group in lookup.text.groups for record in group for item in record.fields)
    return _upper_bound(lookup) is not None or any(moment_of(item.text) for item in fields)


def _upper_bound(lookup: Lookup) -> date | None:
    for pointer, value in leaves(dict(lookup.step.arguments)):
        leaf = Leaf(value, pointer)
        if _UPPER.intersection(words_of(leaf.name)) and (meant := moment_of(value)):
            return meant[0]
    return None
