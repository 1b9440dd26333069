"""Where a value is told as another thing that means it: 68 °F for 20 °C, Portugal for PT, $25 for 2500 cents."""

import re
from calendar import monthrange
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from ipaddress import ip_network
from itertools import chain, islice
from typing import Final

from babel.numbers import get_currency_precision

from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.value_mentions import MAX_READ
from reviews.provenance.text.boundaries import UNPARTED, Place, find_occurrences, overlaps
from reviews.provenance.text.names import tokens_of
from reviews.provenance.values.currencies import currency_names
from reviews.provenance.values.durations import clock_lengths_in, seconds_of
from reviews.provenance.values.locales import quoted_scales
from reviews.provenance.values.measures import is_converted, measures_in
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.money import currency_of
from reviews.provenance.values.months import Month, month_of, months_in
from reviews.provenance.values.numbers import number_of
from reviews.provenance.values.numerals import lone_numerals_in, written_numerals_in
from reviews.provenance.values.territories import names_of_code

# Signs of scripts whose words are not set apart, or that grow by what is written behind them: Thai to Khmer, kana,
# Chinese characters, Hangul by its letters, as folding leaves it.
_UNPARTED: Final = re.compile(rf"[\u1100-\u11ff]|{UNPARTED.pattern}")
# Letters of Hangul that end a syllable, which begins before them.
_WITHIN_SYLLABLE: Final = re.compile(r"[\u1160-\u11ff]")
# A sign that multiplies, between two figures: also the letter that Cyrillic keyboards have in its place.
_TIMES_BEFORE: Final = re.compile(r"[0-9][x\u0445×*]")
_TIMES_BEHIND: Final = re.compile(r"[x\u0445×*][0-9]")
_MINUS: Final = frozenset("-\u2212")
# What makes two stretches one word, number, address or path.
_GLUED_BEFORE: Final = re.compile(r"(?:\w|\w[.,:/@+-])$")
_GLUED_BEHIND: Final = re.compile(r"\w|[.,:/@+-]\w")
# To look at a place of a value.
_STEPS_A_PLACE: Final = 16
MAX_PLACES: Final = 32
"""Places of one value that are looked at: what is said more often is said plainly somewhere."""
# Characters of a text that are read for one step of the budget.
_CHARACTERS_A_STEP: Final = 4
# What a range leaves out at its first number, and its second number behind a few signs or a word.
_SCALES: Final = (1000, 1_000_000)
_RANGE_END: Final = re.compile(r"[^\d.,]{1,6}(?P<figures>[0-9]+(?:[.,][0-9]+)?)")
# Behind a number, what may be the name of its scale.
_WORD_BEHIND: Final = re.compile(r" ?(?P<word>[^\s\d.,;:!?()]{2,20})")
# A country's code, and a language's.
_CODE: Final = re.compile(r"[A-Z]{2}|[a-z]{2}")
# A day without its year.
_DAY_OF_YEAR: Final = re.compile(r"(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])")
# Words of a parameter's name by which it counts money in its smallest unit.
_MINOR: Final = frozenset("cent cents minor pence".split())


