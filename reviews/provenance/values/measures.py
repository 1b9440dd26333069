"""Measures with their units, and what they are in other units of their kind: 68 °F are 20 °C, 150 lb are 68.04 kg.

Units are named as CLDR names them; what they are in each other is defined, to the last figure.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import cache
from typing import Final, NamedTuple

from reviews.provenance.text.boundaries import UNSPACED
from reviews.provenance.values.found import Found
from reviews.provenance.values.locales import QuotedNames, any_word_of, quoted_unit_words, sole_meanings, unit_words


class _Unit(NamedTuple):
    """What one of it is in the unit that all of its kind are told in, which begins so much above nothing."""

    kind: str
    factor: Decimal
    offset: Decimal = Decimal(0)


_UNITS: Final = {
    "temperature-celsius": _Unit("heat", Decimal(1)),
    "temperature-fahrenheit": _Unit("heat", Decimal(5) / 9, Decimal(-32) * 5 / 9),
    "mass-microgram": _Unit("mass", Decimal("0.000000001")),
    "mass-milligram": _Unit("mass", Decimal("0.000001")),
    "mass-gram": _Unit("mass", Decimal("0.001")),
    "mass-kilogram": _Unit("mass", Decimal(1)),
    "mass-tonne": _Unit("mass", Decimal(1000)),
    "mass-ounce": _Unit("mass", Decimal("0.028349523125")),
    "mass-pound": _Unit("mass", Decimal("0.45359237")),
    "mass-stone": _Unit("mass", Decimal("6.35029318")),
    "length-millimeter": _Unit("length", Decimal("0.001")),
    "length-centimeter": _Unit("length", Decimal("0.01")),
    "length-meter": _Unit("length", Decimal(1)),
    "length-kilometer": _Unit("length", Decimal(1000)),
    "length-inch": _Unit("length", Decimal("0.0254")),
    "length-foot": _Unit("length", Decimal("0.3048")),
    "length-yard": _Unit("length", Decimal("0.9144")),
    "length-mile": _Unit("length", Decimal("1609.344")),
    "volume-milliliter": _Unit("volume", Decimal("0.001")),
    "volume-centiliter": _Unit("volume", Decimal("0.01")),
    "volume-deciliter": _Unit("volume", Decimal("0.1")),
    "volume-liter": _Unit("volume", Decimal(1)),
    "volume-hectoliter": _Unit("volume", Decimal(100)),
    "volume-cubic-meter": _Unit("volume", Decimal(1000)),
    "volume-gallon": _Unit("volume", Decimal("3.785411784")),
    "area-square-meter": _Unit("area", Decimal(1)),
    "area-square-foot": _Unit("area", Decimal("0.09290304")),
    "area-acre": _Unit("area", Decimal("4046.8564224")),
    "area-hectare": _Unit("area", Decimal(10_000)),
    "area-square-kilometer": _Unit("area", Decimal(1_000_000)),
    "energy-kilojoule": _Unit("energy", Decimal(1)),
    "energy-kilocalorie": _Unit("energy", Decimal("4.184")),
    "energy-kilowatt-hour": _Unit("energy", Decimal(3600)),
    "power-watt": _Unit("power", Decimal(1)),
    "power-kilowatt": _Unit("power", Decimal(1000)),
    "power-megawatt": _Unit("power", Decimal(1_000_000)),
    "speed-kilometer-per-hour": _Unit("speed", Decimal(1)),
    "speed-mile-per-hour": _Unit("speed", Decimal("1.609344")),
    "pressure-hectopascal": _Unit("pressure", Decimal(1)),
    "pressure-bar": _Unit("pressure", Decimal(1000)),
    "digital-byte": _Unit("data", Decimal("0.000001")),
    "digital-kilobyte": _Unit("data", Decimal("0.001")),
    "digital-megabyte": _Unit("data", Decimal(1)),
    "digital-gigabyte": _Unit("data", Decimal(1000)),
    "digital-terabyte": _Unit("data", Decimal(1_000_000)),
}
# CLDR writes these with a sign that people leave out, and in full what they shorten.
_SHORT: Final = {
    "f": "temperature-fahrenheit", "c": "temperature-celsius", "kilo": "mass-kilogram", "kilos": "mass-kilogram"
}  # fmt: skip
# Letters of a name that tells a unit where no figures stand before it.
_TELLING: Final = 3
# What is behind a number as often as a unit is.
_PREPOSITIONS: Final = frozenset({"in", "go", "to"})
# Above it a rounded value is told exactly enough.
_DECIMALS: Final = 6
# Characters behind figures in which their unit stands.
_MAX_UNIT: Final = 20


def measures_in(text: str) -> Iterator[Found[_Unit]]:
    """The unit of each measure of a folded text, at the place of its figures."""
    for hit in _pattern().finditer(text):
        yield Found(*hit.span("figures"), _UNITS[_names()[hit["unit"]]])


def is_measure(folded: str, start: int, end: int) -> bool:
    """Whether a unit stands right behind the figures there: 250 g, 21 degrees."""
    is_read = any(not found.start for found in measures_in(folded[start : end + _MAX_UNIT]))
    return is_read or _degrees().match(folded, end) is not None


def unit_named_in(words: str) -> _Unit | None:
    """The one unit that folded words name, with or without figures."""
    units = {_UNITS[unit.value] for unit in _quoted_names().found_in(words)}
    return units.pop() if len(units) == 1 else None


def unit_of_word(word: str) -> _Unit | None:
    """The unit that one folded word is behind figures, also a short one: kg."""
    return _UNITS[_names()[word]] if word in _names() else unit_named_in(word)


def is_converted(number: Decimal, unit: _Unit, value: Decimal) -> bool:
    """Whether the value is the measure in another unit of its kind, rounded to the places that it has."""
    exponent = value.as_tuple().exponent
    places = -exponent if isinstance(exponent, int) and -_DECIMALS <= exponent <= 0 else 0
    with localcontext(prec=28):
        in_base_unit = number * unit.factor + unit.offset
        others = [other for other in _UNITS.values() if other.kind == unit.kind and other != unit]
        exact = [(in_base_unit - other.offset) / other.factor for other in others]
        return any(each.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) == value for each in exact)


@cache
def _degrees() -> re.Pattern[str]:
    """Of heat or of an angle: the word alone tells no unit that could be converted."""
    return re.compile(rf" ?(?:{any_word_of(quoted_unit_words('angle-degree'))})(?!\w)")


@cache
def _names() -> Mapping[str, str]:
    """The unit of each name that means one alone."""
    written = ((name, unit) for unit in _UNITS for name in quoted_unit_words(unit) | unit_words(unit))
    return {**sole_meanings((name, unit) for name, unit in written if name not in _PREPOSITIONS), **_SHORT}


@cache
def _quoted_names() -> QuotedNames[str]:
    return QuotedNames({
        name: unit for name, unit in _names().items() if len(name) >= _TELLING or UNSPACED.search(name)
    })  # fmt: skip


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?=[0-9])(?<![\w.,:/-])(?P<figures>[0-9]{{1,9}}+(?:[.,][0-9]{{1,4}})?+)"
        rf"[ -]{{0,2}}(?P<unit>{any_word_of(_names())})(?![^\W\d_])"
    )
