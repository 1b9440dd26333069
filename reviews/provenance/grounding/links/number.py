"""Values that are numbers or lengths of time, as one source says them, in the unit that is asked for."""

import re
from decimal import Decimal

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.links.currency import another_currency
from reviews.provenance.grounding.links.quantity import another_unit
from reviews.provenance.grounding.notes import found_at
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.values.duration import seconds_of, unit_behind, unit_of_parameter
from reviews.provenance.values.number import NumberMention, number_meant, numbers_in

# A parameter that says so takes an amount in hundredths: 1050 for 10.50.
_MINOR = re.compile(r"\bcents?\b|minor unit", re.I)


def counted(leaf: Leaf, text: Indexed) -> Found | None:
    """The value as a number that the source says."""
    number = number_meant(leaf.value)
    if number is None:
        return None
    if mention := _fitting(leaf, text, number):
        span = text.span(mention.start, mention.end)
        return found_at(Grounding.COPY if span.quote == leaf.text else Grounding.NORMALIZE, span)
    mention = text.numbers.get(number / 100) if _MINOR.search(leaf.hint) else None
    return found_at(Grounding.NORMALIZE, text.span(mention.start, mention.end)) if mention else None


def lasting(leaf: Leaf, text: Indexed) -> Found | None:
    """The value as a length of time that the source says."""
    lengths = seconds_of(leaf.value, leaf.hint)
    for mention in text.durations if lengths else ():
        if mention.seconds in lengths:
            return found_at(Grounding.NORMALIZE, text.span(mention.start, mention.end))
    return None


def _fitting(leaf: Leaf, text: Indexed, number: Decimal) -> NumberMention | None:
    """The first mention of the number that is not of another unit or currency: 2 hours are not 2 minutes."""
    mention = text.numbers.get(number)
    if mention is None or not _has_other_unit(leaf, text, mention):
        return mention
    same = (each for each in numbers_in(text.folded.text) if each.value == number)
    return next((each for each in same if not _has_other_unit(leaf, text, each)), None)


def _has_other_unit(leaf: Leaf, text: Indexed, mention: NumberMention) -> bool:
    unit = unit_of_parameter(leaf.name, leaf.description)
    stated = unit_behind(text.folded.text, mention.end) if unit else None
    return (
        (stated is not None and stated != unit)
        or another_unit(leaf, text, mention.start, mention.end)
        or another_currency(leaf, text, mention.start, mention.end)
    )