def find_conversions(leaf: Leaf, text: SourceText, evidence: Evidence) -> Iterator[Place]:
    """The places that tell the value so."""
    if not leaf.text or len(text.folded) > MAX_READ:
        return
    text.budget.spend(1 + len(text.folded) // _CHARACTERS_A_STEP)
    dated = chain(_find_month(leaf, text, evidence), _find_part_of_year(leaf, text, evidence))
    for places in (_find_number(leaf, text), _find_coded(leaf, text), _find_network(leaf, text), dated):
        yield from islice(places, MAX_PLACES)


def _find_number(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """A word that is the number in some language, though it may be one of another (dos, elf); a measure; money.

    Of a length of time also its hours, minutes and seconds as a clock shows them: 12:30 is 750 seconds, or 750 minutes.
    """
    number = number_of(leaf.value)
    if number is None:
        return
    yield from (numeral.place for numeral in lone_numerals_in(text.folded) if numeral.value == number)
    for measure in measures_in(text.folded):
        figure = number_of(text.folded[slice(*measure.place)])
        if figure is not None and is_converted(figure, measure.value, number):
            yield measure.place
    yield from _find_scaled(number, text)
    yield from _find_worded_scale(number, text)
    meant = seconds_of(leaf.text, leaf.name)
    yield from (length.place for length in clock_lengths_in(text.folded) if meant and length.value in meant)
    for amount in () if _MINOR.isdisjoint(tokens_of(leaf.name)) else text.amounts:
        if amount.value.scaleb(get_currency_precision(amount.currency)) == number:
            yield amount.start, amount.end


def find_written_numerals(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """Words that are the number in a language that is not read: proposed to nobody, and a judge's to name."""
    number = number_of(leaf.value)
    text.budget.spend(1 + (len(text.folded) if number is not None else 0))
    numerals = written_numerals_in(text.folded) if number is not None else ()
    yield from (numeral.place for numeral in numerals if numeral.value == number)


def _find_scaled(number: Decimal, text: SourceText) -> Iterator[Place]:
    """The first number of a range whose scale stands at the second alone: 30 to 36k."""
    for scale in _SCALES if number else ():
        for start, end in text.numbers.get(number / scale, ()):
            behind = _RANGE_END.match(text.folded, end)
            second = number_of(behind["figures"]) if behind else None
            scaled = text.numbers.get(second * scale, ()) if second is not None else ()
            if behind and behind.start("figures") in (begin for begin, _ in scaled):
                yield start, behind.end()


def _find_worded_scale(number: Decimal, text: SourceText) -> Iterator[Place]:
    """A number whose scale is a word of a language that is not read: 45 тысяч, 45 tys."""
    for scale in set(quoted_scales().values()) if number else ():
        for start, end in text.numbers.get(number.scaleb(-scale), ()):
            behind = _WORD_BEHIND.match(text.folded, end)
            if behind and quoted_scales().get(behind["word"]) == scale:
                yield start, behind.end()


def _find_coded(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """The country, language or currency of a code by its name in any language that is read: Niederlande, French."""
    names = set(names_of_code(leaf.text) if _CODE.fullmatch(leaf.text) else ())
    if currency_of(leaf.text) == leaf.text:
        names = {name for name, code in currency_names().items() if code == leaf.text}
    for name in sorted(names):
        yield from ((at, at + len(name)) for at in find_occurrences(text.folded, name))


def _find_network(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """The network of one address by that address: 203.0.113.40 for 203.0.113.40/32."""
    with suppress(ValueError):
        network = ip_network(leaf.text if "/" in leaf.text else "")
        address = str(network.network_address) if network.num_addresses == 1 else ""
        yield from ((at, at + len(address)) for at in find_occurrences(text.folded, address))


def _find_month(leaf: Leaf, text: SourceText, evidence: Evidence) -> Iterator[Place]:
    """A month that is told in another way, 12/25 for 12/2025; by its name also its first and its last day."""
    day, clock = moment_of(leaf.value) or (None, None)
    is_edge = day and not clock and day.day in (1, monthrange(day.year, day.month)[1])
    month = Month((0, 0), day.year, day.month) if day and is_edge else month_of(leaf.text)
    if month is None:
        return
    today = evidence.presumed_now.date() if evidence.presumed_now else None
    # The month of a day that is written is that day's.
    dated = [moment.place for moment in evidence.presumed_moments(text) if moment.day] if is_edge else []
    for mention in months_in(text.folded):
        if mention.may_be(month, today) and not overlaps(dated, *mention.place):
            yield mention.place


def _find_part_of_year(leaf: Leaf, text: SourceText, evidence: Evidence) -> Iterator[Place]:
    """A month that its parameter counts, July for 7, and a day of any year: April 21st for 04-21."""
    number = number_of(leaf.value) if "month" in tokens_of(leaf.name) else None
    yield from (mention.place for mention in months_in(text.folded) if mention.month == number)
    if hit := _DAY_OF_YEAR.fullmatch(leaf.text):
        meant = int(hit["month"]), int(hit["day"])
        days = ((moment, moment.day) for moment in evidence.presumed_moments(text))
        yield from (moment.place for moment, day in days if day and (day.month, day.day) == meant)


def find_joined(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """A value against signs of a script without spaces; a number also beside one that multiplies: 1200x630, 2.5時間."""
    number = number_of(leaf.value)
    beside = (_TIMES_BEFORE, _TIMES_BEHIND) if number is not None else ()
    # The figures of 3万 say no 3.
    read = () if number is None else tuple(chain.from_iterable(text.numbers.values()))
    text.budget.spend(1 + len(read))
    for hit in islice(re.finditer(re.escape(leaf.folded), text.folded), MAX_PLACES):
        text.budget.spend(_STEPS_A_PLACE)
        if _has_edges(text.folded, *hit.span(), beside=beside) and not overlaps(read, *hit.span()):
            yield hit.span()


def _has_edges(text: str, start: int, end: int, *, beside: tuple[re.Pattern[str], ...]) -> bool:
    """Whether words may end at both places, and at one of them only to whoever reads them."""
    before, behind = text[max(0, start - 2) : start], text[end : end + 2]
    is_read_before = parts_words(text, start) or bool(beside and beside[0].fullmatch(before))
    is_read_behind = parts_words(text, end) or bool(beside and beside[1].fullmatch(behind))
    return (
        (is_read_before or is_read_behind)
        and (is_read_before or not _GLUED_BEFORE.search(before) or _parts_clauses(before[::-1]))
        and (is_read_behind or not _GLUED_BEHIND.match(behind) or _parts_clauses(behind))
    )


def _parts_clauses(beside: str) -> bool:
    """Whether a comma or a colon parts a value from words of such a script, behind which nobody writes a space."""
    return beside[:1] in (",", ":") and _UNPARTED.match(beside, 1) is not None


def parts_words(text: str, at: int) -> bool:
    """Whether a word may end before this character in a script that does not part them."""
    pair = text[max(at - 1, 0) : at + 1]
    if pair[1:] in _MINUS and text[at + 1 : at + 2].isdigit():
        # A number below zero begins with its sign.
        pair = pair[0] + text[at + 1]
    is_inside = 0 < at < len(text) and all(sign.isalnum() for sign in pair)
    return is_inside and _UNPARTED.search(pair) is not None and not _WITHIN_SYLLABLE.match(pair, 1)
