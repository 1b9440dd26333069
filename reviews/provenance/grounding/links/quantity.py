"""Quantities with a physical unit: 5 km are 5000 m, 2 GB are 2000 MB, 20 °C are 68 °F."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache

from pint import UnitRegistry

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import found_at
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import fold
from reviews.provenance.values.number import number_meant, number_of
from reviews.provenance.values.number_words import SMALL_WORDS, spelled

# The units that people write, by pint's names: its own parser reads "a" as a year and "in" as an inch.
_NAMES: Mapping[str, str] = {
    "kilometer": "km kilometer kilometre", "meter": "m meter metre", "centimeter": "cm centimeter centimetre",
    "millimeter": "mm millimeter millimetre", "mile": "mi mile", "yard": "yd yard", "foot": "ft foot feet",
    "inch": "in inch inche", "kilogram": "kg kilo kilogram kilogramme", "gram": "g gram gramme",
    "milligram": "mg milligram",
    "metric_ton": "tonne t", "pound": "lb lbs pound", "ounce": "oz ounce", "liter": "l liter litre",
    "milliliter": "ml milliliter millilitre", "gallon": "gal gallon", "degree_Celsius": "°c celsius centigrade degc",
    "degree_Fahrenheit": "°f fahrenheit degf", "kelvin": "kelvin", "bit": "bit", "byte": "b byte",
    "kilobyte": "kb kilobyte", "megabyte": "mb megabyte", "gigabyte": "gb gigabyte", "terabyte": "tb terabyte",
    "kibibyte": "kib kibibyte", "mebibyte": "mib mebibyte", "gibibyte": "gib gibibyte", "tebibyte": "tib tebibyte",
    "kilometer/hour": "km/h kph kmh", "mile/hour": "mph", "meter/second": "m/s", "watt": "w watt",
    "kilowatt": "kw kilowatt", "kilowatt_hour": "kwh", "hertz": "hz hertz", "megahertz": "mhz", "gigahertz": "ghz",
    "meter**2": "m^2 sqm", "foot**2": "sqft ft^2", "hectare": "ha hectare", "acre": "acre",
}  # fmt: skip
# The unit of each spelling.
_UNITS = {word: unit for unit, words in _NAMES.items() for word in words.split()}
# People write GB for both.
_BINARY = {"kilobyte": "kibibyte", "megabyte": "mebibyte", "gigabyte": "gibibyte", "terabyte": "tebibyte"}
# The longest first: an alternation takes the first that fits.
_WORD = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
# People write it before the unit, with a word or a sign.
_DEGREES = r"(?:degrees? |°)?"
# A number that belongs to a path, a time or a larger number is no amount.
_QUANTITY = re.compile(
    rf"(?<![\w.,/:])(?P<amount>-?\d+(?:[.,]\d+)*|{SMALL_WORDS}|half a)[ -]?{_DEGREES}"
    rf"(?P<unit>{_WORD})s?(?![\w^/°])"
)
# Where a parameter's description tells its unit.
_NAMED_UNIT = re.compile(
    rf"\b(?:in|as|of) {_DEGREES}(?P<unit>{_WORD})s?(?![\w/])|[(\[]{_DEGREES}(?P<sign>{_WORD})s?[)\]]"
)
# Names that mean a unit only as the last word of a parameter's name or where the description says "in …".
_AMBIGUOUS = frozenset("m g t l b w in ha bit pound foot yard mile inch acre".split())
# Figures behind the point up to which amounts are compared: a float's later ones are noise.
_PLACES = 9
# A hundredth: what people convert they round.
_NEARLY = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount of a unit in a text."""

    start: int
    end: int
    amount: Decimal
    unit: str


def measured(leaf: Leaf, text: Indexed) -> Found | None:
    """The value as a quantity that the source says, perhaps in another unit of the same kind."""
    for amount, unit in _quantity_of(leaf):
        for quantity in quantities_in(text.folded.text):
            if _is_same_quantity(amount, unit, quantity):
                return found_at(Grounding.NORMALIZE, text.span(quantity.start, quantity.end))
    return None


