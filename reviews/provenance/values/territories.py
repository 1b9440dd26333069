"""Countries and languages by name, in the languages that are read, and their codes of two letters."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from babel import Locale

from reviews.provenance.text.fold import fold
from reviews.provenance.values.locales import LOCALES, sole_meanings

# Letters of a code; figures are codes of continents, and longer ones of what is more particular.
_CODE_LENGTH: Final = 2


@cache
def names_of_code(code: str) -> frozenset[str]:
    """How the languages name the country of a code in capitals, or the language of one in small letters, folded.

    A name of two of them names none.
    """
    return frozenset(name for name, meant in _codes_by_name(is_country=code.isupper()).items() if meant == code)


@cache
def _codes_by_name(*, is_country: bool) -> Mapping[str, str]:
    locales = map(Locale.parse, LOCALES)
    names = (name for locale in locales for name in (locale.territories if is_country else locale.languages).items())
    return sole_meanings((fold(name), code) for code, name in names if len(code) == _CODE_LENGTH and code.isalpha())
