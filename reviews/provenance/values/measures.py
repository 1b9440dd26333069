"""Measures with their units, and what they are in other units of their kind: 68 °F are 20 °C, 150 lb are 68.04 kg.

Units are named as CLDR names them; what they are in each other is defined, to the last figure.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import cache
from typing import Final, NamedTuple

from reviews.provenance.text.boundaries import UNSPACED, Occurrence
from reviews.provenance.values.locales import QuotedNames, any_word_of, quoted_unit_words, sole_meanings, unit_words


class _Unit(NamedTuple):
    """What one of it is in the unit that all of its kind are told in, which begins so much above nothing."""

    kind: str
    factor: Decimal
    offset: Decimal = Decimal(0)


# What one of each unit is in the unit that all of its kind are told in.
_FACTORS: Final = {
    "mass-microgram": "0.000000001", "mass-milligram": "0.000001", "mass-gram": "0.001", "mass-kilogram": "1",
    "mass-tonne": "1000", "mass-ounce": "0.028349523125", "mass-pound": "0.45359237", "mass-stone": "6.35029318",
    "length-millimeter": "0.001", "length-centimeter": "0.01", "length-meter": "1", "length-kilometer": "1000",
    "length-inch": "0.0254", "length-foot": "0.3048", "length-yard": "0.9144", "length-mile": "1609.344",
    "volume-milliliter": "0.001", "volume-centiliter": "0.01", "volume-deciliter": "0.1", "volume-liter": "1",
    "volume-hectoliter": "100", "volume-cubic-meter": "1000", "volume-gallon": "3.785411784",
    "area-square-meter": "1", "area-square-foot": "0.09290304", "area-acre": "4046.8564224", "area-hectare": "10000",
    "area-square-kilometer": "1000000",
    "energy-kilojoule": "1", "energy-kilocalorie": "4.184", "energy-kilowatt-hour": "3600",
    "power-watt": "1", "power-kilowatt": "1000", "power-megawatt": "1000000",
    "speed-kilometer-per-hour": "1", "speed-mile-per-hour": "1.609344",
    "pressure-hectopascal": "1", "pressure-bar": "1000",
    "digital-byte": "0.000001", "digital-kilobyte": "0.001", "digital-megabyte": "1", "digital-gigabyte": "1000",
    "digital-terabyte": "1000000",
}  # fmt: skip
_UNITS: Final = {
    "temperature-celsius": _Unit("temperature", Decimal(1)),
    "temperature-fahrenheit": _Unit("temperature", Decimal(5) / 9, Decimal(-32) * 5 / 9),
    **{unit: _Unit(unit.partition("-")[0], Decimal(factor)) for unit, factor in _FACTORS.items()},
}
# CLDR writes these with a sign that people leave out, in full what they shorten, and in the singular what is several.
_SHORT: Final = {
    "f": "temperature-fahrenheit", "c": "temperature-celsius", "kilo": "mass-kilogram", "kilos": "mass-kilogram",
    "kgs": "mass-kilogram", "lbs": "mass-pound",
}  # fmt: skip
# Letters of a name that tells a unit where no figures stand before it.
_TELLING: Final = 3
# What is behind a number as often as a unit is.
_PREPOSITIONS: Final = frozenset({"in", "go", "to"})
# Above it a rounded value is told exactly enough.
_DECIMALS: Final = 6
# A rounded value is off by one part in so many at most: 12.4 kg are no 0 tonnes, and a mile is not 2 km.
_SHARE: Final = 20
# Characters behind figures in which their unit stands.
_MAX_UNIT: Final = 20


def measures_in(text: str) -> Iterator[Occurrence[_Unit]]:
    """The unit of each measure of a folded text, at the place of its figures."""
    for hit in _pattern().finditer(text):
        yield Occurrence(*hit.span("figures"), _UNITS[_names()[hit["unit"]]])


def is_measure(folded: str, start: int, end: int) -> bool:
    """Whether a unit stands right behind the figures there: 250 g, 21 degrees."""
    is_read = any(not measure.start for measure in measures_in(folded[start : end + _MAX_UNIT]))
    return is_read or _degrees().match(folded, end) is not None


def unit_named_in(words: str) -> _Unit | None:
    """The one unit that folded words name, with or without figures."""
    units = {_UNITS[unit.value] for unit in _quoted_names().found_in(words)}
    return units.pop() if len(units) == 1 else None


def unit_of_word(word: str) -> _Unit | None:
    """The unit that one folded word is behind figures, also a short one: kg."""
    return _UNITS[_names()[word]] if word in _names() else unit_named_in(word)


def is_converted(number: Decimal, unit: _Unit, value: Decimal) -> bool:
    """Whether the value is the measure in another unit of its kind, rounded to the places that it has, and near it."""
    exponent = value.as_tuple().exponent
    places = -exponent if isinstance(exponent, int) and -_DECIMALS <= exponent <= 0 else 0
    with localcontext(prec=28):
        in_base_unit = number * unit.factor + unit.offset
        targets = [target for target in _UNITS.values() if target.kind == unit.kind and target != unit]
        converted = [(in_base_unit - target.offset) / target.factor for target in targets]
        # Degrees are rounded near nothing as they are elsewhere.
        near = [exact for exact in converted if unit.kind == "temperature" or abs(exact - value) <= abs(exact) / _SHARE]
        return any(exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) == value for exact in near)


@cache
def _degrees() -> re.Pattern[str]:
    """Of heat or of an angle: the word alone tells no unit that could be converted."""
    return re.compile(rf" ?(?:{any_word_of(quoted_unit_words('angle-degree'))})(?!\w)")


@cache
def _names() -> Mapping[str, str]:
    """The unit of each name that means one alone."""
    names = ((name, unit) for unit in _UNITS for name in quoted_unit_words(unit) | unit_words(unit))
    return {**sole_meanings((name, unit) for name, unit in names if name not in _PREPOSITIONS), **_SHORT}


@cache
def _quoted_names() -> QuotedNames[str]:
    return QuotedNames({
        name: unit for name, unit in _names().items() if len(name) >= _TELLING or UNSPACED.search(name)
    })  # fmt: skip


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?=[0-9])(?<![\w.,:/-])(?P<figures>[0-9]{{1,9}}+(?>(?:[.,][0-9]{{1,4}})?))"
        rf"[ -]{{0,2}}(?P<unit>{any_word_of(_names())})(?![^\W\d_])"
    )
