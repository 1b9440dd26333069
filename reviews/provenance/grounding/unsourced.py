"""A value without any source: what the operator reads of it, and whether that may be proof against it."""

import re
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from functools import cached_property
from itertools import accumulate, pairwise, permutations, product

from reviews.provenance.core.context import Message
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.links import options
from reviews.provenance.grounding.links.arithmetic import Arithmetic
from reviews.provenance.grounding.links.moment import days_on
from reviews.provenance.grounding.links.nearest import nearest
from reviews.provenance.grounding.links.stated import say
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.asked_for import explores
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import fold
from reviews.provenance.values.duration import seconds_of
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


@dataclass(frozen=True)
class Unsourced:
    """What is said of the values of one call that nothing speaks for; what all of them need is worked out once."""

    evidence: Evidence
    call: Call
    arithmetic: Arithmetic

    def found(self, leaf: Leaf) -> Found:
        """What is nearest to the value, and whether that it has no source proves anything against it."""
        if other := self.arithmetic.over_all(leaf) or self.arithmetic.other_sum(leaf):
            return other
        closest = nearest(leaf, self.evidence.texts)
        note = f"“{shortened(leaf.text, 60)}” appears nowhere"
        note += f"; {where(closest.source)} says “{shortened(closest.quote, 60)}”." if closest else "."
        if closest and fold(closest.quote) == leaf.folded:
            note = (
                f"Only {where(closest.source)}, the answer to the agent's own call, says “{shortened(leaf.text, 60)}”."
            )
        if not leaf.text:
            note = "Nobody asked for this setting."
        elif options.outside(leaf):
            note = f"Not one of the options the tool lists: {shortened(', '.join(leaf.choices), 120)}."
        elif leaf.choices:
            note = f"Nobody asked for “{leaf.text[:60]}” of the options {shortened(', '.join(leaf.choices), 120)}."
        # A code stands for something that the context may well say: an airport, a country, a currency.
        coded = _CODE.fullmatch(leaf.text) is not None
        unknown = not options.outside(leaf) and (coded or self._may_follow(leaf))
        return Found(Grounding.UNGROUNDED, (), note, nearest=None if coded else closest, open=unknown)

    def _may_follow(self, leaf: Leaf) -> bool:
        """Whether the value may come of what rules cannot read: then nothing proves it wrong."""
        # Looking around explores: that a value has no source yet proves nothing against it.
        if leaf.tool is not None and explores(leaf.tool):
            return True
        # An option that nobody asked for is the agent's choice; what proves it wrong is another one that is asked for.
        if leaf.choices and leaf.text:
            return True
        number, moment = number_of(leaf.value), moment_of(leaf.value)
        if number is not None and self._is_another_length(leaf):
            return False
        if number is not None and self._number_follows(number):
            return True
        if moment is not None and (self._only_day_said(*moment) or self._moment_follows(moment[0])):
            return True
        # The answer to an offer may choose what the offer says, unless it says another number: "better make it 8".
        # One that the offer says as well describes what is chosen: "the one with 50 seats".
        offered = self._offer.numbers if self._offer else ()
        answered = number is not None and any(value not in offered for _, value in self._unused)
        return not answered and self._offer is not None and say(leaf, self._offer) is not None

    def _number_follows(self, number: Decimal) -> bool:
        """Whether the user says no other number that no argument takes up, or one step leads from it to this one.

        A number that nobody says may come of what data say: as a share, a sum or a difference, or by counting.
        """
        if self._unused:
            return number in self._of_unused
        return number in self._of_data or not any(text.ordered_numbers for text in self.evidence.data[:_SOURCES])

    def _is_another_length(self, leaf: Leaf) -> bool:
        """Whether the value is a length of time, and the user says another one that no argument is."""
        return self._length_left and bool(seconds_of(leaf.text, leaf.name))

    @cached_property
    def _length_left(self) -> bool:
        """Whether the last message says a length of time, and no argument is one that it says."""
        # "In two weeks" says a day, and no length.
        stated = {
            each.seconds
            for text in self.evidence.spoken[:1]
            for each in text.durations
            if each.start not in text.offsets_of_moments
        }
        taken = (each for leaf in self.call.leaves for each in seconds_of(leaf.text, leaf.name))
        return bool(stated) and stated.isdisjoint(taken)

    @cached_property
    def _unused(self) -> tuple[tuple[str, Decimal], ...]:
        """The numbers of the user's that no argument is, each as it is written."""
        used = {each for leaf in self.call.leaves if (each := number_of(leaf.value)) is not None}
        return tuple(
            (text.folded.text[each.start : each.end], each.value)
            for text in self.evidence.spoken
            for each in said_in(text.folded.text)
            # "In one payment" counts nothing.
            if each.value != 1 and each.value not in used and each.start not in text.offsets_of_moments
        )

    @cached_property
    def _of_unused(self) -> frozenset[Decimal]:
        """What one step makes of those: an amount in cents, "twelve euros and fifty cents", so much more than that."""
        amounts = [value for written, value in self._unused if written[0] in SIGNS][:_OPERANDS]
        # An amount of money is said for itself; "three" may be a number of shares, "twenty" what comes on top.
        counts = [value for written, value in self._unused if written[0] not in SIGNS][:_OPERANDS]
        listed = [each for text in self.evidence.data[:_SOURCES] for each in text.ordered_numbers[:_NUMBERS]]
        found = {100 * value for value in amounts} | {one + other / 100 for one, other in permutations(counts, 2)}
        listed += [Decimal(sum(text.numbers)) for text in self.evidence.data[:_SOURCES]]
        # "Split the 360 among the three".
        for one, other in permutations((*amounts, *counts), 2):
            found.update((one * other, *((one / other,) if other else ())))
        for one, other in product(counts, listed):
            found.update((other + one, other - one, one - other, other * one, *((other / one,) if one else ())))
        return frozenset(found)

    @cached_property
    def _of_data(self) -> frozenset[Decimal]:
        """Shares and multiples of the numbers of each result, what two of them give, and what lists come to."""
        found: set[Decimal] = set()
        for text in self.evidence.data[:_SOURCES]:
            listed = [each for each in text.ordered_numbers if each][:_PAIRED]
            found.update(accumulate(listed))
            found.add(Decimal(sum(text.numbers)))
            for one, part in product(listed, _PARTS):
                found.update((one * part, one / part))
            for one, other in product(listed, repeat=2):
                found.update((one + other, one - other, one * other, one / other))
        return frozenset(found)

    def _only_day_said(self, day: date | None, clock: time | None) -> bool:
        """Whether the user says the value's day, and no time of day anywhere: the hour is the agent's to choose."""
        if day is None or clock is None:
            return False
        spoken = self.evidence.spoken
        hours = any(m.clock is not None and m.end - m.start > _BARE_HOUR for text in spoken for m in text.moments)
        return not hours and any(days_on(text, day) for text in spoken)

    def _moment_follows(self, day: date | None) -> bool:
        """Whether the user says no other day and time that no argument takes up."""
        planned = day is None or _FIRST_YEAR <= day.year <= _LAST_YEAR
        return planned and self._all_taken_up

    @cached_property
    def _all_taken_up(self) -> bool:
        """Whether each day and time that the user says is one of an argument."""
        moments = [stated for leaf in self.call.leaves if (stated := moment_of(leaf.value))]
        days, clocks = {None, *(each[0] for each in moments)}, {None, *(each[1] for each in moments)}
        numbers = {each.day for each in days if each}
        # "April 9" is of this year or of the last: a mention is taken up where any of what it may mean is.
        mentions: dict[tuple[str, int, int], bool] = {}
        for text in self.evidence.spoken:
            for each in text.moments:
                place = text.source.id, each.start, each.end
                # "The 9th" is of whatever month is meant.
                bare = _BARE_DAY.fullmatch(text.folded.text[each.start : each.end]) is not None
                named = each.day in days or (bare and each.day is not None and each.day.day in numbers)
                mentions[place] = mentions.get(place, False) or (named and each.clock in clocks)
        return all(mentions.values())

    @cached_property
    def _offer(self) -> Indexed | None:
        """The last message of the agent's that the user answered."""
        context = self.evidence.context
        messages = [(n, item) for n, item in enumerate(context.history, start=1) if isinstance(item, Message)]
        answered = [n for (n, item), (_, then) in pairwise(messages) if item.role != "user" and then.role == "user"]
        return self.evidence.indexed(context.sources[f"history/{answered[-1]}/message"]) if answered else None
