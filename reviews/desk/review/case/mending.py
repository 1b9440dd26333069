"""What would put a wrong value right: the value that the request names, or what is nearest to it."""

import re
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Final

from reviews.desk.review.case.arguments import Argument
from reviews.desk.text.near_misses import near_miss
from reviews.provenance.core.context import Context, JsonValue, Span, ToolDoc
from reviews.provenance.core.pointers import name_of
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.boundaries import find_occurrences
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import stem_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.durations import durations_in
from reviews.provenance.values.identifiers import is_opaque
from reviews.provenance.values.measures import measures_in
from reviews.provenance.values.moments import moments_in
from reviews.provenance.values.numbers import numbers_in

# Characters behind figures in which their unit stands.
_MAX_UNIT: Final = 20
# Characters behind a time in which the part of the day stands.
_MAX_PART_OF_DAY: Final = 24
# Places that are looked at for a path, and characters of its folders.
_MAX_PATHS, _MAX_FOLDER = 64, 200
_FOLDER: Final = re.compile(r"[\w.~/-]*\Z")
_CLOCK: Final = re.compile(r"\d{2}:\d{2}(:\d{2})?")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
# Verbs of deeds that take an amount: what mends one says so with them.
_VERBS: Final = frozenset(("send", "pay", "transfer", "refund", "withdraw", "deposit", "donate"))


def find_better_value(
    argument: Argument, context: Context, names: Iterable[str] = (), tool: ToolDoc | None = None
) -> JsonValue:
    """The value that the nearest thing to a wrong one means, of the same JSON type; None where it gives none.

    `names` are those of records that the request may mean: a part of one is no value. `tool` is the call's, whose
    schema may list what its parameters take.
    """
    nearest = argument.origin.nearest
    if nearest is None or argument.origin.holds:
        return None
    text = context.sources[nearest.source].text
    if _is_in_other_unit(argument, nearest, text) or any(_is_part_of(nearest, name, text) for name in names):
        return None
    meant = (
        _find_option(argument, nearest.quote, tool)
        or read_meant_clock(argument.json, nearest, text)
        or read_meant_value(argument.json, nearest.quote, context.now)
    )
    is_file = isinstance(argument.json, str) and isinstance(meant, str) and "/" in argument.json and "/" not in meant
    return _find_path(str(meant), context) if is_file else meant


def _find_option(argument: Argument, quote: str, tool: ToolDoc | None) -> str | None:
    """The value that these words name among those that the parameter takes."""
    schema = tool.properties.get(argument.pointer[1:]) if tool else None
    choices = Leaf(None, argument.pointer, schema).choices if isinstance(schema, dict) else ()
    return next((choice for choice in choices if fold(choice) == fold(quote)), None)


def _find_path(name: str, context: Context) -> str | None:
    """The one path of the context that ends in this name: who names a file does not say where it lies."""
    ending, paths = re.compile(rf"/{re.escape(name)}(?![\w/.-])"), set()
    for source in context.sources.values():
        # What the agent wrote itself repeats its own mistake.
        for hit in islice(ending.finditer(source.text), _MAX_PATHS) if source.kind is not SourceKind.TOOL_CALL else ():
            folder = _FOLDER.search(source.text[max(0, hit.start() - _MAX_FOLDER) : hit.start()])
            paths.add(f"{folder[0] if folder else ''}{hit[0]}")
    return paths.pop() if len(paths) == 1 else None


def read_meant_value(value: JsonValue, quote: str, now: datetime | None) -> JsonValue:
    """What the quoted words say in place of this value; None where they say nothing of its type, or several things."""
    match value:
        case bool():
            return None
        case int() | float():
            numbers = {mention.value for mention in numbers_in(fold(quote))}
            return _as_json(numbers.pop()) if len(numbers) == 1 else None
        case str() if _DAY.fullmatch(value):
            days = {moment.day for moment in moments_in(fold(quote), now) if moment.day}
            return days.pop().isoformat() if len(days) == 1 else None
        case str() if " " not in value and is_opaque(value) and near_miss(value, "".join(quote.split())):
            # An account is written in groups, and taken without.
            return "".join(quote.split())
        case str() if _are_codes(value, quote) or near_miss(value, quote):
            return quote
    return None


def _are_codes(value: str, quote: str) -> bool:
    """Whether both name something by a code; of two words of one length one tells it of both, or both are figures."""
    codes = is_opaque(value) + is_opaque(quote)
    is_alike = len(value) == len(quote) and " " not in value + quote
    return codes > 1 or (is_alike and (codes > 0 or f"{value}{quote}".isdecimal()))


def read_meant_clock(value: JsonValue, nearest: Span, text: str) -> str | None:
    """The one time of day that the words say, as this one is written; the part of the day behind them may tell it."""
    if not isinstance(value, str) or not _CLOCK.fullmatch(value):
        return None
    moments = moments_in(fold(text[nearest.start : nearest.end + _MAX_PART_OF_DAY]), None)
    clocks = {moment.clock for moment in moments if moment.clock and not moment.start}
    return clocks.pop().isoformat()[: len(value)] if len(clocks) == 1 else None


def _is_in_other_unit(argument: Argument, nearest: Span, text: str) -> bool:
    """Whether a unit stands behind the figures which the argument's name does not have: 2 kg are not 2 grams."""
    if not isinstance(argument.json, int | float):
        return False
    measure = fold(text[nearest.start : nearest.end + _MAX_UNIT])
    if all(part.start for part in measures_in(measure)) and all(part.start for part in durations_in(measure)):
        return False
    units = words_in(measure[len(fold(nearest.quote)) :])[:1]
    return {*map(stem_of, units)}.isdisjoint(map(stem_of, tokens_of(name_of(argument.pointer))))


def _is_part_of(nearest: Span, name: str, text: str) -> bool:
    """Whether the words are a part of this name where they stand: the 12 of "Customer 12"."""
    return len(name) > len(nearest.quote) and any(
        start <= nearest.start and nearest.end <= start + len(name) for start in find_occurrences(text, name)
    )


def word_repair(argument: Argument, deed: str) -> str:
    """Such as `Send $30 instead`."""
    nearest, verb = argument.origin.nearest, deed.split(" ", 1)[0]
    quote = nearest.quote if nearest else ""
    if isinstance(argument.json, int | float) and verb in _VERBS:
        return f"{verb.capitalize()} {quote} instead"
    return f"Use “{quote}” for “{name_of(argument.pointer)}” instead"


def _as_json(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)