def another_unit(leaf: Leaf, text: Indexed, start: int, end: int) -> bool:
    """Whether the number at this place of the folded text has another unit than the parameter asks for."""
    unit = unit_of_parameter(leaf)
    hit = _QUANTITY.match(text.folded.text, start) if unit else None
    named = _UNITS[hit["unit"]] if hit and hit.end() > end else None
    return named is not None and named != unit and _kind(named) == _kind(unit or "")


def quantities_in(text: str) -> Iterator[Quantity]:
    """Every amount with a unit of a folded text."""
    for hit in _QUANTITY.finditer(text):
        if (amount := _amount(hit["amount"])) is not None:
            yield Quantity(*hit.span(), amount, _UNITS[hit["unit"]])


def unit_of_parameter(leaf: Leaf) -> str | None:
    """The unit that the parameter's name or description fixes, or None."""
    return _unit_of(leaf.name, leaf.description)


@lru_cache(maxsize=256)
def _unit_of(name: str, description: str) -> str | None:
    words = [_singular(word) for word in re.split(r"[\W_]+", fold(name)) if word]
    units = {_UNITS[word] for word in words if word in _UNITS and word not in _AMBIGUOUS}
    if not units and len(words) > 1 and words[-1] in _UNITS:
        units = {_UNITS[words[-1]]}
    if not units:
        spellings = (hit["unit"] or hit["sign"] for hit in _NAMED_UNIT.finditer(fold(description)))
        units = {_UNITS[word] for word in spellings}
    return units.pop() if len(units) == 1 else None


def _quantity_of(leaf: Leaf) -> Iterator[tuple[Decimal, str]]:
    if isinstance(leaf.value, str) and (whole := _QUANTITY.fullmatch(leaf.folded[:64])):
        amount, unit = _amount(whole["amount"]), _UNITS[whole["unit"]]
    else:
        amount, unit = number_meant(leaf.value), unit_of_parameter(leaf) or ""
    if amount is not None and unit:
        yield amount, unit


def _is_same_quantity(amount: Decimal, unit: str, quantity: Quantity) -> bool:
    """Equal, or equal once rounded as the value is written and off by no more than a hundredth."""
    if _kind(unit) != _kind(quantity.unit):
        return False
    digits = max(0, -int(amount.as_tuple().exponent))
    binary = (_BINARY.get(quantity.unit, quantity.unit), _BINARY.get(unit, unit))
    for source, target in ((quantity.unit, unit), binary):
        (factor, offset), (target_factor, target_offset) = _line(source), _line(target)
        exact = round((quantity.amount * factor + offset - target_offset) / target_factor, _PLACES)
        if round(exact, min(digits, _PLACES)) == amount and abs(exact - amount) <= abs(exact) * _NEARLY:
            return True
    return False


@lru_cache(maxsize=256)
def _line(unit: str) -> tuple[Decimal, Decimal]:
    """Factor and offset of a unit against the base unit of its kind."""
    zero, one = (float(_registry().Quantity(n, unit).to_base_units().magnitude) for n in (0, 1))
    return Decimal(repr(round(one - zero, 15))), Decimal(repr(round(zero, 9)))


@lru_cache(maxsize=256)
def _kind(unit: str) -> str:
    return str(_registry().Unit(unit).dimensionality) if unit else ""


@cache
def _registry() -> "UnitRegistry[float]":
    return UnitRegistry()


def _amount(text: str) -> Decimal | None:
    sign = -1 if text.startswith("-") else 1
    figures = text.lstrip("-")
    if figures == "half a":
        return Decimal("0.5")
    number = number_of(figures) if figures[0].isdigit() else spelled(figures)
    return None if number is None else sign * number


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and word[:-1] in _UNITS else word
