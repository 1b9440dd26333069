"""Where a text says a value: to the character, or in another spelling that code can compute."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from typing import Final

from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.invisible import is_unseen
from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.text.boundaries import find_occurrences, is_separated, stands_alone
from reviews.provenance.text.fold import fold
from reviews.provenance.values.durations import seconds_of
from reviews.provenance.values.identifiers import is_identifier, is_opaque
from reviews.provenance.values.moments import Moment, is_in_zone, moment_of, zone_of
from reviews.provenance.values.numbers import number_of
from reviews.provenance.values.phones import last_figures, phones_in, same_phone

MAX_MENTIONS: Final = 64
"""Places of one value in one text that are looked at: more tell nothing new."""
# Characters of a code that people group with blanks or hyphens when they write it.
_MAX_GROUPED: Final = 64
_MIN_GROUPED: Final = 8
# Characters of a text in which telephone numbers are looked for: a library reads them, slowly.
_MAX_PHONES_READ: Final = 20_000
# Figures of a text that may count something; an order's or an account's number has more.
_MAX_COUNT: Final = 4
# Characters of a text that are searched for a value in one step of the budget: a search is far quicker than a loop.
_CHARACTERS_A_STEP: Final = 256
# Of however short a text every reader is asked.
_STEPS_A_TEXT: Final = 16
# A pattern that begins like the value is tried at each such place.
_CHARACTERS_A_PATTERN_STEP: Final = 16
# Half of the distance at which the last such day and the next are equally near.
_NEAR: Final = timedelta(days=90)
_FIGURES: Final = re.compile(r"[\d., '_]+")
_GROUPS: Final = re.compile(r"[ '_]|,(?=\d{3}(?!\d))")
_PHONE: Final = re.compile(r"\+?[\d ()./-]{7,24}")
_JOINED: Final = re.compile(r"[^\W\d_]+(?:[_-][^\W\d_]+)+")
_LINK: Final = re.compile(r"https?://", re.I)


class Kind(StrEnum):
    """What a value is written like. Values of different kinds cannot be mistaken for each other."""

    NUMBER = "number"
    MOMENT = "day or time"
    CODE = "identifier"
    OPTION = "option"
    TEXT = "text"
    NOTHING = "nothing that can be said"


@dataclass(frozen=True, slots=True)
class Mention:
    """One place, or the places of the parts, at which a folded text says a value."""

    places: tuple[tuple[int, int], ...]
    how: Grounding

    @property
    def start(self) -> int:
        """Where its first part begins."""
        return self.places[0][0]

    @property
    def end(self) -> int:
        """Where its last part ends."""
        return self.places[-1][1]


# The same value is asked about by every proof.
@lru_cache(maxsize=4096)
def _kind_of_text(text: str) -> Kind:
    if moment_of(text) is not None:
        return Kind.MOMENT
    if number_of(text) is not None:
        return Kind.CODE if len(text) > _MAX_COUNT else Kind.NUMBER
    return Kind.CODE if is_opaque(text) or is_identifier(text) or _LINK.match(text) else Kind.TEXT


def kind_of(leaf: Leaf) -> Kind:
    """What the value is written like."""
    if not leaf.text:
        return Kind.NOTHING
    if leaf.choices:
        return Kind.OPTION
    return _kind_of_text(leaf.text) if isinstance(leaf.value, str) else Kind.NUMBER


def mentions_of(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    """Every place at which the text says the value, none twice; at most `MAX_MENTIONS`."""
    # Search, proofs and doubts ask for the same value one after the other; the name tells the unit of a length.
    key = (leaf.text, type(leaf.value).__name__, leaf.name)
    if key not in text.mentions:
        text.budget.spend(_STEPS_A_TEXT + len(text.folded) // _CHARACTERS_A_STEP)
        text.mentions[key] = tuple(_find_mentions(leaf, text))
    yield from text.mentions[key]


def _find_mentions(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    known_places: set[tuple[tuple[int, int], ...]] = set()
    readers: Sequence[Callable[[Leaf, SourceText], Iterator[Mention]]] = (
        _match_verbatim, _match_worded_name, _match_number, _match_moment, _match_duration, _match_grouped_code,
        _match_link, _match_phone,
    )  # fmt: skip
    mentions = (mention for read in readers for mention in read(leaf, text)) if leaf.text else iter(())
    for mention in islice(mentions, MAX_MENTIONS):
        if mention.places not in known_places:
            known_places.add(mention.places)
            yield mention


def has_mention(leaf: Leaf, text: SourceText) -> bool:
    """Whether the text says the value anywhere."""
    return next(mentions_of(leaf, text), None) is not None


def has_other_reading(leaf: Leaf, mention: Mention, text: SourceText) -> bool:
    """Whether the place that says the value may say another: 03/04/2026, 12.500, 7:30 in either half of the day.

    What is copied to the character leaves the reading to whoever runs the call. Raises `OutOfBudgetError`.
    """
    if mention.how is Grounding.COPY:
        return False
    meant = moment_of(leaf.value) if isinstance(leaf.value, str) else None
    if meant is not None:
        text.budget.spend(1 + len(text.moments))
        return any(
            _overlaps(mention, moment.start, moment.end)
            and _says_otherwise(moment, *meant, zone_of(leaf.text), text.now)
            for moment in text.moments
        )
    number = number_of(leaf.value)
    if number is None:
        return False
    if any(has_other_figures(leaf, text.folded[start:end]) for start, end in mention.places):
        return True
    text.budget.spend(1 + sum(map(len, text.numbers.values())))
    return any(
        _overlaps(mention, *place) for value, places in text.numbers.items() if value != number for place in places
    )


def has_other_figures(leaf: Leaf, written: str) -> bool:
    """Whether a text of figures is written with other ones: version 2.10 is not 2.1, and room 007 not 7."""
    if not isinstance(leaf.value, str) or not _FIGURES.fullmatch(leaf.text) or not _FIGURES.fullmatch(written):
        return False
    return _GROUPS.sub("", leaf.text) != _GROUPS.sub("", written)


def _overlaps(mention: Mention, start: int, end: int) -> bool:
    return any(first < end and start < last for first, last in mention.places)


def _says_otherwise(
    moment: Moment, day: date | None, clock: time | None, zone: timedelta | None, now: datetime | None
) -> bool:
    """Whether this reading differs from the day, the time and the zone that a value says."""
    if clock and moment.clock and (moment.clock != clock or not is_in_zone(moment, zone)):
        return True
    if day is None or moment.day is None or (moment.day == day and not moment.any_year):
        return False
    # Who leaves out the year speaks of a day that is near; of two that are far either may be meant.
    is_same_but_for_year = (moment.day.month, moment.day.day) == (day.month, day.day)
    return not (is_same_but_for_year and now is not None and abs(day - now.date()) <= _NEAR)


def _match_verbatim(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    for at in find_occurrences(text.folded, leaf.folded):
        end = at + len(leaf.folded)
        # The full stop behind a word says no ".".
        if not any(map(str.isalnum, leaf.folded)) and any(map(str.isalnum, text.folded[max(0, at - 1) : end + 1])):
            continue
        span = text.span(at, end)
        if span.quote != leaf.text and (is_disguised(leaf.text) or _names_another(span.quote, leaf)):
            continue
        # A number in figures is one only as a whole: "3" does not stand in "3.5", nor "2023" in a day.
        if number_of(leaf.value) is not None and not _is_whole_number(leaf, text, at, end):
            continue
        yield Mention(((at, end),), Grounding.COPY if span.quote == leaf.text else Grounding.NORMALIZE)


def _match_worded_name(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    """A name that joins words by underscores or hyphens, where a person writes the words."""
    if not isinstance(leaf.value, str) or not _JOINED.fullmatch(leaf.folded):
        return
    words = re.sub(r"[_-]", " ", leaf.folded)
    for at in find_occurrences(text.folded, words):
        yield Mention(((at, at + len(words)),), Grounding.NORMALIZE)


def is_disguised(text: str) -> bool:
    """Whether a value holds characters that show nothing or bend the text around them: it is no other spelling then."""
    return not text.isascii() and any(map(is_unseen, text))


def _names_another(quote: str, leaf: Leaf) -> bool:
    """Whether an identifier that reads alike is another one: accents count, and so does case that is mixed."""
    if kind_of(leaf) is not Kind.CODE:
        return False
    spellings = [unicodedata.normalize("NFKC", text) for text in (leaf.text, quote)]
    # An address is the same in any case, and a code of capitals is typed in small letters.
    is_mixed = any(text not in (text.lower(), text.upper(), text.capitalize()) for text in spellings)
    return (is_mixed and "@" not in leaf.text) or len({text.casefold() for text in spellings}) > 1


def _is_whole_number(leaf: Leaf, text: SourceText, start: int, end: int) -> bool:
    number = number_of(leaf.value)
    places = text.numbers.get(number, ()) if number is not None else ()
    text.budget.spend(1 + len(places) // 4)
    return any(first <= start and end <= last for first, last in places)


def _match_number(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    number = number_of(leaf.value)
    if number is None or isinstance(leaf.value, bool) or not (text.figures.may_say(number) or _may_spell(text)):
        return
    for place in text.numbers.get(number, ()):
        yield Mention((place,), Grounding.NORMALIZE)


def _may_spell(text: SourceText) -> bool:
    """Whether numbers may stand in words: only people spell them, and they write short texts."""
    return text.step is None and len(text.folded) <= _MAX_PHONES_READ


def _match_moment(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    meant = moment_of(leaf.value) if isinstance(leaf.value, str) else None
    if meant is None:
        return
    day, clock = meant
    if day and text.step is not None and not _may_name(day, text.folded):
        return
    text.budget.spend(1 + len(text.moments))
    on_day = [moment for moment in text.moments if day and moment.on(day)]
    for moment in on_day if day else text.moments:
        # Of a day with its time the value may be one of the two; the other is another value's, or left out.
        place = None if day and clock else moment.day_place if day else moment.clock_place
        if moment.clock == clock or (clock is None and place):
            yield Mention((place or (moment.start, moment.end),), Grounding.NORMALIZE)
    if day and clock:
        yield from _match_day_and_clock(clock, on_day, text)


def _may_name(day: date, folded: str) -> bool:
    """Whether a result may name the day at all, which costs a hundredth of reading its days."""
    return f"{day.month:02}-{day.day:02}" in folded or f"{day:%b}".lower() in folded or "/" in folded or "." in folded


def _match_day_and_clock(clock: time, on_day: Sequence[Moment], text: SourceText) -> Iterator[Mention]:
    """The day in one place and the time in another: “on Monday … at 3 pm”."""
    days = [(moment.start, moment.end) for moment in on_day if moment.clock is None]
    clocks = [(moment.start, moment.end) for moment in text.moments if moment.day is None and moment.clock == clock]
    for day_place in days[:1]:
        for clock_place in clocks[:1]:
            yield Mention(tuple(sorted((day_place, clock_place))), Grounding.NORMALIZE)


def _match_duration(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    meant = frozenset(seconds_of(leaf.text, leaf.name))
    if not meant or len(text.folded) > _MAX_PHONES_READ:
        return
    text.budget.spend(1 + len(text.durations))
    for length in text.durations:
        if length.seconds in meant:
            yield Mention(((length.start, length.end),), Grounding.NORMALIZE)


def _match_grouped_code(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    """A code that one of the two writes in groups: an account's number, a card's."""
    bare = re.sub(r"[\s-]", "", leaf.folded)
    if not (_MIN_GROUPED <= len(bare) <= _MAX_GROUPED and bare.isalnum() and any(map(str.isdigit, bare))):
        return
    if bare not in text.ungrouped:
        return
    text.budget.spend(1 + len(text.folded) // _CHARACTERS_A_PATTERN_STEP)
    pattern = _grouping_pattern(bare)
    for hit in pattern.finditer(text.folded):
        if stands_alone(text.folded, *hit.span()) and hit.group() != leaf.folded:
            yield Mention((hit.span(),), Grounding.NORMALIZE)


@lru_cache(maxsize=256)
def _grouping_pattern(bare: str) -> re.Pattern[str]:
    return re.compile("[ -]?".join(map(re.escape, bare)))


def _match_link(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    """A link without its scheme."""
    scheme = _LINK.match(leaf.text)
    bare = leaf.folded[scheme.end() :].rstrip("/") if scheme else ""
    for at in find_occurrences(text.folded, bare) if bare else ():
        if is_separated(text.folded, at, at + len(bare)):
            yield Mention(((at, at + len(bare)),), Grounding.NORMALIZE)


def _match_phone(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    if not isinstance(leaf.value, str) or not _PHONE.fullmatch(leaf.text) or len(text.folded) > _MAX_PHONES_READ:
        return
    if last_figures(leaf.text) not in text.ungrouped:
        return
    text.budget.spend(1 + len(text.folded) // _CHARACTERS_A_PATTERN_STEP)
    for phone in phones_in(text.folded, like=leaf.text):
        if same_phone(leaf.text, text.folded[phone.start : phone.end]):
            yield Mention(((phone.start, phone.end),), Grounding.NORMALIZE)


def same_value(leaf: Leaf, text: str) -> Grounding | None:
    """How a whole field reads as the value; None where it does not."""
    if not leaf.text or not text.strip():
        return None
    if text == leaf.text:
        return Grounding.COPY
    if is_disguised(leaf.text):
        return None
    return Grounding.NORMALIZE if fold(text).strip() == leaf.folded or _means_same(leaf, text) else None


def _means_same(leaf: Leaf, text: str) -> bool:
    number, text_number = number_of(leaf.value), number_of(text)
    if number is not None or text_number is not None:
        return number == text_number and not has_other_figures(leaf, text.strip())
    meant, read = moment_of(leaf.text), moment_of(text)
    if meant and read:
        return meant == read or (meant[0] == read[0] and meant[1] is None)
    bare = re.sub(r"[\s-]", "", leaf.folded)
    if len(bare) >= _MIN_GROUPED and any(map(str.isdigit, bare)) and bare == re.sub(r"[\s-]", "", fold(text)):
        return True
    return _PHONE.fullmatch(leaf.text) is not None and same_phone(leaf.text, text)
