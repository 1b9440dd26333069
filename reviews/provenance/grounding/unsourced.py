"""A value without any source: what the operator reads of it, and whether that may be proof against it."""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise, permutations

from reviews.provenance.core.context import Message
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.links import options
from reviews.provenance.grounding.links.moment import days_on
from reviews.provenance.grounding.links.nearest import nearest
from reviews.provenance.grounding.links.stated import say
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.asked_for import explores
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.money import SIGNS
from reviews.provenance.values.number import number_of, said_in

# Characters of a bare number, which may be an hour or anything else.
_BARE_HOUR = 2
# Codes of languages, countries, currencies and airports have two to four capitals.
_CODE = re.compile(r"[A-Z]{2,4}")
# Results, numbers of one result and numbers of a message that are put together: in more, any number follows by chance.
_SOURCES, _NUMBERS, _OPERANDS = 8, 40, 8
# Numbers of one result that are put together two by two.
_PAIRED = 20
# What people take of a number, or make of it: halves to twelfths, and shares in percent.
_PARTS = (*map(Decimal, range(2, 13)), *(100 / Decimal(share) for share in (5, 10, 15, 30, 40, 60, 70, 75, 80, 90)))
# A day of a month that is not named: "the 9th".
_BARE_DAY = re.compile(r"(?:the )?\d{1,2}(?:st|nd|rd|th|\.)?")
# Years in which anything lies that people plan or remember.
_FIRST_YEAR, _LAST_YEAR = 1900, 2200


def without_source(leaf: Leaf, evidence: Evidence, call: Call) -> Found:
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
    # An option that nobody asked for is the agent's choice; proof against it is another one that somebody asked for.
    chosen = bool(leaf.choices) and bool(leaf.text)
    unknown = not options.outside(leaf) and (
        explored
        or coded
        or chosen
        or _only_day_said(leaf, evidence)
        or _may_be_computed(leaf, evidence, call)
        or _is_offered(leaf, evidence)
    )
    return Found(Grounding.UNGROUNDED, (), note, nearest=None if coded else closest, open=unknown)


def _only_day_said(leaf: Leaf, evidence: Evidence) -> bool:
    """Whether the user says the value's day, and no time of day anywhere: the hour is the agent's to choose."""
    moment = moment_of(leaf.value)
    if moment is None or moment[0] is None or moment[1] is None:
        return False
    spoken = evidence.spoken
    hours = any(m.clock is not None and m.end - m.start > _BARE_HOUR for text in spoken for m in text.moments)
    return not hours and any(days_on(text, moment[0]) for text in spoken)


def _may_be_computed(leaf: Leaf, evidence: Evidence, call: Call) -> bool:
    """Whether the number or the time may follow from what rules cannot read: then nothing proves it wrong.

    It is proved wrong where the user says another number or time that no argument of the call takes up, unless one
    step leads from that and what data say to the value.
    """
    number, moment = number_of(leaf.value), moment_of(leaf.value)
    if number is not None:
        return _number_follows(number, evidence, call)
    return moment is not None and _moment_follows(moment[0], evidence, call)


def _number_follows(number: Decimal, evidence: Evidence, call: Call) -> bool:
    used = {each for other in call.leaves if (each := number_of(other.value)) is not None}
    unused = [
        (text.folded.text[each.start : each.end], each.value)
        for text in evidence.spoken
        for each in said_in(text.folded.text)
        # "In one payment" counts nothing.
        if each.value not in {1, *used} and each.start not in text.offsets_of_moments
    ]
    # An amount of money is said for itself; "three" may be a number of shares, "twenty" what comes on top.
    counts = [value for written, value in unused if written[0] not in SIGNS]
    # Cents and pence are a hundredth.
    in_cents = any(number == 100 * value for written, value in unused if written[0] in SIGNS)
    # "Twelve euros and fifty cents" says two numbers for one.
    in_cents |= any(number == whole + cents / 100 for whole, cents in permutations(counts[:_OPERANDS], 2))
    if not unused:
        return _follows_from_data(number, evidence)
    return in_cents or _one_step(number, counts, evidence)


def _moment_follows(day: date | None, evidence: Evidence, call: Call) -> bool:
    if day is not None and not _FIRST_YEAR <= day.year <= _LAST_YEAR:
        return False
    moments = [stated for other in call.leaves if (stated := moment_of(other.value))]
    days, clocks = {each[0] for each in moments}, {each[1] for each in moments}
    numbers = {each.day for each in days if each}
    # "April 9" is of this year or of the last: a mention is taken up where any of what it may mean is.
    mentions: dict[tuple[str, int, int], bool] = {}
    for text in evidence.spoken:
        for each in text.moments:
            place = text.source.id, each.start, each.end
            # "The 9th" is of whatever month is meant.
            bare = _BARE_DAY.fullmatch(text.folded.text[each.start : each.end]) is not None
            named = each.day in {None, *days} or (bare and each.day is not None and each.day.day in numbers)
            mentions[place] = mentions.get(place, False) or (named and each.clock in {None, *clocks})
    return all(mentions.values())


def _is_offered(leaf: Leaf, evidence: Evidence) -> bool:
    """Whether the last message of the agent's that the user answered says the value: the answer may choose it."""
    context = evidence.context
    messages = [(n, item) for n, item in enumerate(context.history, start=1) if isinstance(item, Message)]
    answered = [n for (n, item), (_, then) in pairwise(messages) if item.role != "user" and then.role == "user"]
    if not answered:
        return False
    offer = evidence.indexed(context.sources[f"history/{answered[-1]}/message"])
    return say(leaf, offer) is not None


def _follows_from_data(number: Decimal, evidence: Evidence) -> bool:
    """Whether a number may be a part or a multiple of one that data say, or come of two of one result, or of a list."""
    for text in evidence.data[:_SOURCES]:
        listed = [each for each in text.ordered_numbers if each][:_PAIRED]
        totals = {sum(listed[:end]) for end in range(2, len(listed) + 1)} | {sum(text.numbers)}
        shares = any(number * part == each or number == each * part for each in listed for part in _PARTS)
        pairs = any(number in (a + b, abs(a - b), a * b) or number * b == a for a in listed for b in listed)
        if shares or pairs or number in totals:
            return True
    # A number of which data say none at all may have been counted.
    return not any(text.ordered_numbers for text in evidence.data[:_SOURCES])


def _one_step(number: Decimal, operands: Sequence[Decimal], evidence: Evidence) -> bool:
    """Whether adding, taking away, multiplying or dividing leads from one operand and a number of data to this one."""
    listed = [each for text in evidence.data[:_SOURCES] for each in text.ordered_numbers[:_NUMBERS]]
    return any(
        number in (other + each, other - each, each - other, other * each) or number * each == other
        for each in operands[:_OPERANDS]
        for other in listed
    )
