"""Countries by name, in the languages that are read, and their codes of two and three letters."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Final

from babel import Locale

from reviews.provenance.text.fold import fold
from reviews.provenance.values.locales import LOCALES

# Letters of a country's code; figures are codes of continents.
_CODE_LENGTH: Final = 2


@cache
def names_of_country(code: str) -> frozenset[str]:
    """How the languages name the country of a code, folded; a name of two countries names none."""
    return frozenset(name for name, codes in _codes_by_name().items() if codes == {code.upper()})


@cache
def _codes_by_name() -> Mapping[str, set[str]]:
    codes: defaultdict[str, set[str]] = defaultdict(set)
    for locale in LOCALES:
        for code, name in Locale.parse(locale).territories.items():
            if len(code) == _CODE_LENGTH and code.isalpha():
                codes[fold(name)].add(code)
    return codes
