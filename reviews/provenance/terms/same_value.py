"""Whether another spelling is the same value: a number, a day, a code in groups, a telephone number."""

import re
import unicodedata
from datetime import date, datetime, time, timedelta, timezone
from functools import lru_cache
from typing import Final

from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.invisible import is_unseen
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.text.fold import fold, with_plain_figures
from reviews.provenance.values.locales import percent_signs
from reviews.provenance.values.moments import ANY_DAY, moment_of, zone_of
from reviews.provenance.values.money import amounts_in
from reviews.provenance.values.numbers import number_of
from reviews.provenance.values.phones import same_phone

MIN_GROUPED: Final = 8
"""Characters from which a code is grouped with blanks or hyphens."""
PHONE: Final = re.compile(r"\+?[\d ()./-]{7,24}")
"""A text that may be a telephone number."""
_FIGURES: Final = re.compile(r"[\d., '_]+")
_GROUPS: Final = re.compile(r"[ '_]|,(?=\d{3}(?!\d))")


def same_value(leaf: Leaf, text: str) -> Grounding | None:
    """How a whole field reads as the value; None where it does not."""
    if not leaf.text or not text.strip():
        return None
    if text == leaf.text:
        return Grounding.COPY
    if is_disguised(leaf.text) or is_respelt_code(leaf):
        return None
    return Grounding.NORMALIZE if fold(text).strip() == leaf.folded or _means_same(leaf, text) else None


def _means_same(leaf: Leaf, text: str) -> bool:
    # "#419" is how people write a thing's number.
    number, field_number = number_of(leaf.value), number_of(text.strip().removeprefix("#"))
    if number is not None or field_number is not None:
        unit = unit_of_number(leaf)
        is_same = number == field_number and not has_other_figures(leaf, text.strip())
        return is_same and unit in ("", unit_of_text(fold(text)))
    meant, read = moment_of(leaf.text), moment_of(text)
    if meant and read:
        zones = zone_of(leaf.text), zone_of(text)
        if None not in zones:
            # By two clocks the same figures are another moment.
            return _by_clock_of(zones[0], *meant) == _by_clock_of(zones[1], *read)
        return meant == read or (meant[0] == read[0] and meant[1] is None)
    bare = ungroup(leaf.folded)
    if len(bare) >= MIN_GROUPED and any(map(str.isdigit, bare)) and bare == ungroup(fold(text)):
        return True
    return PHONE.fullmatch(leaf.text) is not None and same_phone(leaf.text, text)


def _by_clock_of(offset: timedelta | None, day: date | None, clock: time | None) -> tuple[bool, datetime]:
    """A moment by the clock that has this offset; a time of day by itself on any day."""
    return day is None, datetime.combine(day or ANY_DAY, clock or time(), timezone(offset or timedelta()))


def unit_of_number(leaf: Leaf) -> str:
    """The currency's code, or the percent sign, that a value names beside its number; empty where it names none."""
    return unit_of_text(leaf.folded) if isinstance(leaf.value, str) and not leaf.text.isdecimal() else ""


# A value is held against one text after the other.
@lru_cache(maxsize=256)
def unit_of_text(folded: str) -> str:
    """The same of a folded text that is one number: a field, or what stands at a number's place."""
    amount = next(amounts_in(folded), None)
    return amount.currency if amount else "%" if any(sign in folded for sign in percent_signs()) else ""


def has_other_figures(leaf: Leaf, spelling: str) -> bool:
    """Whether a text of figures is written with other ones: version 2.10 is not 2.1, and room 007 not 7."""
    if not isinstance(leaf.value, str) or not _FIGURES.fullmatch(leaf.text) or not _FIGURES.fullmatch(spelling):
        return False
    return _GROUPS.sub("", leaf.text) != _GROUPS.sub("", spelling)


def is_disguised(text: str) -> bool:
    """Whether a value holds characters that show nothing or bend the text around them: it is no other spelling then."""
    return not text.isascii() and any(map(is_unseen, text))


def is_respelt_code(leaf: Leaf) -> bool:
    """Whether an identifier is written with variants of plain characters: with a full-width figure it is another file.

    Somebody's keyboard may write so; who copies an identifier does not.
    """
    if leaf.text.isascii():
        return False
    plain = with_plain_figures(unicodedata.normalize("NFKC", leaf.text))
    return plain != leaf.text and kind_of(Leaf(plain, leaf.pointer)) is Kind.CODE


def names_another_code(quote: str, leaf: Leaf) -> bool:
    """Whether an identifier that reads alike is another one: accents count, and so does case that is mixed."""
    if kind_of(leaf) is not Kind.CODE:
        return False
    spellings = [unicodedata.normalize("NFKC", text) for text in (leaf.text, with_plain_figures(quote))]
    # An address is the same in any case, and a code of capitals is typed in small letters.
    is_mixed = any(text not in (text.lower(), text.upper()) for text in spellings)
    return (is_mixed and "@" not in leaf.text) or len({text.casefold() for text in spellings}) > 1


def ungroup(code: str) -> str:
    """A code without the blanks and hyphens by which people group it."""
    return re.sub(r"[\s-]", "", code)
