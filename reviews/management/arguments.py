"""Types of arguments that commands share, and how they report files that cannot be written."""

import math
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError


def positive_number(text: str) -> int:
    """A whole number above 0. Raises `ArgumentTypeError`."""
    if not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text} is not a positive whole number")
    return int(text)


def positive_seconds(text: str) -> float:
    """A time above 0. Raises `ArgumentTypeError`."""
    number = _read_float(text)
    # Bounded above, because `inf` is a float to Python: a command that waits for ever looks like one that hangs.
    if not 0 < number < math.inf:
        raise ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return number


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn a failure to write there into a message of the command. Raises `CommandError`."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error


def share(text: str) -> float:
    """A number from 0 to 1. Raises `ArgumentTypeError`."""
    number = _read_float(text)
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return number


def _read_float(text: str) -> float:
    """What it says, or not a number, which lies within no bounds."""
    try:
        return float(text)
    except ValueError:
        return math.nan
