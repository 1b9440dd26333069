"""Texts made to be slow: grounding and the search for orders in them must grow no faster than the text."""

import gc
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

import pytest

from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, Step
from reviews.provenance.grounding import ground_arguments
from reviews.provenance.injection.instructions import find_instructions
from tests.bench.report import note

pytestmark = pytest.mark.bench

_SMALL, _LARGE = 125_000, 1_000_000
_STEEPNESS = 2
_FLOOR = 0.01
"""Seconds below which a measurement is noise."""
_UNITS: Mapping[str, str] = MappingProxyType(
    {
        "brackets": "[",
        "braces": '{"a":',
        "objects": '{"a":1,',
        "quotes": '"',
        "apostrophes": " '",
        "backslashes": "\\",
        "digits": "7",
        "spaced digits": "7 ",
        "dashes": "-",
        "dots": "1.",
        "word": "a",
        "spaces": " ",
        "lines": "\n",
        "pipes": "|",
        "tabs": "\t",
        "signs": "@",
        "addresses": "a@",
        "colons": "1:",
        "keys": "a: ",
        "tags": "<system>",
        "orders": "ai must ",
        "months": "may ",
        "combining": "e\u0301",
    }
)


@pytest.mark.parametrize("name", _UNITS)
def test_grounding_is_linear(name: str) -> None:
    _check_linear(name, _ground)


@pytest.mark.parametrize("name", _UNITS)
def test_the_search_for_orders_is_linear(name: str) -> None:
    _check_linear(name, find_instructions)


def _check_linear(name: str, work: Callable[[str], object]) -> None:
    texts = [_UNITS[name] * (size // len(_UNITS[name])) for size in (_SMALL, _LARGE)]
    # The best of three, for what disturbs a measurement only ever adds to it.
    small = min(_once(work, texts[0]) for _ in range(3))
    bound = _STEEPNESS * _LARGE / _SMALL * max(small, _FLOOR)
    # Tried again only where the first does not suffice: these are most of the time.
    large = _once(work, texts[1])
    if large >= bound:
        large = min(large, *(_once(work, texts[1]) for _ in range(2)))
    note(f"{work.__name__:>18} {name:>14}  {large * 1000:>8.1f} ms for 1 MB  {large / max(small, _FLOOR):>6.1f} x")
    assert large < bound


def _ground(text: str) -> None:
    values: list[JsonValue] = ["Mira Novak", "mira@corp.test", "2031-07-19T08:10:00", 417.5, "aaaa", "45 minutes"]
    context = Context("Book it for Mira tomorrow, 45 minutes.", history=(Step("read", {}, text),))
    ground_arguments(Case(context, ProposedAction("book", {"values": values})))


def _once(work: Callable[[str], object], text: str) -> float:
    gc.collect()
    started = time.process_time()
    work(text)
    return time.process_time() - started
