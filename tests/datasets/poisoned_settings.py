"""The settings of a stack whose readers never finish with some lines; importing them changes the reader for good."""

import re
from typing import Any

from reviews.evaluation.file_formats.items import Items
from tests.datasets.poison import ENDLESS, GREEDY
from tests.settings import *  # noqa: F403

_read = Items._read_trace


def _poisonable(items: Items, text: str) -> Any:
    if ENDLESS in text:
        # Nothing in Python can end it: the interpreter's lock is held until it is done, which takes centuries.
        re.match(r"(a+)+$", "a" * 99 + "!")
    hoard = [b""]
    while GREEDY in text:
        hoard.append(bytes(64 * 1024 * 1024))
    return _read(items, text)


Items._read_trace = _poisonable  # type: ignore[assignment, method-assign]
